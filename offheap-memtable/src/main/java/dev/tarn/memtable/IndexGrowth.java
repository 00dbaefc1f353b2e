package dev.tarn.memtable;

import dev.tarn.memory.OffHeapMemory;

/**
 * How large the segments of an index are, and when they grow.
 *
 * <p>A segment grows by halves and thirds in turn, 2^k, 1.5 * 2^k, 2^(k+1), so that at most a third
 * of its slots is given for nothing, and is split in two of 64 KiB when 96 KiB are full.
 */
final class IndexGrowth {
    static final int FIRST_SEGMENT_BYTES = 512;
    static final int SEGMENT_BYTES_MAX = 96 << 10;
    static final int SPLIT_SEGMENT_BYTES = 64 << 10;

    /** Segments whose tags do not spread over both halves may grow up to here, unsplit. */
    static final int UNSPLIT_SEGMENT_BYTES_MAX = 128 << 10;

    /** The directory never gets deeper: 2^20 segments hold more keys than 32 GiB of entries. */
    private static final int DEPTH_MAX = 20;

    /**
     * So many of 1024 slots are outside their home line when a segment is 70 % full; a count that
     * is touched by few writes and tells the load to within a percent.
     */
    private static final int OVERFLOW_PER_1024_SLOTS = 48;

    /** Where an index of known size should end up: fuller means more overflow. */
    private static final double EXPECTED_LOAD = 0.65;

    private IndexGrowth() {}

    /** Prepares the header of a zeroed segment and returns its word. */
    static long initialize(EntryLog log, int unit, int sizeBytes, int depth) {
        int lines = sizeBytes / SlotIndex.LINE_BYTES - 1;
        log.memory(unit)
                .putInt(
                        log.offset(unit) + SlotIndex.OVERFLOW_LIMIT_OFFSET,
                        overflowLimit(lines * SlotIndex.SLOTS_PER_LINE));
        return IndexSegment.word(unit, lines, depth);
    }

    private static int overflowLimit(int slots) {
        return Math.max(2, (int) (((long) slots * OVERFLOW_PER_1024_SLOTS) >>> 10));
    }

    /** Returns the next size up; above {@link #SEGMENT_BYTES_MAX} a segment is split instead. */
    static int nextSegmentBytes(int sizeBytes) {
        int power = Integer.highestOneBit(sizeBytes);
        return sizeBytes == power ? power + power / 2 : 2 * power;
    }

    /**
     * Returns whether at least half of the slots are filled: only then does growing help. Tags that
     * were chosen to crowd a few lines cannot make the index larger than that.
     */
    static boolean isWorthwhile(EntryLog log, long segment) {
        if (IndexSegment.depth(segment) >= DEPTH_MAX) {
            return false;
        }
        OffHeapMemory memory = log.memory(IndexSegment.unit(segment));
        int start = log.offset(IndexSegment.unit(segment)) + SlotIndex.LINE_BYTES;
        int lines = IndexSegment.lines(segment);
        int filled = 0;
        for (int line = 0; line < lines; line++) {
            filled += SlotIndex.filledInLine(memory, start + line * SlotIndex.LINE_BYTES);
        }
        return 2 * filled >= lines * SlotIndex.SLOTS_PER_LINE;
    }

    /** Returns the depth at which segments of at most 96 KiB hold so many keys. */
    static int depthFor(long keyCount) {
        long perSegment = keysPerSegment(SEGMENT_BYTES_MAX);
        int depth = 1;
        while (depth < DEPTH_MAX && perSegment << depth < keyCount) {
            depth++;
        }
        return depth;
    }

    /** Returns the size of segments at that depth, when so many keys are expected. */
    static int splitSegmentBytes(long expectedKeyCount, int depth) {
        return keysPerSegment(SPLIT_SEGMENT_BYTES) << depth < expectedKeyCount
                        && keysPerSegment(SEGMENT_BYTES_MAX) << depth >= expectedKeyCount
                ? SEGMENT_BYTES_MAX
                : SPLIT_SEGMENT_BYTES;
    }

    /**
     * Returns whether the tags of a segment spread evenly enough over segments of a larger depth
     * for each to have room to spare.
     */
    static boolean spreads(EntryLog log, long segment, int newDepth) {
        OffHeapMemory memory = log.memory(IndexSegment.unit(segment));
        int start = log.offset(IndexSegment.unit(segment)) + SlotIndex.LINE_BYTES;
        int end = start + IndexSegment.lines(segment) * SlotIndex.LINE_BYTES;
        int[] counts = new int[1 << (newDepth - IndexSegment.depth(segment))];
        int shift = SlotIndex.TAG_BITS - newDepth;
        for (int offset = start; offset < end; offset += Long.BYTES) {
            long slot = memory.getLong(offset);
            if (SlotIndex.unitOfSlot(slot) != 0) {
                counts[SlotIndex.tagOfSlot(slot) >>> shift & (counts.length - 1)]++;
            }
        }
        long most = keysPerSegment(SPLIT_SEGMENT_BYTES);
        for (int count : counts) {
            if (count > most) {
                return false;
            }
        }
        return true;
    }

    private static long keysPerSegment(int sizeBytes) {
        int slots = (sizeBytes / SlotIndex.LINE_BYTES - 1) * SlotIndex.SLOTS_PER_LINE;
        return (long) (slots * EXPECTED_LOAD);
    }
}
