package dev.tarn.row;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.codec.Utf8;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.type.DataType;
import dev.tarn.type.Decimals;
import dev.tarn.type.ScalarType;
import dev.tarn.type.TemporalPrecision;
import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * The getters of {@link RowFlyweight} and {@link ArrayFlyweight}: by index, without decoding the
 * rest.
 *
 * <p>Owner: the bytes stay their owner's; nothing is copied but what a getter returns.
 *
 * <p>Lifetime: views and nested flyweights that a getter positions are valid as long as the bytes.
 *
 * <p>Threads: an instance belongs to one thread and is reused; getters of primitives, views and
 * nested values allocate nothing.
 *
 * <p>Errors: bytes that no builder writes are a {@link CorruptDataException}; every offset and
 * length is checked before it is used. A getter that does not suit the type is an {@link
 * IllegalArgumentException}. A NULL reads as zero or empty, so ask {@link #isNull} first.
 */
public abstract class SlotReader {
    private OffHeapMemory memory = OffHeapMemory.wrap(new byte[0]);
    private int start;
    private int length;

    SlotReader() {}

    /** Returns where a value comes from: this, or the default values of columns added later. */
    abstract SlotReader source(int index);

    /** Returns the type that a value is read as. */
    abstract DataType type(int index);

    abstract SlotKind kind(int index);

    /** Returns the type that a value was written as. */
    abstract DataType storedType(int index);

    abstract SlotKind storedKind(int index);

    abstract int slotOffset(int index);

    /** Returns where the variable part begins. */
    abstract int fixedLength();

    /** Returns whether the value is NULL. */
    public abstract boolean isNull(int index);

    final void point(OffHeapMemory bytes, int offset, int byteCount) {
        memory = bytes;
        start = offset;
        length = byteCount;
    }

    final OffHeapMemory memory() {
        return memory;
    }

    final int startOffset() {
        return start;
    }

    /** Returns the bytes that this points at. */
    public final int length() {
        return length;
    }

    /** Returns a BOOLEAN. */
    public final boolean getBoolean(int index) {
        SlotReader source = expect(index, SlotKind.BOOLEAN);
        byte value = source.memory.getByte(source.slot(index));
        if ((value & 0xfe) != 0) {
            throw source.corrupt(index, "is no boolean, value=" + value);
        }
        return value != 0;
    }

    /** Returns a TINYINT. */
    public final byte getByte(int index) {
        SlotReader source = expect(index, SlotKind.INT8);
        return source.memory.getByte(source.slot(index));
    }

    /** Returns a SMALLINT. */
    public final short getShort(int index) {
        return (short) expect(index, SlotKind.INT16).storedInteger(index);
    }

    /** Returns an INT. */
    public final int getInt(int index) {
        SlotReader source = expect(index, SlotKind.INT32);
        return source.storedKind(index) == SlotKind.INT32
                ? source.memory.getInt(source.slot(index))
                : (int) source.storedInteger(index);
    }

    /** Returns a BIGINT. */
    public final long getLong(int index) {
        SlotReader source = expect(index, SlotKind.INT64);
        return source.storedKind(index) == SlotKind.INT64
                ? source.memory.getLong(source.slot(index))
                : source.storedInteger(index);
    }

    /** Returns a FLOAT. */
    public final float getFloat(int index) {
        SlotReader source = expect(index, SlotKind.FLOAT);
        return source.storedKind(index) == SlotKind.FLOAT
                ? Float.intBitsToFloat(source.memory.getInt(source.slot(index)))
                : source.storedInteger(index);
    }

    /** Returns a DOUBLE. */
    public final double getDouble(int index) {
        SlotReader source = expect(index, SlotKind.DOUBLE);
        int slot = source.slot(index);
        return switch (source.storedKind(index)) {
            case DOUBLE -> Double.longBitsToDouble(source.memory.getLong(slot));
            case FLOAT -> Float.intBitsToFloat(source.memory.getInt(slot));
            default -> source.storedInteger(index);
        };
    }

    /** Returns the unscaled value of a DECIMAL of up to 18 digits. */
    public final long getCompactDecimal(int index) {
        SlotReader source = expect(index, SlotKind.COMPACT_DECIMAL);
        int scale = ((ScalarType) type(index)).scale();
        if (source.storedKind(index) == SlotKind.COMPACT_DECIMAL) {
            int storedScale = ((ScalarType) source.storedType(index)).scale();
            return source.storedDecimal(index) * Decimals.powerOfTen(scale - storedScale);
        }
        return source.storedInteger(index) * Decimals.powerOfTen(scale);
    }

    /** Returns a DECIMAL at the scale of its type. */
    public final BigDecimal getDecimal(int index) {
        int scale = decimalType(index).scale();
        if (kind(index) == SlotKind.COMPACT_DECIMAL) {
            return BigDecimal.valueOf(getCompactDecimal(index), scale);
        }
        SlotReader source = source(index);
        return switch (source.storedKind(index)) {
            case WIDE_DECIMAL -> source.storedWideDecimal(index).setScale(scale);
            case COMPACT_DECIMAL -> {
                int storedScale = ((ScalarType) source.storedType(index)).scale();
                yield BigDecimal.valueOf(source.storedDecimal(index), storedScale).setScale(scale);
            }
            default -> BigDecimal.valueOf(source.storedInteger(index)).setScale(scale);
        };
    }

    /** Returns a DATE, in days since 1970-01-01. */
    public final int getDate(int index) {
        SlotReader source = expect(index, SlotKind.DATE);
        return source.memory.getInt(source.slot(index));
    }

    /** Returns a TIME, in nanoseconds of the day. */
    public final long getTime(int index) {
        SlotKind kind = kind(index);
        if (kind != SlotKind.TIME_MILLIS && kind != SlotKind.TIME_NANOS) {
            throw wrongType(index, "TIME");
        }
        SlotReader source = source(index);
        int slot = source.slot(index);
        long nanos =
                source.storedKind(index) == SlotKind.TIME_MILLIS
                        ? (long) source.memory.getInt(slot) * TemporalPrecision.NANOS_PER_MILLI
                        : source.memory.getLong(slot);
        if (nanos < 0 || nanos >= TemporalPrecision.NANOS_PER_DAY) {
            throw source.corrupt(index, "is no time of day, nanosOfDay=" + nanos);
        }
        return nanos;
    }

    /** Returns the milliseconds since 1970-01-01T00:00:00 of a TIMESTAMP or TIMESTAMP_LTZ. */
    public final long getTimestampMillis(int index) {
        expectTimestamp(index);
        SlotReader source = source(index);
        return source.memory.getLong(source.slot(index));
    }

    /** Returns the nanoseconds of the millisecond of a TIMESTAMP or TIMESTAMP_LTZ. */
    public final int getTimestampNanosOfMilli(int index) {
        expectTimestamp(index);
        SlotReader source = source(index);
        if (source.storedKind(index) == SlotKind.TIMESTAMP_MILLIS) {
            return 0;
        }
        int nanos = source.memory.getInt(source.slot(index) + 8);
        if (nanos < 0 || nanos >= TemporalPrecision.NANOS_PER_MILLI) {
            throw source.corrupt(index, "has too many nanoseconds, nanosOfMilli=" + nanos);
        }
        return nanos;
    }

    /** Points {@code value} at a string of any type. */
    public final void getBytes(int index, BytesView value) {
        if (!kind(index).isString()) {
            throw wrongType(index, "a string");
        }
        source(index).variable(index, value);
    }

    /** Returns a text; allocates. */
    public final String getString(int index) {
        if (kind(index) != SlotKind.TEXT) {
            throw wrongType(index, "text");
        }
        BytesView bytes = new BytesView();
        source(index).variable(index, bytes);
        return Utf8.get(bytes.memory(), bytes.offset(), bytes.length());
    }

    /** Points {@code value} at an ARRAY; it must have been made for the type of the elements. */
    public final void getArray(int index, ArrayFlyweight value) {
        expect(index, SlotKind.ARRAY).nested(index, value.bytes());
        value.wrapBytes();
    }

    /** Points {@code value} at a MAP; it must have been made for the types of keys and values. */
    public final void getMap(int index, MapFlyweight value) {
        expect(index, SlotKind.MAP).nested(index, value.bytes());
        value.wrapBytes();
    }

    /** Points {@code value} at a ROW; it must have been made for the nested type. */
    public final void getRow(int index, RowFlyweight value) {
        expect(index, SlotKind.ROW).nested(index, value.bytes());
        value.wrapBytes();
    }

    /** NULL has no nested value to point at. */
    private void nested(int index, BytesView value) {
        if (isNull(index)) {
            throw new IllegalStateException(
                    "value is NULL: index=" + index + " type=" + type(index));
        }
        variable(index, value);
    }

    private void variable(int index, BytesView value) {
        int slot = slot(index);
        long word = memory.getLong(slot);
        if (word < 0) {
            int inlineLength = (int) (word >>> 56) & 0x7f;
            if (inlineLength > StructLayout.INLINE_LENGTH_MAX) {
                throw corrupt(index, "has an invalid inline length, length=" + inlineLength);
            }
            value.wrap(memory, slot, inlineLength);
            return;
        }
        if (word == 0 && isNull(index)) {
            value.wrap(memory, start, 0);
            return;
        }
        int offset = (int) word;
        int byteCount = (int) (word >>> 32);
        if (offset < fixedLength() || byteCount > length - offset) {
            throw corrupt(index, "lies outside its row, offset=" + offset + " length=" + byteCount);
        }
        value.wrap(memory, start + offset, byteCount);
    }

    private long storedInteger(int index) {
        int slot = slot(index);
        return switch (storedKind(index)) {
            case INT8 -> memory.getByte(slot);
            case INT16 -> memory.getShort(slot);
            case INT32 -> memory.getInt(slot);
            case INT64 -> memory.getLong(slot);
            default ->
                    throw new IllegalStateException(
                            "no conversion: from=" + storedType(index) + " to=" + type(index));
        };
    }

    private long storedDecimal(int index) {
        long unscaled = memory.getLong(slot(index));
        long bound = Decimals.powerOfTen(((ScalarType) storedType(index)).precision());
        if (unscaled <= -bound || unscaled >= bound) {
            throw corrupt(index, "has more digits than its type, unscaled=" + unscaled);
        }
        return unscaled;
    }

    private BigDecimal storedWideDecimal(int index) {
        ScalarType type = (ScalarType) storedType(index);
        int slot = slot(index);
        BigInteger low = new BigInteger(Long.toUnsignedString(memory.getLong(slot)));
        BigInteger high = BigInteger.valueOf(memory.getLong(slot + 8));
        BigDecimal value = new BigDecimal(high.shiftLeft(64).or(low), type.scale());
        if (value.precision() > type.precision()) {
            throw corrupt(index, "has more digits than its type, value=" + value);
        }
        return value;
    }

    private int slot(int index) {
        return start + slotOffset(index);
    }

    private SlotReader expect(int index, SlotKind expected) {
        if (kind(index) != expected) {
            throw wrongType(index, expected.name());
        }
        return source(index);
    }

    private void expectTimestamp(int index) {
        if (!kind(index).isTimestamp()) {
            throw wrongType(index, "TIMESTAMP");
        }
    }

    private ScalarType decimalType(int index) {
        SlotKind kind = kind(index);
        if (kind != SlotKind.COMPACT_DECIMAL && kind != SlotKind.WIDE_DECIMAL) {
            throw wrongType(index, "DECIMAL");
        }
        return (ScalarType) type(index);
    }

    private IllegalArgumentException wrongType(int index, String wanted) {
        return new IllegalArgumentException(
                "value has another type: index="
                        + index
                        + " expected="
                        + wanted
                        + " actual="
                        + type(index));
    }

    private CorruptDataException corrupt(int index, String problem) {
        return new CorruptDataException(
                "row value "
                        + problem
                        + ": index="
                        + index
                        + " type="
                        + storedType(index)
                        + " rowLength="
                        + length);
    }
}
