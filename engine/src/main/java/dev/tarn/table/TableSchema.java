package dev.tarn.table;

import dev.tarn.table.options.TableOptions;
import dev.tarn.type.DataType;
import dev.tarn.type.Field;
import dev.tarn.type.RowSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a table consists of: columns, primary key, partition columns, options.
 *
 * <p>Threads: immutable.
 */
public final class TableSchema {
    private final RowSchema rowSchema;
    private final List<String> primaryKey;
    private final List<String> partitionKeys;
    private final SortedMap<String, String> options;
    private final TableOptions tableOptions;

    /**
     * Creates a schema.
     *
     * @param rowSchema the columns; its id is the schema's
     * @param options as texts, by key
     * @throws IllegalArgumentException if a key column does not exist, or an option is unknown or
     *     wrong
     */
    public TableSchema(
            RowSchema rowSchema,
            List<String> primaryKey,
            List<String> partitionKeys,
            Map<String, String> options) {
        this.rowSchema = rowSchema;
        this.primaryKey = List.copyOf(primaryKey);
        this.partitionKeys = List.copyOf(partitionKeys);
        this.options = new TreeMap<>(options);
        indexes(primaryKey);
        indexes(partitionKeys);
        this.tableOptions = TableOptions.parse(this.options);
    }

    /** Starts a schema with id 0. */
    public static Builder builder() {
        return new Builder();
    }

    /** The columns, in order; its id is the schema's. */
    public RowSchema rowSchema() {
        return rowSchema;
    }

    public List<String> primaryKey() {
        return primaryKey;
    }

    public List<String> partitionKeys() {
        return partitionKeys;
    }

    /** The options that were set, by key. */
    public SortedMap<String, String> options() {
        return new TreeMap<>(options);
    }

    /** The options' values, defaults included. */
    public TableOptions tableOptions() {
        return tableOptions;
    }

    /** The indexes of the primary key's columns, in the order of the key. */
    public int[] primaryKeyIndexes() {
        return indexes(primaryKey);
    }

    /** The indexes of the partition columns. */
    public int[] partitionIndexes() {
        return indexes(partitionKeys);
    }

    /** The indexes of the columns whose hash chooses the bucket. */
    public int[] bucketKeyIndexes() {
        List<String> bucketKey = tableOptions.bucketKey();
        return indexes(bucketKey.isEmpty() ? primaryKey : bucketKey);
    }

    /**
     * Returns the indexes of columns.
     *
     * @throws IllegalArgumentException if there is no such column
     */
    public int[] indexes(List<String> names) {
        return names.stream().mapToInt(this::index).toArray();
    }

    private int index(String name) {
        int index = rowSchema.indexOf(name);
        if (index < 0) {
            throw new IllegalArgumentException(
                    "there is no such column: name="
                            + name
                            + " columns="
                            + rowSchema.fields().stream().map(Field::name).toList());
        }
        return index;
    }

    @Override
    public String toString() {
        return "schema[id="
                + rowSchema.id()
                + " fields="
                + rowSchema.fields()
                + " primaryKey="
                + primaryKey
                + " partitionKeys="
                + partitionKeys
                + " options="
                + options
                + "]";
    }

    /** Collects columns and options; belongs to one thread. */
    public static final class Builder {
        private final RowSchema.Builder columns = RowSchema.builder();
        private final List<String> primaryKey = new ArrayList<>();
        private final List<String> partitionKeys = new ArrayList<>();
        private final Map<String, String> options = new TreeMap<>();

        private Builder() {}

        /** Adds a column; those of the primary key must be NOT NULL. */
        public Builder column(String name, DataType type) {
            columns.field(name, type);
            return this;
        }

        /** Adds a column with a default; of the class that {@link dev.tarn.row.Row} says. */
        public Builder column(String name, DataType type, @Nullable Object defaultValue) {
            columns.field(name, type, defaultValue);
            return this;
        }

        public Builder primaryKey(String... names) {
            primaryKey.addAll(List.of(names));
            return this;
        }

        public Builder partitionedBy(String... names) {
            partitionKeys.addAll(List.of(names));
            return this;
        }

        public Builder option(String key, String value) {
            options.put(key, value);
            return this;
        }

        public Builder options(Map<String, String> more) {
            options.putAll(more);
            return this;
        }

        /**
         * Checks and builds.
         *
         * @throws IllegalArgumentException as the constructor
         */
        public TableSchema build() {
            return new TableSchema(columns.build(), primaryKey, partitionKeys, options);
        }
    }
}
