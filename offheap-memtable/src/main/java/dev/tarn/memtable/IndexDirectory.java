package dev.tarn.memtable;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

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

    private final AtomicReference<@Nullable IndexDirectory> next = new AtomicReference<>();

    IndexDirectory(int depth) {
        this.depth = depth;
        this.shift = SlotIndex.TAG_BITS - depth;
        this.entries = new AtomicLongArray(1 << depth);
    }

    /** The directory of twice the size that replaces this one; the same for every caller. */
    IndexDirectory next() {
        IndexDirectory present = next.get();
        if (present != null) {
            return present;
        }
        IndexDirectory proposed = new IndexDirectory(depth + 1);
        return next.compareAndSet(null, proposed) ? proposed : requireNonNull(next.get());
    }

    /** Keeps an entry from ever changing again, and returns it without the mark. */
    long freeze(int entry) {
        while (true) {
            long segment = entries.get(entry);
            if ((segment & IndexSegment.FROZEN) != 0
                    || entries.compareAndSet(entry, segment, segment | IndexSegment.FROZEN)) {
                return segment & ~IndexSegment.FROZEN;
            }
        }
    }

    /** The index of the first entry of the segment that holds a tag. */
    int firstEntry(int tag, int segmentDepth) {
        int entriesOfSegment = 1 << (depth - segmentDepth);
        return (tag >>> shift) & -entriesOfSegment;
    }
}
