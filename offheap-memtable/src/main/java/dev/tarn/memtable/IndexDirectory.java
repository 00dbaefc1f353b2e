package dev.tarn.memtable;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The segments of an index by the upper bits of the tag: entry {@code tag >>> shift} holds the
 * {@link IndexSegment} word. A segment of less depth than the directory stands in several entries.
 *
 * <p>Threads: entries are read by any thread with acquire and written with release, by the writer
 * in single mode and by compare-and-set in multi mode.
 */
final class IndexDirectory {
    final int depth;
    final int shift;
    final AtomicLongArray entries;

    IndexDirectory(int depth) {
        this.depth = depth;
        this.shift = SlotIndex.TAG_BITS - depth;
        this.entries = new AtomicLongArray(1 << depth);
    }

    /** The index of the first entry of the segment that holds a tag. */
    int firstEntry(int tag, int segmentDepth) {
        int entriesOfSegment = 1 << (depth - segmentDepth);
        return (tag >>> shift) & -entriesOfSegment;
    }
}
