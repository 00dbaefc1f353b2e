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

    private static final int SEGMENT_BYTES_MAX = 96 << 10;
    private static final int SPLIT_SEGMENT_SHIFT = 16;
    private static final int SPLIT_SEGMENT_BYTES = 1 << SPLIT_SEGMENT_SHIFT;

    /** Segments whose tags do not spread over both halves may grow up to here, unsplit. */
    private static final int UNSPLIT_SEGMENT_BYTES_MAX = 128 << 10;

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
    private static int nextSegmentBytes(int sizeBytes) {
        int power = Integer.highestOneBit(sizeBytes);
        return sizeBytes == power ? power + power / 2 : 2 * power;
    }

    /**
     * Allocates what a segment is to be replaced by: one larger segment, or several that lie one
     * behind the other and share its tags.
     *
     * @param keyCount the keys in the whole index
     * @return the word of the first, see {@link #successorFor}; 0 if the segment is not filled
     *     enough to justify it or the budget does not allow it
     */
    static long allocateSuccessor(
            EntryLog log, long segment, long expectedKeyCount, long keyCount) {
        int depth = IndexSegment.depth(segment);
        if (depth >= DEPTH_MAX || !isHalfFull(log, segment)) {
            return 0;
        }
        int sizeBytes = nextSegmentBytes(IndexSegment.sizeBytes(segment));
        if (sizeBytes > SEGMENT_BYTES_MAX) {
            int deepest = depth + 1;
            if (expectedKeyCount > 2 * keyCount) {
                deepest = Math.max(deepest, depthFor(expectedKeyCount));
                deepest = Math.min(deepest, depth + log.linesShiftMax() - SPLIT_SEGMENT_SHIFT);
            }
            for (int newDepth = deepest; newDepth > depth; newDepth = towards(newDepth, depth)) {
                if (spreads(log, segment, newDepth)) {
                    long successor = allocate(log, segment, SPLIT_SEGMENT_BYTES, newDepth);
                    if (successor != 0) {
                        return successor;
                    }
                }
            }
        }
        return sizeBytes > UNSPLIT_SEGMENT_BYTES_MAX ? 0 : allocate(log, segment, sizeBytes, depth);
    }

    /** From the deepest split to the plain one to none. */
    private static int towards(int newDepth, int depth) {
        return newDepth > depth + 1 ? depth + 1 : depth;
    }

    private static long allocate(EntryLog log, long segment, int sizeBytes, int newDepth) {
        int count = 1 << (newDepth - IndexSegment.depth(segment));
        int unit = log.allocateLines(count * sizeBytes);
        if (unit == 0) {
            return 0;
        }
        for (int i = count - 1; i > 0; i--) {
            initialize(log, unit + i * units(sizeBytes), sizeBytes, newDepth);
        }
        return initialize(log, unit, sizeBytes, newDepth);
    }

    /** Returns which of the segments that replace {@code segment} holds a tag. */
    static long successorFor(long segment, long successor, int tag) {
        int newDepth = IndexSegment.depth(successor);
        int count = 1 << (newDepth - IndexSegment.depth(segment));
        int number = (tag >>> (SlotIndex.TAG_BITS - newDepth)) & (count - 1);
        return successor + (long) number * units(IndexSegment.sizeBytes(successor));
    }

    /** Returns the bytes of all segments that replace {@code segment}. */
    static int successorBytes(long segment, long successor) {
        return IndexSegment.sizeBytes(successor)
                << (IndexSegment.depth(successor) - IndexSegment.depth(segment));
    }

    private static int units(int sizeBytes) {
        return sizeBytes >>> EntryLayout.UNIT_SHIFT;
    }

    /**
     * Returns whether at least half of the slots are filled: only then does growing help. Tags that
     * were chosen to crowd a few lines cannot make the index larger than that.
     */
    private static boolean isHalfFull(EntryLog log, long segment) {
        OffHeapMemory memory = log.memory(IndexSegment.unit(segment));
        int start = log.offset(IndexSegment.unit(segment)) + SlotIndex.LINE_BYTES;
        int slots = IndexSegment.lines(segment) * SlotIndex.SLOTS_PER_LINE;
        int filled = 0;
        for (int i = 0; i < slots; i++) {
            int unit = SlotIndex.unitOfSlot(memory.getLong(start + i * Long.BYTES));
            filled += (unit | -unit) >>> 31;
        }
        return 2 * filled >= slots;
    }

    /** Returns the depth at which segments of 64 KiB, grown once if need be, hold so many keys. */
    private static int depthFor(long keyCount) {
        long perSegment = keysPerSegment(SEGMENT_BYTES_MAX);
        int depth = 1;
        while (depth < DEPTH_MAX && perSegment << depth < keyCount) {
            depth++;
        }
        return depth;
    }

    /**
     * Returns whether the tags of a segment spread evenly enough over segments of a larger depth
     * for each to have room to spare.
     */
    private static boolean spreads(EntryLog log, long segment, int newDepth) {
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
