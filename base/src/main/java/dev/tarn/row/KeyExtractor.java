package dev.tarn.row;

import dev.tarn.codec.KeyEncoder;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.type.DataType;
import dev.tarn.type.ScalarType;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes the key of a row from its columns.
 *
 * <p>Threads: an instance belongs to one thread; allocates nothing, except for decimals of more
 * than 18 digits. Errors: as {@link KeyEncoder} and {@link SlotReader}.
 */
public final class KeyExtractor {
    private final int[] columns;
    private final KeyEncoder encoder;
    private final BytesView string = new BytesView();

    /**
     * Creates an extractor.
     *
     * @param types of all columns of the rows
     * @param columns the indexes of the key's columns, in the order of the key
     */
    public KeyExtractor(List<? extends DataType> types, int... columns) {
        List<DataType> parts = new ArrayList<>();
        for (int column : columns) {
            parts.add(types.get(column));
        }
        this.columns = columns.clone();
        this.encoder = new KeyEncoder(parts);
    }

    /**
     * Writes the key of a row to {@code offset}; it must end at or before {@code limit}.
     *
     * @return its length, or the negated length that it needs if that exceeds the limit
     */
    public int extract(RowFlyweight row, OffHeapMemory target, int offset, int limit) {
        encoder.begin(target, offset, limit);
        for (int part = 0; part < columns.length; part++) {
            int column = columns[part];
            if (row.isNull(column)) {
                encoder.putNull();
            } else {
                put(row, column, encoder.type(part));
            }
        }
        return encoder.finish();
    }

    private void put(RowFlyweight row, int column, ScalarType type) {
        switch (type.root()) {
            case BOOLEAN -> encoder.putBoolean(row.getBoolean(column));
            case TINYINT -> encoder.putByte(row.getByte(column));
            case SMALLINT -> encoder.putShort(row.getShort(column));
            case INT -> encoder.putInt(row.getInt(column));
            case BIGINT -> encoder.putLong(row.getLong(column));
            case FLOAT -> encoder.putFloat(row.getFloat(column));
            case DOUBLE -> encoder.putDouble(row.getDouble(column));
            case DECIMAL -> {
                if (row.kind(column) == SlotKind.COMPACT_DECIMAL) {
                    encoder.putDecimal(row.getCompactDecimal(column), type.scale());
                } else {
                    encoder.putDecimal(row.getDecimal(column));
                }
            }
            case CHAR, VARCHAR, BINARY, VARBINARY -> {
                row.getBytes(column, string);
                encoder.putBytes(string);
            }
            case DATE -> encoder.putDate(row.getDate(column));
            case TIME -> encoder.putTime(row.getTime(column));
            case TIMESTAMP, TIMESTAMP_LTZ ->
                    encoder.putTimestamp(
                            row.getTimestampMillis(column), row.getTimestampNanosOfMilli(column));
            case ARRAY, MAP, ROW -> throw new AssertionError("no key part: " + type);
        }
    }
}
