package dev.tarn.sst.block;

import dev.tarn.memory.OffHeapMemory;

/** The eight bytes of a key that a search compares first, and separators between keys. */
public final class KeyPrefix {
    private KeyPrefix() {}

    /**
     * Returns eight bytes of a key, from {@code skipped} on and padded with zeros, as a number that
     * compares unsigned as they do.
     */
    public static long at(OffHeapMemory key, int offset, int length, int skipped) {
        int left = length - skipped;
        if (left >= Long.BYTES) {
            return key.getLongBigEndian(offset + skipped);
        }
        if (left <= 0) {
            return 0;
        }
        if (length >= Long.BYTES) {
            return key.getLongBigEndian(offset + length - Long.BYTES) << (8 * (Long.BYTES - left));
        }
        long prefix = 0;
        for (int i = skipped; i < length; i++) {
            prefix = (prefix << 8) | key.getUnsignedByte(offset + i);
        }
        return prefix << (8 * (Long.BYTES - left));
    }

    /** Returns how many bytes two keys have in common at their start. */
    public static int commonLength(
            OffHeapMemory left,
            int leftOffset,
            int leftLength,
            OffHeapMemory right,
            int rightOffset,
            int rightLength) {
        return OffHeapMemory.mismatch(
                left, leftOffset, right, rightOffset, Math.min(leftLength, rightLength));
    }

    /**
     * Shortens {@code lower} in place to a key that is at least as large and below {@code upper};
     * returns its length, which is that of {@code lower} where nothing shorter exists.
     *
     * @param lower smaller than {@code upper}
     */
    public static int shortenSeparator(
            OffHeapMemory lower,
            int lowerOffset,
            int lowerLength,
            OffHeapMemory upper,
            int upperOffset,
            int upperLength) {
        int common = commonLength(lower, lowerOffset, lowerLength, upper, upperOffset, upperLength);
        if (common == lowerLength) {
            return lowerLength;
        }
        int raised = lower.getUnsignedByte(lowerOffset + common) + 1;
        boolean below =
                raised < upper.getUnsignedByte(upperOffset + common)
                        || (raised == upper.getUnsignedByte(upperOffset + common)
                                && upperLength > common + 1);
        if (below) {
            lower.putByte(lowerOffset + common, (byte) raised);
            return common + 1;
        }
        for (int i = common + 1; i < lowerLength - 1; i++) {
            int value = lower.getUnsignedByte(lowerOffset + i);
            if (value != 0xff) {
                lower.putByte(lowerOffset + i, (byte) (value + 1));
                return i + 1;
            }
        }
        return lowerLength;
    }
}
