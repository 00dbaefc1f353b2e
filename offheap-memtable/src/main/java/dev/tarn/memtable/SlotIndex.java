package dev.tarn.memtable;

import dev.tarn.memory.ClosedException;
import dev.tarn.memory.OffHeapMemory;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * The hash index of a memtable: from the hash of a key to the newest entry of its chain.
 *
 * <p>The index is made of segments, found through a small {@link IndexDirectory} by the upper bits
 * of the tag, which are the upper 31 bits of the hash. A segment is a header line and lines of
 * eight slots, 64 bytes each. A key's home line comes from the next bits of the tag by
 * multiplication, so it grows with the tag: a larger segment, or two, are filled from a smaller one
 * in one sequential pass that looks at no entry.
 *
 * <pre>
 * slot   bits 33-63 tag, bit 32 frozen (multi mode), bits 0-31 unit of the newest entry; 0 empty
 *
 * header line of a segment
 * offset  size  field          notes
 * 0       4     overflowCount  slots that are not in their home line
 * 4       4     overflowLimit  at so many the segment grows
 * 8       8     next           the segment that replaces this one (multi mode)
 * 16      8     retired        1 once somebody took it upon himself to retire this (multi mode)
 * 24      40    zero
 * </pre>
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The slots of a line are filled from left to right and never emptied; a tag goes to its home
 *       line, and to the next line only when that is full. So whoever looks for a tag, to read or
 *       to write it, passes the same slots and stops at the same one, and no tag has two slots.
 *   <li>Keys that share a tag share a chain: readers compare keys, writers need not.
 *   <li>A segment is replaced only by one that holds all its slots.
 * </ol>
 *
 * <p>Publication: the store to a slot publishes the entry and its chain; the store to a directory
 * entry publishes a segment and its slots.
 *
 * <p>Threads: {@link #find} by any thread beside the writers.
 */
final class SlotIndex {
    static final int LINE_BYTES = 64;
    static final int SLOTS_PER_LINE = 8;
    static final int TAG_BITS = 31;

    static final int OVERFLOW_COUNT_OFFSET = 0;
    static final int OVERFLOW_LIMIT_OFFSET = 4;
    static final int NEXT_OFFSET = 8;
    static final int RETIRED_OFFSET = 16;

    static final long SLOT_FROZEN = 1L << 32;

    private static final int TAG_SHIFT = 64 - TAG_BITS;
    private static final int SLOT_TAG_SHIFT = 33;

    /** Takes the place of the directory once the memory is given back. */
    private static final IndexDirectory CLOSED = new IndexDirectory(0);

    private static final AtomicReferenceFieldUpdater<SlotIndex, IndexDirectory> DIRECTORY =
            AtomicReferenceFieldUpdater.newUpdater(
                    SlotIndex.class, IndexDirectory.class, "directory");

    private final EntryLog log;

    /** Replaced when it doubles; equal references mean that it was not replaced in between. */
    volatile IndexDirectory directory = new IndexDirectory(0);

    SlotIndex(EntryLog log) {
        this.log = log;
    }

    /** The upper bits of a hash, as a non-negative number. */
    static int tag(long hash) {
        return (int) (hash >>> TAG_SHIFT);
    }

    static int tagOfSlot(long slot) {
        return (int) (slot >>> SLOT_TAG_SHIFT);
    }

    static int unitOfSlot(long slot) {
        return (int) slot;
    }

    static long slot(int tag, int unit) {
        return ((long) tag << SLOT_TAG_SHIFT) | (unit & 0xffffffffL);
    }

    /** Returns the home line of a tag in a segment, in [0, lines). */
    static int homeLine(int tag, int depth, int lines) {
        long fraction = ((long) tag << (depth + 1)) & 0xffffffffL;
        return (int) ((fraction * lines) >>> 32);
    }

    /**
     * Returns the unit of the newest entry in the chain of a hash, or 0.
     *
     * <p>The chain may hold other keys too.
     */
    int find(long hash) {
        int tag = tag(hash);
        while (true) {
            IndexDirectory current = directory;
            int entry = tag >>> current.shift;
            // Acquire: pairs with the release that installs a segment; publishes its slots.
            long segment = current.entries.getAcquire(entry);
            if (segment == 0) {
                checkOpen(current);
                return 0;
            }
            int unit = findInSegment(segment, tag);
            // Pairs with the release of whoever filled the slot: publishes the entry. A segment
            // that
            // was replaced may be in use for something else; then what was read from it means
            // nothing. The fence keeps this check behind those reads, as in a StampedLock.
            OffHeapMemory.acquireFence();
            if (current.entries.getAcquire(entry) == segment && directory == current) {
                return unit;
            }
        }
    }

    /** Reads the line where a hash belongs, so that {@link #find} soon finds it in the cache. */
    long touch(long hash) {
        int tag = tag(hash);
        IndexDirectory current = directory;
        long segment = current.entries.getAcquire(tag >>> current.shift);
        if (segment == 0) {
            return 0;
        }
        int unit = IndexSegment.unit(segment);
        int line = homeLine(tag, IndexSegment.depth(segment), IndexSegment.lines(segment));
        return log.memory(unit).getLong(log.offset(unit) + (line + 1) * LINE_BYTES);
    }

    /** Makes every later use throw. */
    void close() {
        directory = CLOSED;
    }

    static void checkOpen(IndexDirectory directory) {
        if (directory == CLOSED) {
            throw new ClosedException("memtable is closed");
        }
    }

    private int findInSegment(long segment, int tag) {
        int segmentUnit = IndexSegment.unit(segment);
        OffHeapMemory memory = log.memory(segmentUnit);
        int lines = IndexSegment.lines(segment);
        int line = homeLine(tag, IndexSegment.depth(segment), lines);
        int firstLineOffset = log.offset(segmentUnit) + LINE_BYTES;
        for (int probed = 0; probed < lines; probed++) {
            int offset = firstLineOffset + line * LINE_BYTES;
            long found = matchInLine(memory, offset, tag);
            if (found != 0) {
                return unitOfSlot(found);
            }
            if (unitOfSlot(memory.getLong(offset + LINE_BYTES - Long.BYTES)) == 0) {
                return 0;
            }
            line = line + 1 == lines ? 0 : line + 1;
        }
        return 0;
    }

    /**
     * Returns the slot of a line that has the tag, or 0.
     *
     * <p>All slots are looked at, without a branch: how many are filled, and which one matches, is
     * random, and a branch on it would be mispredicted after each cache miss, so that the misses of
     * successive lookups could not overlap.
     */
    static long matchInLine(OffHeapMemory memory, int offset, int tag) {
        long found = match(memory.getLong(offset), tag);
        found |= match(memory.getLong(offset + 8), tag);
        found |= match(memory.getLong(offset + 16), tag);
        found |= match(memory.getLong(offset + 24), tag);
        found |= match(memory.getLong(offset + 32), tag);
        found |= match(memory.getLong(offset + 40), tag);
        found |= match(memory.getLong(offset + 48), tag);
        found |= match(memory.getLong(offset + 56), tag);
        return found;
    }

    /** Returns the slot if it has the tag, otherwise 0; tag 0 matches empty slots, which are 0. */
    private static long match(long slot, int tag) {
        long difference = slot >>> SLOT_TAG_SHIFT ^ tag;
        return slot & ((difference - 1) >> 63);
    }

    /**
     * Returns how many slots from the left of a line are filled, which is where a tag goes that is
     * in none of them, or -1 if the tag is there or a slot is frozen.
     *
     * <p>Each slot is read once, and those behind the first empty one do not count: otherwise
     * another writer could fill it with this very tag between two looks and go unnoticed.
     */
    static int vacancyInLine(OffHeapMemory memory, int offset, int tag) {
        long filled = 0;
        long taken = 1;
        long found = 0;
        for (int i = 0; i < LINE_BYTES; i += Long.BYTES) {
            long slot = memory.getLong(offset + i);
            found |= match(slot, tag) | (slot & SLOT_FROZEN);
            taken &= (slot | -slot) >>> 63;
            filled += taken;
        }
        return found == 0 ? (int) filled : -1;
    }

    /** Replaces a directory by one of twice the size, or finishes what another thread began. */
    void deepen(IndexDirectory shallow) {
        IndexDirectory deeper = shallow.next();
        for (int i = 0; i < shallow.entries.length(); i++) {
            long segment = shallow.freeze(i);
            // A late helper fails here: its entry was set before, and never goes back to 0.
            deeper.entries.compareAndSet(2 * i, 0, segment);
            deeper.entries.compareAndSet(2 * i + 1, 0, segment);
        }
        // Publishes the entries: pairs with the volatile read in find().
        DIRECTORY.compareAndSet(this, shallow, deeper);
    }
}
