package dev.tarn.jmh.data;

import dev.tarn.memory.OffHeapMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * The keys and values of a benchmark, computed from a record's number so that no table of keys
 * competes with the store for cache lines.
 *
 * <p>A record is named by its <em>prefix</em>: the first eight bytes of its key, big-endian. {@link
 * #prefix} maps record numbers one to one onto prefixes that look random, so numbers in order are
 * keys in random order, and any number never stored is a key that is certainly absent. Longer keys
 * go on with words computed from the prefix. Values start with the prefix and go on with bytes that
 * do not compress.
 *
 * <p>Threads: immutable.
 */
public final class Records {
    /** What reading a value yields when the key is absent; no value sums up to it by design. */
    public static final long ABSENT = Long.MIN_VALUE;

    private static final VarHandle BIG_ENDIAN =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LITTLE_ENDIAN =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    /** Where values take their bytes from; small enough to stay in the second-level cache. */
    private static final int POOL_LENGTH = 1 << 16;

    private final int keyLength;
    private final int valueLength;
    private final byte[] pool;
    private final OffHeapMemory poolMemory;
    private final ByteBuffer poolBuffer;

    /**
     * Describes records.
     *
     * @param keyLength bytes, a positive multiple of 8
     * @param valueLength bytes, at least 24
     */
    public Records(int keyLength, int valueLength) {
        if (keyLength < 8 || keyLength % 8 != 0 || valueLength < 24) {
            throw new IllegalArgumentException(
                    "keyLength must be a multiple of 8 and valueLength at least 24: keyLength="
                            + keyLength
                            + " valueLength="
                            + valueLength);
        }
        this.keyLength = keyLength;
        this.valueLength = valueLength;
        this.poolBuffer =
                ByteBuffer.allocateDirect(POOL_LENGTH + valueLength).order(ByteOrder.LITTLE_ENDIAN);
        this.pool = new byte[POOL_LENGTH + valueLength];
        new SplittableRandom(POOL_LENGTH).nextBytes(pool);
        poolBuffer.put(0, pool);
        this.poolMemory = OffHeapMemory.wrap(poolBuffer);
    }

    /** Returns the prefix of a record: a one-to-one mix of its number. */
    public static long prefix(long number) {
        return mix(number + GOLDEN);
    }

    public int keyLength() {
        return keyLength;
    }

    public int valueLength() {
        return valueLength;
    }

    /** Writes the key at the start of an array. */
    public void writeKey(long prefix, byte[] target) {
        BIG_ENDIAN.set(target, 0, prefix);
        for (int i = 8; i < keyLength; i += 8) {
            BIG_ENDIAN.set(target, i, mix(prefix + i));
        }
    }

    /** Writes the key at the start of a big-endian buffer, whose position stays. */
    public void writeKey(long prefix, ByteBuffer target) {
        target.putLong(0, prefix);
        for (int i = 8; i < keyLength; i += 8) {
            target.putLong(i, mix(prefix + i));
        }
    }

    /** Writes the key off-heap. */
    public void writeKey(long prefix, OffHeapMemory target, int offset) {
        target.putLong(offset, Long.reverseBytes(prefix));
        for (int i = 8; i < keyLength; i += 8) {
            target.putLong(offset + i, Long.reverseBytes(mix(prefix + i)));
        }
    }

    /** Writes the value at the start of an array. */
    public void writeValue(long prefix, byte[] target) {
        System.arraycopy(pool, poolOffset(prefix), target, 0, valueLength);
        LITTLE_ENDIAN.set(target, 0, prefix);
    }

    /** Writes the value at the start of a little-endian buffer, whose position stays. */
    public void writeValue(long prefix, ByteBuffer target) {
        target.put(0, poolBuffer, poolOffset(prefix), valueLength);
        target.putLong(0, prefix);
    }

    /** Writes the value off-heap. */
    public void writeValue(long prefix, OffHeapMemory target, int offset) {
        poolMemory.copyTo(poolOffset(prefix), target, offset, valueLength);
        target.putLong(offset, prefix);
    }

    /** Returns what {@link #sum} of the record's value must be. */
    public long expectedSum(long prefix) {
        byte[] value = new byte[valueLength];
        writeValue(prefix, value);
        return sum(value);
    }

    /**
     * Reads a value's first, middle and last eight bytes: the least that touches every cache line
     * of 100 bytes, the same for all stores.
     */
    public static long sum(byte[] value) {
        int length = value.length;
        return (long) LITTLE_ENDIAN.get(value, 0)
                + (long) LITTLE_ENDIAN.get(value, (length >>> 1) - 4)
                + (long) LITTLE_ENDIAN.get(value, length - 8);
    }

    /** Reads the bytes of a little-endian buffer from {@code offset} as {@link #sum(byte[])}. */
    public static long sum(ByteBuffer value, int offset, int length) {
        return value.getLong(offset)
                + value.getLong(offset + (length >>> 1) - 4)
                + value.getLong(offset + length - 8);
    }

    /** Reads off-heap bytes as {@link #sum(byte[])}. */
    public static long sum(OffHeapMemory value, int offset, int length) {
        return value.getLong(offset)
                + value.getLong(offset + (length >>> 1) - 4)
                + value.getLong(offset + length - 8);
    }

    private static int poolOffset(long prefix) {
        return (int) prefix & (POOL_LENGTH - 1);
    }

    /** The finaliser of splitmix64, which is a bijection. */
    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
