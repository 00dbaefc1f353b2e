package dev.tarn.memtable;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.tarn.memory.OffHeapMemory;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes the index in multi mode: every change is a compare-and-set, and a writer that finds a
 * segment or the directory being replaced helps, so none waits for another.
 *
 * <p>Replacing a segment: whoever finds it too full proposes a successor in its header; from then
 * on each writer that comes by freezes its slots one by one, which keeps everybody from changing
 * them, copies each frozen slot to the successor unless its tag is there already, and puts the
 * successor into the directory. All of this may be done by several threads at once and by late
 * ones: copies are idempotent because the successor's slots, too, are filled from left to right and
 * never emptied, and nobody writes to the successor before it is in the directory, which is after
 * one of them has copied everything.
 *
 * <p>Threads: any number, each holding a claimed {@link WriterContext}; beside any readers.
 */
final class SharedIndexWriter {
    private final EntryLog log;
    private final SlotIndex index;
    private final WriterContexts contexts;
    private final long expectedKeyCount;

    private final ReentrantLock retiredMutex = new ReentrantLock();

    /** Segments that were replaced but may still be looked at by writers, oldest first. */
    @GuardedBy("retiredMutex")
    private long[] retiredSegments = new long[8];

    /** The epochs in which they were replaced. */
    @GuardedBy("retiredMutex")
    private long[] retiredEpochs = new long[8];

    @GuardedBy("retiredMutex")
    private int retiredCount;

    SharedIndexWriter(
            EntryLog log, SlotIndex index, WriterContexts contexts, long expectedKeyCount) {
        this.log = log;
        this.index = index;
        this.contexts = contexts;
        this.expectedKeyCount = expectedKeyCount;
    }

    /**
     * Publishes an entry that is written but for its {@code older} link.
     *
     * @return false if there is no slot for it and no memory for more; nothing is published then
     */
    boolean publish(
            WriterContext context, int tag, OffHeapMemory entryMemory, int entryOffset, int unit) {
        while (true) {
            IndexDirectory directory = index.directory;
            // Volatile, not just acquire: must not move before the claim of the context.
            long segment = directory.entries.get(tag >>> directory.shift) & ~IndexSegment.FROZEN;
            if (segment == 0) {
                if (!addFirstSegment(directory)) {
                    return false;
                }
                continue;
            }
            switch (publishIn(segment, context, tag, entryMemory, entryOffset, unit)) {
                case PUBLISHED:
                    return true;
                case REPLACED:
                    replace(segment, tag);
                    break;
                default:
                    if (!grow(segment, tag)) {
                        return false;
                    }
                    break;
            }
        }
    }

    private enum Outcome {
        PUBLISHED,
        REPLACED,
        FULL
    }

    private Outcome publishIn(
            long segment,
            WriterContext context,
            int tag,
            OffHeapMemory entryMemory,
            int entryOffset,
            int unit) {
        int segmentUnit = IndexSegment.unit(segment);
        OffHeapMemory memory = log.memory(segmentUnit);
        int headerOffset = log.offset(segmentUnit);
        int linesOffset = headerOffset + SlotIndex.LINE_BYTES;
        int lines = IndexSegment.lines(segment);
        int home = SlotIndex.homeLine(tag, IndexSegment.depth(segment), lines);
        int line = home;
        for (int probed = 0; probed < lines; probed++) {
            int offset = linesOffset + line * SlotIndex.LINE_BYTES;
            int end = offset + SlotIndex.LINE_BYTES;
            int vacancy = SlotIndex.vacancyInLine(memory, offset, tag);
            if (vacancy >= 0) {
                offset += vacancy * Long.BYTES;
            }
            while (offset < end) {
                long slot = memory.getLongAcquire(offset);
                if ((slot & SlotIndex.SLOT_FROZEN) != 0) {
                    return Outcome.REPLACED;
                }
                if (slot == 0) {
                    // Publishes the entry: pairs with the acquire in SlotIndex.find.
                    if (memory.compareAndSetLong(offset, 0, SlotIndex.slot(tag, unit))) {
                        context.countSlot();
                        if (line != home) {
                            countOverflow(memory, headerOffset, segment, tag);
                        }
                        return Outcome.PUBLISHED;
                    }
                    // Somebody filled this very slot, perhaps with this tag: look again.
                } else if (SlotIndex.tagOfSlot(slot) != tag) {
                    offset += Long.BYTES;
                } else if (link(memory, offset, slot, entryMemory, entryOffset, unit)) {
                    return Outcome.PUBLISHED;
                }
            }
            line = line + 1 == lines ? 0 : line + 1;
        }
        return Outcome.FULL;
    }

    /** Adds the entry to the chain of a slot; returns false if the slot changed meanwhile. */
    private boolean link(
            OffHeapMemory memory,
            int slotOffset,
            long slot,
            OffHeapMemory entryMemory,
            int entryOffset,
            int unit) {
        int newest = SlotIndex.unitOfSlot(slot);
        long sequenceNumber = EntryLayout.sequenceNumber(entryMemory, entryOffset);
        if (EntryChain.sequenceNumber(log, newest) > sequenceNumber) {
            EntryChain.insertBehind(log, newest, entryMemory, entryOffset, unit, sequenceNumber);
            return true;
        }
        entryMemory.putInt(entryOffset + EntryLayout.OLDER_OFFSET, newest);
        // Publishes the entry: pairs with the acquire in SlotIndex.find.
        return memory.compareAndSetLong(
                slotOffset, slot, SlotIndex.slot(SlotIndex.tagOfSlot(slot), unit));
    }

    private boolean addFirstSegment(IndexDirectory directory) {
        int unit = log.allocateLines(IndexGrowth.FIRST_SEGMENT_BYTES);
        if (unit == 0) {
            return false;
        }
        long segment = IndexGrowth.initialize(log, unit, IndexGrowth.FIRST_SEGMENT_BYTES, 0);
        // Publishes the zeroed slots: pairs with the acquire in SlotIndex.find.
        if (!directory.entries.compareAndSet(0, 0, segment)) {
            log.retireBlock(unit, IndexGrowth.FIRST_SEGMENT_BYTES);
        }
        return true;
    }

    private void countOverflow(OffHeapMemory memory, int headerOffset, long segment, int tag) {
        int count = memory.getAndAddInt(headerOffset + SlotIndex.OVERFLOW_COUNT_OFFSET, 1) + 1;
        int limitOffset = headerOffset + SlotIndex.OVERFLOW_LIMIT_OFFSET;
        if (count >= memory.getIntAcquire(limitOffset) && !grow(segment, tag)) {
            // Tags that crowd a few lines, or no memory: see ExclusiveIndexWriter.
            memory.putIntRelease(limitOffset, 2 * count);
        }
    }

    /** Replaces a segment by larger ones; returns false if that is not worthwhile or possible. */
    private boolean grow(long segment, int tag) {
        OffHeapMemory memory = log.memory(IndexSegment.unit(segment));
        int nextOffset = log.offset(IndexSegment.unit(segment)) + SlotIndex.NEXT_OFFSET;
        if (memory.getLongVolatile(nextOffset) == 0) {
            long successor =
                    IndexGrowth.allocateSuccessor(
                            log, segment, expectedKeyCount, contexts.slotCount());
            if (successor == 0) {
                return false;
            }
            // Publishes the zeroed slots: pairs with the volatile read in replace().
            if (!memory.compareAndSetLong(nextOffset, 0, successor)) {
                log.retireBlock(
                        IndexSegment.unit(successor),
                        IndexGrowth.successorBytes(segment, successor));
            }
        }
        replace(segment, tag);
        return true;
    }

    /** Does, or finishes, all that replacing a segment takes. */
    private void replace(long segment, int tag) {
        OffHeapMemory memory = log.memory(IndexSegment.unit(segment));
        int headerOffset = log.offset(IndexSegment.unit(segment));
        long successor = memory.getLongVolatile(headerOffset + SlotIndex.NEXT_OFFSET);
        freezeAndCopy(segment, successor);
        install(segment, successor, tag);
        if (memory.compareAndSetInt(headerOffset + SlotIndex.RETIRED_OFFSET, 0, 1)) {
            retire(segment);
        }
    }

    private void freezeAndCopy(long segment, long successor) {
        OffHeapMemory memory = log.memory(IndexSegment.unit(segment));
        int start = log.offset(IndexSegment.unit(segment)) + SlotIndex.LINE_BYTES;
        int end = start + IndexSegment.lines(segment) * SlotIndex.LINE_BYTES;
        for (int offset = start; offset < end; offset += Long.BYTES) {
            long slot = freeze(memory, offset);
            if (SlotIndex.unitOfSlot(slot) != 0) {
                int tag = SlotIndex.tagOfSlot(slot);
                copySlot(IndexGrowth.successorFor(segment, successor, tag), tag, slot);
            }
        }
    }

    /** Freezes a slot and returns what it held, without the mark. */
    private static long freeze(OffHeapMemory memory, int offset) {
        while (true) {
            long slot = memory.getLongAcquire(offset);
            if ((slot & SlotIndex.SLOT_FROZEN) != 0
                    || memory.compareAndSetLong(offset, slot, slot | SlotIndex.SLOT_FROZEN)) {
                return slot & ~SlotIndex.SLOT_FROZEN;
            }
        }
    }

    private void copySlot(long segment, int tag, long slot) {
        int unit = IndexSegment.unit(segment);
        OffHeapMemory memory = log.memory(unit);
        int headerOffset = log.offset(unit);
        int linesOffset = headerOffset + SlotIndex.LINE_BYTES;
        int lines = IndexSegment.lines(segment);
        int home = SlotIndex.homeLine(tag, IndexSegment.depth(segment), lines);
        int line = home;
        for (int probed = 0; probed < lines; probed++) {
            int offset = linesOffset + line * SlotIndex.LINE_BYTES;
            int end = offset + SlotIndex.LINE_BYTES;
            while (offset < end) {
                long present = memory.getLongAcquire(offset);
                if (present == 0) {
                    if (memory.compareAndSetLong(offset, 0, slot)) {
                        if (line != home) {
                            memory.getAndAddInt(headerOffset + SlotIndex.OVERFLOW_COUNT_OFFSET, 1);
                        }
                        return;
                    }
                    // A helper filled it, perhaps with this tag: look again.
                } else if (SlotIndex.tagOfSlot(present) == tag) {
                    return;
                } else {
                    offset += Long.BYTES;
                }
            }
            line = line + 1 == lines ? 0 : line + 1;
        }
        // A late helper may find the successor full, or frozen, of tags that came after the copy.
    }

    /** Puts the successor wherever the directory still has the segment. */
    private void install(long segment, long successor, int tag) {
        int depth = IndexSegment.depth(segment);
        int newDepth = IndexSegment.depth(successor);
        while (true) {
            IndexDirectory directory = index.directory;
            if (directory.depth < newDepth) {
                index.deepen(directory);
                continue;
            }
            int first = directory.firstEntry(tag, depth);
            int count = 1 << (directory.depth - depth);
            boolean frozen = false;
            for (int i = 0; i < count && !frozen; i++) {
                int entryTag = (first + i) << directory.shift;
                long replacement = IndexGrowth.successorFor(segment, successor, entryTag);
                // Publishes the copied slots: pairs with the acquire in SlotIndex.find.
                frozen =
                        !directory.entries.compareAndSet(first + i, segment, replacement)
                                && directory.entries.get(first + i)
                                        == (segment | IndexSegment.FROZEN);
            }
            if (frozen) {
                index.deepen(directory);
            } else if (index.directory == directory) {
                return;
            }
        }
    }

    /** Lets a replaced segment be filled again once no writer can be looking at it. */
    private void retire(long segment) {
        long replacedIn = contexts.endEpoch();
        retiredMutex.lock();
        try {
            if (retiredCount == retiredSegments.length) {
                retiredSegments = Arrays.copyOf(retiredSegments, 2 * retiredCount);
                retiredEpochs = Arrays.copyOf(retiredEpochs, 2 * retiredCount);
            }
            retiredSegments[retiredCount] = segment;
            retiredEpochs[retiredCount++] = replacedIn;
            recycle();
        } finally {
            retiredMutex.unlock();
        }
    }

    @GuardedBy("retiredMutex")
    private void recycle() {
        long oldestClaim = contexts.oldestClaim();
        int kept = 0;
        for (int i = 0; i < retiredCount; i++) {
            long segment = retiredSegments[i];
            if (retiredEpochs[i] < oldestClaim) {
                log.retireBlock(IndexSegment.unit(segment), IndexSegment.sizeBytes(segment));
            } else {
                retiredSegments[kept] = segment;
                retiredEpochs[kept++] = retiredEpochs[i];
            }
        }
        retiredCount = kept;
    }
}
