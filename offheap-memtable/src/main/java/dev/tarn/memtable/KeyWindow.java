package dev.tarn.memtable;

import dev.tarn.memory.OffHeapMemory;

/**
 * The four bytes by which a set of keys is told apart best: the first bits in which they differ.
 *
 * <p>All keys of the set share {@link #commonLength} bytes, then {@link #commonBits} bits; the
 * window is the 32 bits behind, zeros standing for what a key is too short for. Windows order as
 * the keys do, unsigned; equal ones decide nothing.
 */
final class KeyWindow {
    /** A window of 64 bits is looked at, so that 32 remain however many are common. */
    private static final int COMMON_BITS_MAX = 32;

    final int commonLength;
    final int commonBits;

    /** The common bits and whatever bits of some key follow. */
    private final long commonWindow;

    KeyWindow(int commonLength, int commonBits, long commonWindow) {
        this.commonLength = commonLength;
        this.commonBits = Math.min(commonBits, COMMON_BITS_MAX);
        this.commonWindow = commonWindow;
    }

    /** Returns the 64 bits of a key behind {@code commonLength} bytes, as a big-endian number. */
    static long window64(OffHeapMemory memory, int keyOffset, int keyLength, int commonLength) {
        int remaining = keyLength - commonLength;
        if (remaining >= Long.BYTES) {
            return memory.getLongBigEndian(keyOffset + commonLength);
        }
        long window = 0;
        for (int i = 0; i < remaining; i++) {
            long bits = memory.getUnsignedByte(keyOffset + commonLength + i);
            window |= bits << (56 - i * Byte.SIZE);
        }
        return window;
    }

    /** Returns the window in the upper 32 bits; the lower ones are 0. */
    long of(long window64) {
        return window64 << commonBits & 0xffffffff00000000L;
    }

    /**
     * Compares the common bits: negative if a key with this window is smaller than all keys of the
     * set, positive if it is larger, 0 if its window decides.
     */
    int compareCommonBits(long window64) {
        return commonBits == 0
                ? 0
                : Long.compare(window64 >>> (64 - commonBits), commonWindow >>> (64 - commonBits));
    }
}
