package dev.tarn.codec;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The frozen 64-bit hash of Tarn: memtable index, filters, block fingerprints and bucket choice.
 *
 * <p>It folds 128-bit products, as the wyhash family does. The function is on disk and never
 * changes; docs/formats/hash.md defines it and lists the test vectors. It does not resist attackers
 * who choose keys to collide.
 *
 * <p>Threads: stateless.
 */
public final class Hash64 {
    private static final long SEED = 0x9e3779b97f4a7c15L;
    private static final long P0 = 0xa0761d6478bd642fL;
    private static final long P1 = 0xe7037ed1a0b428dbL;
    private static final long P2 = 0x8ebc6af09c88c6e3L;
    private static final long P3 = 0x589965cc75374cc3L;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private Hash64() {}

    /** Hashes the bytes of a view. */
    public static long hash(BytesView bytes) {
        return hash(bytes.memory(), bytes.offset(), bytes.length());
    }

    /** Hashes a range of off-heap memory. */
    public static long hash(OffHeapMemory memory, int offset, int length) {
        // Most keys, in a method short enough that the JIT always inlines it.
        if (length >= Long.BYTES && length <= 2 * Long.BYTES) {
            long first = memory.getLong(offset);
            long last = memory.getLong(offset + length - Long.BYTES);
            return finish(first, last, SEED ^ P0, length);
        }
        return hashAnyLength(memory, offset, length);
    }

    private static long hashAnyLength(OffHeapMemory memory, int offset, int length) {
        long seed = SEED ^ P0;
        long a;
        long b;
        if (length <= 16) {
            if (length >= 8) {
                a = memory.getLong(offset);
                b = memory.getLong(offset + length - 8);
            } else if (length >= 4) {
                a = memory.getInt(offset) & 0xffffffffL;
                b = memory.getInt(offset + length - 4) & 0xffffffffL;
            } else if (length > 0) {
                a =
                        ((memory.getByte(offset) & 0xffL) << 16)
                                | ((memory.getByte(offset + (length >>> 1)) & 0xffL) << 8)
                                | (memory.getByte(offset + length - 1) & 0xffL);
                b = 0;
            } else {
                a = 0;
                b = 0;
            }
        } else {
            int end = offset + length;
            int at = offset;
            if (length > 48) {
                long seed1 = seed;
                long seed2 = seed;
                do {
                    seed = fold(memory.getLong(at) ^ P1, memory.getLong(at + 8) ^ seed);
                    seed1 = fold(memory.getLong(at + 16) ^ P2, memory.getLong(at + 24) ^ seed1);
                    seed2 = fold(memory.getLong(at + 32) ^ P3, memory.getLong(at + 40) ^ seed2);
                    at += 48;
                } while (end - at > 48);
                seed ^= seed1 ^ seed2;
            }
            while (end - at > 16) {
                seed = fold(memory.getLong(at) ^ P1, memory.getLong(at + 8) ^ seed);
                at += 16;
            }
            a = memory.getLong(end - 16);
            b = memory.getLong(end - 8);
        }
        return finish(a, b, seed, length);
    }

    /** Hashes a range of a heap array; equal bytes give the hash they have off-heap. */
    public static long hash(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length >= Long.BYTES && length <= 2 * Long.BYTES) {
            long first = (long) LONG.get(bytes, offset);
            long last = (long) LONG.get(bytes, offset + length - Long.BYTES);
            return finish(first, last, SEED ^ P0, length);
        }
        return hashAnyLength(bytes, offset, length);
    }

    private static long hashAnyLength(byte[] bytes, int offset, int length) {
        long seed = SEED ^ P0;
        long a;
        long b;
        if (length <= 16) {
            if (length >= 8) {
                a = (long) LONG.get(bytes, offset);
                b = (long) LONG.get(bytes, offset + length - 8);
            } else if (length >= 4) {
                a = (int) INT.get(bytes, offset) & 0xffffffffL;
                b = (int) INT.get(bytes, offset + length - 4) & 0xffffffffL;
            } else if (length > 0) {
                a =
                        ((bytes[offset] & 0xffL) << 16)
                                | ((bytes[offset + (length >>> 1)] & 0xffL) << 8)
                                | (bytes[offset + length - 1] & 0xffL);
                b = 0;
            } else {
                a = 0;
                b = 0;
            }
        } else {
            int end = offset + length;
            int at = offset;
            if (length > 48) {
                long seed1 = seed;
                long seed2 = seed;
                do {
                    seed =
                            fold(
                                    (long) LONG.get(bytes, at) ^ P1,
                                    (long) LONG.get(bytes, at + 8) ^ seed);
                    seed1 =
                            fold(
                                    (long) LONG.get(bytes, at + 16) ^ P2,
                                    (long) LONG.get(bytes, at + 24) ^ seed1);
                    seed2 =
                            fold(
                                    (long) LONG.get(bytes, at + 32) ^ P3,
                                    (long) LONG.get(bytes, at + 40) ^ seed2);
                    at += 48;
                } while (end - at > 48);
                seed ^= seed1 ^ seed2;
            }
            while (end - at > 16) {
                seed = fold((long) LONG.get(bytes, at) ^ P1, (long) LONG.get(bytes, at + 8) ^ seed);
                at += 16;
            }
            a = (long) LONG.get(bytes, end - 16);
            b = (long) LONG.get(bytes, end - 8);
        }
        return finish(a, b, seed, length);
    }

    private static long finish(long a, long b, long seed, int length) {
        a ^= P1;
        b ^= seed;
        long low = a ^ (a * b);
        long high = b ^ unsignedMultiplyHigh(a, b);
        return fold(low ^ P0 ^ length, high ^ P1);
    }

    /**
     * Folds a product with its own factors. Without them a factor of zero would absorb the other
     * (one eight-byte prefix would hash all keys behind it alike), and in {@link #finish} swapped
     * factors would collide.
     */
    private static long fold(long a, long b) {
        return (a ^ (a * b)) ^ (b ^ unsignedMultiplyHigh(a, b));
    }

    /**
     * {@code Math.unsignedMultiplyHigh} is Java 18; the signed one with its correction is as fast.
     */
    private static long unsignedMultiplyHigh(long a, long b) {
        return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
    }
}
