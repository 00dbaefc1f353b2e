package dev.tarn.sst.cache;

import dev.tarn.memory.OffHeapMemory;

/** How many frames a capacity allows, once their headers and tables are paid for. */
final class CacheSizing {
    /** Fewer could not hold a block, its successor and two pins at once. */
    static final int FRAME_COUNT_MIN = 4;

    /** As many headers as one memory holds. */
    private static final int FRAME_COUNT_MAX = OffHeapMemory.CAPACITY_MAX / FrameTable.HEADER_BYTES;

    private CacheSizing() {}

    /** Returns the most frames that fit into the capacity, tables included. */
    static int frameCount(BlockCacheOptions options) {
        long upper = options.capacityBytes() / options.frameBytes();
        int lower = 0;
        // Exclusive upper bound, never below the inclusive lower one.
        long end = Math.min(upper, FRAME_COUNT_MAX) + 1;
        while (end - lower > 1) {
            int middle = (int) ((lower + end) >>> 1);
            if (bytes(middle, options.frameBytes()) <= options.capacityBytes()) {
                lower = middle;
            } else {
                end = middle;
            }
        }
        if (lower < FRAME_COUNT_MIN) {
            throw new IllegalArgumentException(
                    "block cache needs capacity for "
                            + FRAME_COUNT_MIN
                            + " frames: capacityBytes="
                            + options.capacityBytes()
                            + " frameBytes="
                            + options.frameBytes()
                            + " bytesNeeded="
                            + bytes(FRAME_COUNT_MIN, options.frameBytes()));
        }
        return lower;
    }

    private static long bytes(int frameCount, int frameBytes) {
        return (long) frameCount * (frameBytes + FrameTable.HEADER_BYTES + FrameQueues.LINK_BYTES)
                + (long) FrameIndex.slotCount(frameCount) * FrameIndex.SLOT_BYTES
                + (long) GhostTable.entryCount(frameCount) * GhostTable.ENTRY_BYTES;
    }
}
