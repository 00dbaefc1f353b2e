package dev.tarn.codec;

import dev.tarn.memory.OffHeapMemory;

/**
 * Unsigned integers in 7-bit groups, least significant first; the high bit says that more follow.
 *
 * <p>Threads: stateless. Units: offsets and lengths in bytes.
 *
 * <p>Errors: reading checks that the number ends before {@code limit} and fits; what it throws is
 * {@link MalformedVarintException}, which decoders turn into their own corruption error.
 */
public final class Varint {
    public static final int INT_LENGTH_MAX = 5;
    public static final int LONG_LENGTH_MAX = 10;

    private Varint() {}

    /** Thrown when bytes are no varint; has no stack trace, since decoders wrap it. */
    public static final class MalformedVarintException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MalformedVarintException(String message) {
            super(message, null, false, false);
        }
    }

    /** Returns the encoded length of {@code value}, taken as unsigned. */
    public static int length(long value) {
        return (63 - Long.numberOfLeadingZeros(value | 1)) / 7 + 1;
    }

    /** Returns the encoded length of {@code value}, taken as unsigned. */
    public static int length(int value) {
        return (31 - Integer.numberOfLeadingZeros(value | 1)) / 7 + 1;
    }

    /** Writes {@code value}, taken as unsigned, and returns the offset behind it. */
    public static int putInt(OffHeapMemory memory, int offset, int value) {
        return putLong(memory, offset, value & 0xffffffffL);
    }

    /** Writes {@code value}, taken as unsigned, and returns the offset behind it. */
    public static int putLong(OffHeapMemory memory, int offset, long value) {
        while ((value & ~0x7fL) != 0) {
            memory.putByte(offset++, (byte) (value | 0x80));
            value >>>= 7;
        }
        memory.putByte(offset++, (byte) value);
        return offset;
    }

    /**
     * Reads a number of up to 32 bits.
     *
     * @param limit the offset that the number must end at or before
     * @return the number in the low 32 bits, the offset behind it in the high ones
     */
    public static long getInt(OffHeapMemory memory, int offset, int limit) {
        long value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            if (offset >= limit) {
                throw new MalformedVarintException("varint is cut off: limit=" + limit);
            }
            byte group = memory.getByte(offset++);
            value |= (group & 0x7fL) << shift;
            if (group >= 0) {
                if (value >>> 32 != 0) {
                    break;
                }
                // Only the shortest form is valid, so that equal records have equal bytes.
                if (group == 0 && shift != 0) {
                    throw new MalformedVarintException("varint is not in its shortest form");
                }
                return ((long) offset << 32) | value;
            }
        }
        throw new MalformedVarintException("varint exceeds 32 bits");
    }

    /** Returns the number in what {@link #getInt} returned. */
    public static int value(long read) {
        return (int) read;
    }

    /** Returns the offset behind the number in what {@link #getInt} returned. */
    public static int end(long read) {
        return (int) (read >>> 32);
    }

    /** Reads a number of up to 64 bits; {@link #length(long)} of it gives where it ends. */
    public static long getLong(OffHeapMemory memory, int offset, int limit) {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (offset >= limit) {
                throw new MalformedVarintException("varint is cut off: limit=" + limit);
            }
            byte group = memory.getByte(offset++);
            if (shift == 63 && (group & 0xfe) != 0) {
                break;
            }
            value |= (group & 0x7fL) << shift;
            if (group >= 0) {
                // Only the shortest form is valid, so that the length follows from the value.
                if (group == 0 && shift != 0) {
                    throw new MalformedVarintException("varint is not in its shortest form");
                }
                return value;
            }
        }
        throw new MalformedVarintException("varint exceeds 64 bits");
    }

    /** Maps small negative and positive numbers to small unsigned ones. */
    public static long zigzag(long value) {
        return (value << 1) ^ (value >> 63);
    }

    /** Undoes {@link #zigzag}. */
    public static long unzigzag(long value) {
        return (value >>> 1) ^ -(value & 1);
    }
}
