package dev.tarn.row;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.codec.UnsupportedFormatException;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.type.DataType;
import dev.tarn.type.Field;
import dev.tarn.type.RowSchema;
import dev.tarn.type.RowType;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows field by field, also those that were written under an older schema: columns are found
 * by field id, so renamed and moved ones are where they were, dropped ones are skipped, added ones
 * read as their default or NULL, and values of widened types are converted. Nothing is rewritten.
 *
 * <p>Owner, lifetime, threads and errors as in {@link SlotReader}; a row of an unknown format
 * version is an {@link UnsupportedFormatException}, one of an unknown schema is corrupt.
 */
public final class RowFlyweight extends SlotReader {
    private final List<Field> fields;
    private final DataType[] types;
    private final SlotKind[] kinds;

    /** Finds stored schemas; null for nested rows, which have no header. */
    private final @Nullable IntFunction<? extends @Nullable RowSchema> schemas;

    /** Mappings by schema id, made when a row first names it. */
    private @Nullable RowMapping[] mappings = new RowMapping[0];

    private RowMapping mapping;
    private final BytesView bytes = new BytesView();

    /** Holds the default values, at the index of their fields; this itself until one is needed. */
    private RowFlyweight defaults;

    private RowFlyweight(
            List<Field> fields,
            StructLayout layout,
            @Nullable IntFunction<? extends @Nullable RowSchema> schemas) {
        this.fields = fields;
        this.types = layout.types;
        this.kinds = layout.kinds;
        this.schemas = schemas;
        this.mapping = RowMapping.identity(layout);
        this.defaults = this;
    }

    /** Creates a flyweight for rows that were written under {@code schema} itself. */
    public static RowFlyweight of(RowSchema schema) {
        return evolving(schema, id -> id == schema.id() ? schema : null);
    }

    /**
     * Creates a flyweight that reads rows of all schemas of a table as rows of {@code schema}.
     *
     * @param schemas returns the schema of an id, or null if there is none
     */
    public static RowFlyweight evolving(
            RowSchema schema, IntFunction<? extends @Nullable RowSchema> schemas) {
        return projecting(schema.fields(), schemas);
    }

    /**
     * Creates a flyweight that reads only these fields, at the index they have in the list.
     *
     * @param schemas returns the schema of an id, or null if there is none
     */
    public static RowFlyweight projecting(
            List<Field> fields, IntFunction<? extends @Nullable RowSchema> schemas) {
        List<DataType> types = fields.stream().map(Field::type).toList();
        return new RowFlyweight(
                List.copyOf(fields), new StructLayout(types, StructLayout.HEADER_LENGTH), schemas);
    }

    /** Creates a flyweight for values of a ROW column or of elements of that type. */
    public static RowFlyweight nested(RowType type) {
        return new RowFlyweight(List.of(), new StructLayout(type.types(), 0), null);
    }

    /** Points at a row. */
    public RowFlyweight wrap(BytesView row) {
        return wrap(row.memory(), row.offset(), row.length());
    }

    /** Points at a row; retains {@code memory}. */
    public RowFlyweight wrap(OffHeapMemory memory, int offset, int length) {
        bytes.wrap(memory, offset, length);
        wrapBytes();
        return this;
    }

    BytesView bytes() {
        return bytes;
    }

    void wrapBytes() {
        OffHeapMemory memory = bytes.memory();
        int start = bytes.offset();
        int length = bytes.length();
        point(memory, start, length);
        if (schemas != null) {
            if (length < StructLayout.HEADER_LENGTH) {
                throw corrupt("is shorter than its header");
            }
            byte version = memory.getByte(start + StructLayout.FORMAT_VERSION_OFFSET);
            if (version != StructLayout.FORMAT_VERSION) {
                throw new UnsupportedFormatException(
                        "row has an unknown format version: formatVersion="
                                + (version & 0xff)
                                + " formatVersionMax="
                                + StructLayout.FORMAT_VERSION);
            }
            int schemaId = memory.getUnsignedShort(start + StructLayout.SCHEMA_ID_OFFSET);
            RowMapping known = schemaId < mappings.length ? mappings[schemaId] : null;
            mapping = known != null ? known : addMapping(schemaId, schemas);
        }
        StructLayout stored = mapping.stored;
        if (length < stored.fixedLength) {
            throw corrupt("is shorter than its fixed part: fixedLength=" + stored.fixedLength);
        }
        int beyond = stored.types.length & 7;
        int last = start + stored.nullsOffset + stored.nullsLength - 1;
        if (beyond != 0 && memory.getUnsignedByte(last) >>> beyond != 0) {
            throw corrupt("has NULL bits beyond its fields: fieldCount=" + stored.types.length);
        }
    }

    private RowMapping addMapping(int schemaId, IntFunction<? extends @Nullable RowSchema> finder) {
        RowSchema schema = finder.apply(schemaId);
        if (schema == null) {
            throw corrupt("names a schema that is not known: schemaId=" + schemaId);
        }
        RowMapping added = RowMapping.of(fields, schema);
        if (added.hasMissing && defaults == this) {
            defaults = defaultRow();
        }
        if (schemaId >= mappings.length) {
            mappings = Arrays.copyOf(mappings, schemaId + 1);
        }
        mappings[schemaId] = added;
        return added;
    }

    /** Writes the default values as a row, so that they are read as all others. */
    private RowFlyweight defaultRow() {
        RowType type =
                new RowType(
                        fields.stream()
                                .map(f -> new RowType.Member(f.name(), f.type().withNullable(true)))
                                .toList(),
                        false);
        CollectedTarget target = new CollectedTarget();
        RowBuilder builder = RowBuilder.nested(type).begin(target);
        for (int i = 0; i < types.length; i++) {
            Object value = fields.get(i).defaultValue();
            if (value != null) {
                RowValues.set(builder, i, types[i], value);
            }
        }
        return nested(type).wrap(target.view(builder.finish()));
    }

    /** Returns the number of fields that can be read. */
    public int fieldCount() {
        return types.length;
    }

    @Override
    public boolean isNull(int index) {
        int stored = mapping.storedIndexes[index];
        if (stored < 0) {
            return defaults.isNull(index);
        }
        byte nulls = memory().getByte(startOffset() + mapping.stored.nullsOffset + (stored >>> 3));
        return (nulls >>> (stored & 7) & 1) != 0;
    }

    @Override
    SlotReader source(int index) {
        return mapping.storedIndexes[index] < 0 ? defaults : this;
    }

    @Override
    DataType type(int index) {
        return types[index];
    }

    @Override
    SlotKind kind(int index) {
        return kinds[index];
    }

    @Override
    DataType storedType(int index) {
        DataType type = mapping.storedType(index);
        return type == null ? types[index] : type;
    }

    @Override
    SlotKind storedKind(int index) {
        return mapping.storedKinds[index];
    }

    @Override
    int slotOffset(int index) {
        return mapping.slotOffsets[index];
    }

    @Override
    int fixedLength() {
        return mapping.stored.fixedLength;
    }

    private CorruptDataException corrupt(String problem) {
        return new CorruptDataException(
                "row " + problem + " rowLength=" + length() + " row=" + bytes);
    }

    /** Shows the decoded fields; for people. */
    @Override
    public String toString() {
        return Row.read(this).toString();
    }
}
