package dev.tarn.row;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A row on the heap: a kind and one object per field, for convenience and tests.
 *
 * <p>Classes: Boolean, Byte, Short, Integer, Long, Float, Double, {@link java.math.BigDecimal},
 * String (CHAR, VARCHAR), byte[] (BINARY, VARBINARY), {@link java.time.LocalDate}, {@link
 * java.time.LocalTime}, {@link java.time.LocalDateTime} (TIMESTAMP), {@link java.time.Instant}
 * (TIMESTAMP_LTZ), {@link java.util.List}, {@link java.util.Map}, Row; null for NULL.
 *
 * <p>Threads: not for several at once.
 */
public final class Row {
    private RowKind kind;
    private final @Nullable Object[] values;

    /** Creates a row of NULLs. */
    public Row(RowKind kind, int fieldCount) {
        this.kind = kind;
        this.values = new Object[fieldCount];
    }

    /** Creates an insert of these values. */
    public static Row of(@Nullable Object... values) {
        return ofKind(RowKind.INSERT, values);
    }

    /** Creates a row of these values. */
    public static Row ofKind(RowKind kind, @Nullable Object... values) {
        Row row = new Row(kind, values.length);
        System.arraycopy(values, 0, row.values, 0, values.length);
        return row;
    }

    /** Copies a row to the heap, as an insert. */
    public static Row read(RowFlyweight source) {
        Row row = new Row(RowKind.INSERT, source.fieldCount());
        for (int i = 0; i < row.values.length; i++) {
            row.values[i] = RowValues.get(source, i);
        }
        return row;
    }

    /**
     * Sets all fields of a builder that has begun.
     *
     * @throws IllegalArgumentException if a value has another class than its field asks for
     */
    public void write(RowBuilder target) {
        for (int i = 0; i < values.length; i++) {
            RowValues.setOrNull(target, i, values[i]);
        }
    }

    public RowKind kind() {
        return kind;
    }

    public Row setKind(RowKind newKind) {
        kind = newKind;
        return this;
    }

    public int fieldCount() {
        return values.length;
    }

    /** Returns the value of a field, or null for NULL. */
    public @Nullable Object get(int index) {
        return values[index];
    }

    public Row set(int index, @Nullable Object value) {
        values[index] = value;
        return this;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Row that
                && kind == that.kind
                && Arrays.deepEquals(values, that.values);
    }

    @Override
    public int hashCode() {
        return 31 * kind.hashCode() + Arrays.deepHashCode(values);
    }

    @Override
    public String toString() {
        return kind + Arrays.deepToString(values);
    }
}
