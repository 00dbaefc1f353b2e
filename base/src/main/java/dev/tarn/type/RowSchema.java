package dev.tarn.type;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a table at one time.
 *
 * <p>Every change makes a new schema with the next id. Columns keep their field ids through renames
 * and moves, and no id is used twice, so rows written under an older schema stay readable: see
 * {@code dev.tarn.row.RowFlyweight}.
 */
public final class RowSchema {
    /** The largest id: rows store it in 16 bits. */
    public static final int ID_MAX = 65_535;

    public static final int FIELD_COUNT_MAX = 16_384;

    private final int id;
    private final List<Field> fields;
    private final int nextFieldId;
    private final Map<String, Integer> indexByName = new HashMap<>();

    /**
     * Creates a schema from what was stored of it.
     *
     * @param nextFieldId above every field id ever given
     */
    public RowSchema(int id, List<Field> fields, int nextFieldId) {
        if (id < 0 || id > ID_MAX) {
            throw new IllegalArgumentException(
                    "schema id must be in [0, " + ID_MAX + "]: schemaId=" + id);
        }
        if (fields.isEmpty() || fields.size() > FIELD_COUNT_MAX) {
            throw new IllegalArgumentException(
                    "field count must be in [1, "
                            + FIELD_COUNT_MAX
                            + "]: fieldCount="
                            + fields.size());
        }
        this.id = id;
        this.fields = List.copyOf(fields);
        this.nextFieldId = nextFieldId;
        Set<Integer> ids = new HashSet<>();
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            if (indexByName.put(field.name(), i) != null) {
                throw new IllegalArgumentException(
                        "two fields have one name: name=" + field.name());
            }
            if (!ids.add(field.id()) || field.id() >= nextFieldId) {
                throw new IllegalArgumentException(
                        "field id is not unique or not below the next one: field="
                                + field.name()
                                + " id="
                                + field.id()
                                + " nextFieldId="
                                + nextFieldId);
            }
        }
    }

    /** Starts the first schema of a table. */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects the columns of a first schema. */
    public static final class Builder {
        private final List<Field> fields = new ArrayList<>();

        private Builder() {}

        /** Appends a column. */
        public Builder field(String name, DataType type) {
            return field(name, type, null);
        }

        /** Appends a column with a default value. */
        public Builder field(String name, DataType type, @Nullable Object defaultValue) {
            fields.add(new Field(fields.size(), name, type, defaultValue));
            return this;
        }

        /** Returns schema 0. */
        public RowSchema build() {
            return new RowSchema(0, fields, fields.size());
        }
    }

    public int id() {
        return id;
    }

    public List<Field> fields() {
        return fields;
    }

    public Field field(int index) {
        return fields.get(index);
    }

    public int fieldCount() {
        return fields.size();
    }

    /** Returns the id that the next new column gets. */
    public int nextFieldId() {
        return nextFieldId;
    }

    /** Returns the types of the columns, in order. */
    public List<DataType> types() {
        return fields.stream().map(Field::type).toList();
    }

    /** Returns the index of a column, or -1 if there is none of this name. */
    public int indexOf(String name) {
        return indexByName.getOrDefault(name, -1);
    }

    /** Returns the index of the column with a field id, or -1. */
    public int indexOfId(int fieldId) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).id() == fieldId) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Appends a column.
     *
     * @throws IllegalArgumentException if it is NOT NULL without a default: old rows have no value
     */
    public RowSchema add(String name, DataType type, @Nullable Object defaultValue) {
        if (!type.nullable() && defaultValue == null) {
            throw new IllegalArgumentException(
                    "an added column must take NULL or have a default: field="
                            + name
                            + " type="
                            + type);
        }
        List<Field> changed = new ArrayList<>(fields);
        changed.add(new Field(nextFieldId, name, type, defaultValue));
        return next(changed, nextFieldId + 1);
    }

    /** Removes a column; its stored values are skipped from now on. */
    public RowSchema drop(String name) {
        List<Field> changed = new ArrayList<>(fields);
        changed.remove(existing(name));
        return next(changed, nextFieldId);
    }

    /** Gives a column another name. */
    public RowSchema rename(String name, String newName) {
        return replace(existing(name), fields.get(existing(name)).withName(newName));
    }

    /** Moves a column to another place. */
    public RowSchema move(String name, int newIndex) {
        List<Field> changed = new ArrayList<>(fields);
        Field field = changed.remove(existing(name));
        changed.add(newIndex, field);
        return next(changed, nextFieldId);
    }

    /**
     * Widens a column's type.
     *
     * @throws IllegalArgumentException if {@link TypeWidening} does not allow it
     */
    public RowSchema changeType(String name, DataType newType) {
        int index = existing(name);
        Field field = fields.get(index);
        TypeWidening.check(field.type(), newType, name);
        return replace(index, field.withType(newType));
    }

    private RowSchema replace(int index, Field field) {
        List<Field> changed = new ArrayList<>(fields);
        changed.set(index, field);
        return next(changed, nextFieldId);
    }

    private RowSchema next(List<Field> changed, int changedNextFieldId) {
        return new RowSchema(id + 1, changed, changedNextFieldId);
    }

    private int existing(String name) {
        int index = indexOf(name);
        if (index < 0) {
            throw new IllegalArgumentException(
                    "there is no field of this name: name=" + name + " schema=" + this);
        }
        return index;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RowSchema that
                && id == that.id
                && nextFieldId == that.nextFieldId
                && fields.equals(that.fields);
    }

    @Override
    public int hashCode() {
        return 31 * id + fields.hashCode();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("schema ").append(id).append(" (");
        for (int i = 0; i < fields.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(fields.get(i));
        }
        return text.append(')').toString();
    }
}
