package dev.tarn.engine.internal.iterator;

import dev.tarn.memory.OffHeapMemory;

/**
 * The first eight bytes of a key as a number that compares, unsigned, as they do; what a shorter
 * key lacks is zero, so that keys of equal prefixes still have to be compared.
 */
public final class KeyPrefix {
    private KeyPrefix() {}

    public static long of(OffHeapMemory memory, int offset, int length) {
        if (length >= Long.BYTES) {
            return memory.getLongBigEndian(offset);
        }
        long prefix = 0;
        for (int i = 0; i < length; i++) {
            prefix |= (long) memory.getUnsignedByte(offset + i) << (Long.SIZE - 8 - 8 * i);
        }
        return prefix;
    }
}
