package dev.tarn.memtable;

import dev.tarn.memory.OffHeapMemory;

/**
 * Writes the index in single mode: plain loads, release stores, no other writer.
 *
 * <p>Threads: one at a time, beside any number of readers.
 */
final class ExclusiveIndexWriter {
    private final EntryLog log;
    private final SlotIndex index;
    private final WriterContext context;
    private final long expectedKeyCount;

    ExclusiveIndexWriter(
            EntryLog log, SlotIndex index, WriterContext context, long expectedKeyCount) {
        this.log = log;
        this.index = index;
        this.context = context;
        this.expectedKeyCount = expectedKeyCount;
    }

    /**
     * Publishes an entry that is written but for its {@code older} link.
     *
     * @param newestYet whether no entry with a larger sequence number was ever written
     * @return false if there is no slot for it and no memory for more; nothing is published then
     */
    boolean publish(
            int tag, OffHeapMemory entryMemory, int entryOffset, int unit, boolean newestYet) {
        while (true) {
            IndexDirectory directory = index.directory;
            long segment = directory.entries.getPlain(tag >>> directory.shift);
            if (segment == 0) {
                if (!addFirstSegment()) {
                    return false;
                }
                continue;
            }
            int segmentUnit = IndexSegment.unit(segment);
            OffHeapMemory memory = log.memory(segmentUnit);
            int linesOffset = log.offset(segmentUnit) + SlotIndex.LINE_BYTES;
            int lines = IndexSegment.lines(segment);
            int home = SlotIndex.homeLine(tag, IndexSegment.depth(segment), lines);
            int offset = linesOffset + home * SlotIndex.LINE_BYTES;
            int vacancy = SlotIndex.vacancyInLine(memory, offset, tag);
            if (vacancy >= 0 && vacancy < SlotIndex.SLOTS_PER_LINE) {
                fill(memory, offset + vacancy * Long.BYTES, tag, unit);
                return true;
            }
            int slotOffset = seekSlot(memory, linesOffset, lines, home, tag);
            if (slotOffset < 0) {
                if (!grow(segment, tag)) {
                    return false;
                }
                continue;
            }
            long slot = memory.getLong(slotOffset);
            if (slot == 0) {
                fill(memory, slotOffset, tag, unit);
                countOverflow(memory, linesOffset - SlotIndex.LINE_BYTES, segment, tag);
            } else {
                link(memory, slotOffset, slot, entryMemory, entryOffset, unit, newestYet);
            }
            return true;
        }
    }

    private void fill(OffHeapMemory memory, int slotOffset, int tag, int unit) {
        // Release: pairs with the acquire in SlotIndex.find; publishes the entry.
        memory.putLongRelease(slotOffset, SlotIndex.slot(tag, unit));
        context.countSlot();
    }

    private void link(
            OffHeapMemory memory,
            int slotOffset,
            long slot,
            OffHeapMemory entryMemory,
            int entryOffset,
            int unit,
            boolean newestYet) {
        int newest = SlotIndex.unitOfSlot(slot);
        if (!newestYet) {
            long sequenceNumber = EntryLayout.sequenceNumber(entryMemory, entryOffset);
            if (EntryChain.sequenceNumber(log, newest) > sequenceNumber) {
                EntryChain.insertBehind(
                        log, newest, entryMemory, entryOffset, unit, sequenceNumber);
                return;
            }
        }
        entryMemory.putInt(entryOffset + EntryLayout.OLDER_OFFSET, newest);
        // Release: pairs with the acquire in SlotIndex.find; publishes the entry.
        memory.putLongRelease(slotOffset, SlotIndex.slot(SlotIndex.tagOfSlot(slot), unit));
    }

    /** Returns the offset of the tag's slot, or of the empty one where it belongs, or -1. */
    private static int seekSlot(
            OffHeapMemory memory, int linesOffset, int lines, int home, int tag) {
        int line = home;
        for (int probed = 0; probed < lines; probed++) {
            int offset = linesOffset + line * SlotIndex.LINE_BYTES;
            for (int i = 0; i < SlotIndex.LINE_BYTES; i += Long.BYTES) {
                long slot = memory.getLong(offset + i);
                if (slot == 0 || SlotIndex.tagOfSlot(slot) == tag) {
                    return offset + i;
                }
            }
            line = line + 1 == lines ? 0 : line + 1;
        }
        return -1;
    }

    private boolean addFirstSegment() {
        int unit = log.allocateLines(IndexGrowth.FIRST_SEGMENT_BYTES);
        if (unit == 0) {
            return false;
        }
        long segment = IndexGrowth.initialize(log, unit, IndexGrowth.FIRST_SEGMENT_BYTES, 0);
        // Release: pairs with the acquire in SlotIndex.find; publishes the zeroed slots.
        index.directory.entries.setRelease(0, segment);
        return true;
    }

    /** Counts a slot outside its home line, and grows the segment when there are too many. */
    private void countOverflow(OffHeapMemory memory, int headerOffset, long segment, int tag) {
        int countOffset = headerOffset + SlotIndex.OVERFLOW_COUNT_OFFSET;
        int count = memory.getInt(countOffset) + 1;
        memory.putInt(countOffset, count);
        int limitOffset = headerOffset + SlotIndex.OVERFLOW_LIMIT_OFFSET;
        if (count >= memory.getInt(limitOffset) && !grow(segment, tag)) {
            // Tags that crowd a few lines, or no memory: more room would not help, or is not to
            // be had.
            memory.putInt(limitOffset, 2 * count);
        }
    }

    /** Replaces a segment by larger ones; returns false if that is not worthwhile or possible. */
    private boolean grow(long segment, int tag) {
        long successor =
                IndexGrowth.allocateSuccessor(log, segment, expectedKeyCount, context.slotCount());
        if (successor == 0) {
            return false;
        }
        copySlots(segment, successor);
        install(segment, successor, tag);
        // Readers that still look at it find out that it was replaced: see SlotIndex.find. The
        // fence keeps what is written to it next behind the stores that replaced it.
        OffHeapMemory.releaseFence();
        log.retireBlock(IndexSegment.unit(segment), IndexSegment.sizeBytes(segment));
        return true;
    }

    private void copySlots(long segment, long successor) {
        OffHeapMemory memory = log.memory(IndexSegment.unit(segment));
        int start = log.offset(IndexSegment.unit(segment)) + SlotIndex.LINE_BYTES;
        int end = start + IndexSegment.lines(segment) * SlotIndex.LINE_BYTES;
        for (int offset = start; offset < end; offset += Long.BYTES) {
            long slot = memory.getLong(offset);
            if (slot != 0) {
                int tag = SlotIndex.tagOfSlot(slot);
                copySlot(IndexGrowth.successorFor(segment, successor, tag), tag, slot);
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
        int slotOffset = seekSlot(memory, linesOffset, lines, home, tag);
        memory.putLong(slotOffset, slot);
        if ((slotOffset - linesOffset) / SlotIndex.LINE_BYTES != home) {
            int countOffset = headerOffset + SlotIndex.OVERFLOW_COUNT_OFFSET;
            memory.putInt(countOffset, memory.getInt(countOffset) + 1);
        }
    }

    private void install(long segment, long successor, int tag) {
        while (index.directory.depth < IndexSegment.depth(successor)) {
            index.deepen(index.directory);
        }
        IndexDirectory directory = index.directory;
        int depth = IndexSegment.depth(segment);
        int first = directory.firstEntry(tag, depth);
        int count = 1 << (directory.depth - depth);
        for (int i = 0; i < count; i++) {
            int entryTag = (first + i) << directory.shift;
            // Release: pairs with the acquire in SlotIndex.find; publishes the copied slots.
            directory.entries.setRelease(
                    first + i, IndexGrowth.successorFor(segment, successor, entryTag));
        }
    }
}
