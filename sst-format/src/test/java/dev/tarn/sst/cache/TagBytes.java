package dev.tarn.sst.cache;

import dev.tarn.memory.OffHeapMemory;

/** Block contents that follow from the tag, so that every read can be checked. */
final class TagBytes {
    private TagBytes() {}

    static void fill(OffHeapMemory target, int targetOffset, int length, long tag) {
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            target.putLong(targetOffset + i, word(tag, i));
        }
        for (; i < length; i++) {
            target.putByte(targetOffset + i, (byte) word(tag, i));
        }
    }

    /** Returns the first position that does not hold the block's bytes, or -1. */
    static int firstWrong(OffHeapMemory source, int sourceOffset, int length, long tag) {
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            if (source.getLong(sourceOffset + i) != word(tag, i)) {
                return i;
            }
        }
        for (; i < length; i++) {
            if (source.getByte(sourceOffset + i) != (byte) word(tag, i)) {
                return i;
            }
        }
        return -1;
    }

    static BlockLoader loader(long tag) {
        return (target, targetOffset, rawLength) -> fill(target, targetOffset, rawLength, tag);
    }

    private static long word(long tag, int position) {
        return (tag + 0x632be59bd9b4e019L * (position + 1)) * 0x9e3779b97f4a7c15L;
    }
}
