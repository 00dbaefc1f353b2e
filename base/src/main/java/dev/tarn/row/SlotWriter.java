package dev.tarn.row;

import dev.tarn.codec.Utf8;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.type.ArrayType;
import dev.tarn.type.DataType;
import dev.tarn.type.Decimals;
import dev.tarn.type.MapType;
import dev.tarn.type.RowType;
import dev.tarn.type.ScalarType;
import dev.tarn.type.TemporalPrecision;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The setters of {@link RowBuilder} and {@link ArrayBuilder}: by index, in any order, each at most
 * once for strings and nested values (setting one again leaves the bytes of the first behind).
 *
 * <p>Owner: the target stays its owner's; nothing beyond its limit is touched.
 *
 * <p>Threads: an instance belongs to one thread and is reused; setting primitives, views, byte
 * arrays and texts allocates nothing.
 *
 * <p>Units: lengths and offsets in bytes.
 *
 * <p>Errors: a setter that does not suit the type, or a value that the type cannot hold, is an
 * {@link IllegalArgumentException}; then begin again. What does not fit the target is no error
 * until {@code finish}, which returns the length needed.
 */
public abstract class SlotWriter<B extends SlotWriter<B>> {
    private OffHeapMemory memory = OffHeapMemory.wrap(new byte[0]);
    private @Nullable RowTarget target;
    private int start;
    private int limit;
    private int nullsStart;

    /** Bytes so far, also those that did not fit. */
    private long length;

    /** Whether the fixed part fits, so that setters have somewhere to write to. */
    private boolean hasSlots;

    SlotWriter() {}

    abstract B self();

    abstract SlotKind kind(int index);

    abstract DataType type(int index);

    abstract int slotOffset(int index);

    final void start(OffHeapMemory into, int offset, int end) {
        target = null;
        memory = into;
        start = offset;
        limit = end;
    }

    final void start(RowTarget into) {
        target = into;
        memory = into.memory();
        start = into.offset();
        limit = into.limit();
    }

    /** Claims the fixed part and sets every value to NULL; returns whether it fits. */
    final boolean startSlots(int nullsOffset, int count, int fixedLength) {
        length = 0;
        hasSlots = claim(fixedLength);
        if (hasSlots) {
            nullsStart = start + nullsOffset;
            memory.fill(start, fixedLength, (byte) 0);
            memory.fill(nullsStart, count >>> 3, (byte) 0xff);
            if ((count & 7) != 0) {
                memory.putByte(nullsStart + (count >>> 3), (byte) ((1 << (count & 7)) - 1));
            }
        }
        return hasSlots;
    }

    final OffHeapMemory memory() {
        return memory;
    }

    final int startOffset() {
        return start;
    }

    /** Returns the length, or the negated length that is needed. */
    final int finishLength() {
        if (length > StructLayout.LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "row is too long: length=" + length + " lengthMax=" + StructLayout.LENGTH_MAX);
        }
        return length <= limit - start ? (int) length : (int) -length;
    }

    /** Sets NULL, as every value is from the beginning. */
    public final B setNull(int index) {
        if (!type(index).nullable()) {
            throw new IllegalArgumentException(
                    "value must not be NULL: index=" + index + " type=" + type(index));
        }
        if (hasSlots) {
            int at = nullsStart + (index >>> 3);
            memory.putByte(at, (byte) (memory.getByte(at) | 1 << (index & 7)));
            memory.fill(start + slotOffset(index), kind(index).length, (byte) 0);
        }
        return self();
    }

    /** Sets a BOOLEAN. */
    public final B setBoolean(int index, boolean value) {
        int at = slot(index, SlotKind.BOOLEAN);
        if (at >= 0) {
            memory.putByte(at, (byte) (value ? 1 : 0));
        }
        return self();
    }

    /** Sets a TINYINT. */
    public final B setByte(int index, byte value) {
        int at = slot(index, SlotKind.INT8);
        if (at >= 0) {
            memory.putByte(at, value);
        }
        return self();
    }

    /** Sets a SMALLINT. */
    public final B setShort(int index, short value) {
        int at = slot(index, SlotKind.INT16);
        if (at >= 0) {
            memory.putShort(at, value);
        }
        return self();
    }

    /** Sets an INT. */
    public final B setInt(int index, int value) {
        int at = slot(index, SlotKind.INT32);
        if (at >= 0) {
            memory.putInt(at, value);
        }
        return self();
    }

    /** Sets a BIGINT. */
    public final B setLong(int index, long value) {
        int at = slot(index, SlotKind.INT64);
        if (at >= 0) {
            memory.putLong(at, value);
        }
        return self();
    }

    /** Sets a FLOAT; its bits are kept, also those of -0.0 and NaN. */
    public final B setFloat(int index, float value) {
        int at = slot(index, SlotKind.FLOAT);
        if (at >= 0) {
            memory.putInt(at, Float.floatToRawIntBits(value));
        }
        return self();
    }

    /** Sets a DOUBLE; its bits are kept, also those of -0.0 and NaN. */
    public final B setDouble(int index, double value) {
        int at = slot(index, SlotKind.DOUBLE);
        if (at >= 0) {
            memory.putLong(at, Double.doubleToRawLongBits(value));
        }
        return self();
    }

    /** Sets a DECIMAL to {@code unscaled * 10^-scale}; see {@link Decimals}. */
    public final B setDecimal(int index, long unscaled, int scale) {
        ScalarType type = decimalType(index);
        if (kind(index) == SlotKind.COMPACT_DECIMAL) {
            long compact = Decimals.toCompact(unscaled, scale, type);
            int at = slot(index, SlotKind.COMPACT_DECIMAL);
            if (at >= 0) {
                memory.putLong(at, compact);
            }
        } else if (scale == type.scale()) {
            putWide(index, unscaled >> 63, unscaled);
        } else {
            setDecimal(index, BigDecimal.valueOf(unscaled, scale));
        }
        return self();
    }

    /** Sets a DECIMAL; see {@link Decimals}. */
    public final B setDecimal(int index, BigDecimal value) {
        ScalarType type = decimalType(index);
        BigInteger unscaled = Decimals.toUnscaled(value, type);
        if (kind(index) == SlotKind.COMPACT_DECIMAL) {
            int at = slot(index, SlotKind.COMPACT_DECIMAL);
            if (at >= 0) {
                memory.putLong(at, unscaled.longValue());
            }
        } else {
            putWide(index, unscaled.shiftRight(64).longValue(), unscaled.longValue());
        }
        return self();
    }

    /** Sets a DATE, in days since 1970-01-01. */
    public final B setDate(int index, int epochDay) {
        int at = slot(index, SlotKind.DATE);
        if (at >= 0) {
            memory.putInt(at, epochDay);
        }
        return self();
    }

    /** Sets a TIME, in nanoseconds of the day, cut to the type's precision. */
    public final B setTime(int index, long nanosOfDay) {
        SlotKind kind = kind(index);
        if (kind != SlotKind.TIME_MILLIS && kind != SlotKind.TIME_NANOS) {
            throw wrongType(index, "TIME");
        }
        TemporalPrecision.checkNanosOfDay(nanosOfDay);
        int precision = ((ScalarType) type(index)).precision();
        long cut = TemporalPrecision.cutNanos(nanosOfDay, precision);
        int at = slot(index, kind);
        if (at >= 0) {
            if (kind == SlotKind.TIME_MILLIS) {
                memory.putInt(at, (int) (cut / TemporalPrecision.NANOS_PER_MILLI));
            } else {
                memory.putLong(at, cut);
            }
        }
        return self();
    }

    /**
     * Sets a TIMESTAMP or TIMESTAMP_LTZ, cut to the type's precision.
     *
     * @param millis since 1970-01-01T00:00:00
     * @param nanosOfMilli in [0, 999999]
     */
    public final B setTimestamp(int index, long millis, int nanosOfMilli) {
        SlotKind kind = kind(index);
        if (!kind.isTimestamp()) {
            throw wrongType(index, "TIMESTAMP");
        }
        TemporalPrecision.checkNanosOfMilli(nanosOfMilli);
        int precision = ((ScalarType) type(index)).precision();
        long cut = TemporalPrecision.cutMillis(millis, precision);
        int at = slot(index, kind);
        if (at >= 0) {
            memory.putLong(at, cut);
            if (kind == SlotKind.TIMESTAMP_NANOS) {
                memory.putInt(at + 8, (int) TemporalPrecision.cutNanos(nanosOfMilli, precision));
            }
        }
        return self();
    }

    /** Sets a string of any type, text as UTF-8. */
    public final B setBytes(int index, BytesView bytes) {
        return setBytes(index, bytes.memory(), bytes.offset(), bytes.length());
    }

    /** Sets a string of any type, text as UTF-8. */
    public final B setBytes(int index, OffHeapMemory source, int offset, int sourceLength) {
        int at = variableSlot(index, stringKind(index), sourceLength);
        if (at >= 0) {
            source.copyTo(offset, memory, at, sourceLength);
        }
        return self();
    }

    /** Sets a string of any type, text as UTF-8. */
    public final B setBytes(int index, byte[] bytes) {
        int at = variableSlot(index, stringKind(index), bytes.length);
        if (at >= 0) {
            memory.putBytes(at, bytes, 0, bytes.length);
        }
        return self();
    }

    /** Sets a text. */
    public final B setString(int index, String text) {
        int at = variableSlot(index, SlotKind.TEXT, Utf8.length(text));
        if (at >= 0) {
            Utf8.put(memory, at, text);
        }
        return self();
    }

    /** Sets a text from its UTF-8 bytes. */
    public final B setString(int index, BytesView text) {
        if (kind(index) != SlotKind.TEXT) {
            throw wrongType(index, "text");
        }
        return setBytes(index, text);
    }

    /** Sets a text from its UTF-8 bytes. */
    public final B setString(int index, byte[] text) {
        if (kind(index) != SlotKind.TEXT) {
            throw wrongType(index, "text");
        }
        return setBytes(index, text);
    }

    /** Sets an ARRAY that an {@link ArrayBuilder} of the element's type wrote. */
    public final B setArray(int index, BytesView array) {
        if (!(type(index) instanceof ArrayType)) {
            throw wrongType(index, "ARRAY");
        }
        return setNested(index, SlotKind.ARRAY, array);
    }

    /** Sets a ROW that a builder made by {@link RowBuilder#nested} wrote. */
    public final B setRow(int index, BytesView row) {
        if (!(type(index) instanceof RowType)) {
            throw wrongType(index, "ROW");
        }
        return setNested(index, SlotKind.ROW, row);
    }

    /** Sets a MAP from two arrays of one count, written by {@link ArrayBuilder}s. */
    public final B setMap(int index, BytesView keys, BytesView values) {
        if (!(type(index) instanceof MapType)) {
            throw wrongType(index, "MAP");
        }
        if (keys.memory().getInt(keys.offset()) != values.memory().getInt(values.offset())) {
            throw new IllegalArgumentException("map has keys and values of different counts");
        }
        long mapLength = Integer.BYTES + (long) keys.length() + values.length();
        int at = variableSlot(index, SlotKind.MAP, mapLength);
        if (at >= 0) {
            memory.putInt(at, keys.length());
            keys.memory().copyTo(keys.offset(), memory, at + Integer.BYTES, keys.length());
            int valuesAt = at + Integer.BYTES + keys.length();
            values.memory().copyTo(values.offset(), memory, valuesAt, values.length());
        }
        return self();
    }

    private B setNested(int index, SlotKind kind, BytesView value) {
        int at = variableSlot(index, kind, value.length());
        if (at >= 0) {
            value.memory().copyTo(value.offset(), memory, at, value.length());
        }
        return self();
    }

    private void putWide(int index, long high, long low) {
        int at = slot(index, SlotKind.WIDE_DECIMAL);
        if (at >= 0) {
            memory.putLong(at, low);
            memory.putLong(at + 8, high);
        }
    }

    /** Marks a value as present and returns where its slot is, or -1 if there is no room. */
    private int slot(int index, SlotKind expected) {
        if (kind(index) != expected) {
            throw wrongType(index, expected.name());
        }
        if (!hasSlots) {
            return -1;
        }
        int at = nullsStart + (index >>> 3);
        memory.putByte(at, (byte) (memory.getByte(at) & ~(1 << (index & 7))));
        return start + slotOffset(index);
    }

    /** Fills a slot and returns where its bytes go, or -1 if there is no room. */
    private int variableSlot(int index, SlotKind expected, long byteCount) {
        int slot = slot(index, expected);
        if (byteCount <= StructLayout.INLINE_LENGTH_MAX) {
            if (slot >= 0) {
                memory.putLong(slot, (StructLayout.INLINE_FLAG | byteCount) << 56);
            }
            return slot;
        }
        long offset = length;
        if (!claim(byteCount) || !hasSlots) {
            return -1;
        }
        // The claim may have moved the row.
        slot = start + slotOffset(index);
        memory.putInt(slot, (int) offset);
        memory.putInt(slot + 4, (int) byteCount);
        return start + (int) offset;
    }

    private boolean claim(long byteCount) {
        long needed = length + byteCount;
        boolean fits = needed <= limit - start || grow(needed);
        length = needed;
        return fits;
    }

    private boolean grow(long needed) {
        RowTarget growing = target;
        // Bytes that did not fit earlier are missing, so later ones must not fit either.
        if (growing == null || length > limit - start || needed > StructLayout.LENGTH_MAX) {
            return false;
        }
        int nullsOffset = nullsStart - start;
        if (!growing.grow((int) length, (int) needed)) {
            return false;
        }
        memory = growing.memory();
        start = growing.offset();
        limit = growing.limit();
        nullsStart = start + nullsOffset;
        return true;
    }

    private SlotKind stringKind(int index) {
        SlotKind kind = kind(index);
        if (!kind.isString()) {
            throw wrongType(index, "a string");
        }
        return kind;
    }

    private ScalarType decimalType(int index) {
        SlotKind kind = kind(index);
        if (kind != SlotKind.COMPACT_DECIMAL && kind != SlotKind.WIDE_DECIMAL) {
            throw wrongType(index, "DECIMAL");
        }
        return (ScalarType) type(index);
    }

    private IllegalArgumentException wrongType(int index, String given) {
        return new IllegalArgumentException(
                "value has another type: index="
                        + index
                        + " expected="
                        + type(index)
                        + " actual="
                        + given);
    }
}
