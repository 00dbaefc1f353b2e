package dev.tarn.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.codec.Hash64;
import dev.tarn.memory.OffHeapMemory;
import java.util.HashSet;
import java.util.Set;

/**
 * Walks a memtable that nobody writes to, and fails if an invariant of its structure is broken:
 * every slot is where probing for its tag looks, no tag has two, chains are ordered, nothing is
 * lost or counted wrong.
 */
final class MemtableVerifier {
    private final Memtable memtable;
    private final EntryLog log;
    private final boolean keysAreHashed;

    private final Set<Integer> tags = new HashSet<>();
    private final Set<Integer> units = new HashSet<>();
    private long entryBytes;

    private MemtableVerifier(Memtable memtable, boolean keysAreHashed) {
        this.memtable = memtable;
        this.log = memtable.log();
        this.keysAreHashed = keysAreHashed;
    }

    /**
     * Verifies a memtable.
     *
     * @param keysAreHashed whether keys were put under their own hash, as tests of collisions do
     *     not
     */
    static void verify(Memtable memtable, boolean keysAreHashed) {
        new MemtableVerifier(memtable, keysAreHashed).run();
    }

    private void run() {
        IndexDirectory directory = memtable.index().directory;
        int entry = 0;
        while (entry < directory.entries.length()) {
            long segment = directory.entries.get(entry);
            if (segment == 0) {
                assertThat(directory.depth).as("an empty index has one entry").isZero();
                break;
            }
            assertThat(segment & IndexSegment.FROZEN).as("the current directory").isZero();
            int span = 1 << (directory.depth - IndexSegment.depth(segment));
            for (int i = 0; i < span; i++) {
                assertThat(directory.entries.get(entry + i)).isEqualTo(segment);
            }
            verifySegment(segment, entry << directory.shift);
            entry += span;
        }
        assertThat(tags).hasSize((int) memtable.keyCount());
        assertThat(units).hasSize((int) memtable.entryCount());
        assertThat(entryBytes).isEqualTo(memtable.entryBytes());
        assertThat(memtable.approximateBytes()).isGreaterThanOrEqualTo(entryBytes);
    }

    private void verifySegment(long segment, int firstTag) {
        OffHeapMemory memory = log.memory(IndexSegment.unit(segment));
        int header = log.offset(IndexSegment.unit(segment));
        assertThat(header % SlotIndex.LINE_BYTES).isZero();
        int lines = IndexSegment.lines(segment);
        int overflow = 0;
        for (int line = 0; line < lines; line++) {
            boolean vacant = false;
            for (int i = 0; i < SlotIndex.SLOTS_PER_LINE; i++) {
                long slot = memory.getLong(slotOffset(header, line, i));
                assertThat(slot & SlotIndex.SLOT_FROZEN).as("a current segment").isZero();
                if (slot == 0) {
                    vacant = true;
                    continue;
                }
                assertThat(vacant).as("slots are filled from the left").isFalse();
                int tag = SlotIndex.tagOfSlot(slot);
                assertThat(tags.add(tag)).as("a tag has one slot").isTrue();
                int shift = SlotIndex.TAG_BITS - IndexSegment.depth(segment);
                assertThat(tag >>> shift).isEqualTo(firstTag >>> shift);
                overflow += verifyPlace(segment, memory, header, line, tag);
                verifyChain(tag, SlotIndex.unitOfSlot(slot));
            }
        }
        assertThat(memory.getInt(header + SlotIndex.OVERFLOW_COUNT_OFFSET)).isEqualTo(overflow);
    }

    /** Checks that all lines from the home line on are full; returns 1 outside the home line. */
    private static int verifyPlace(
            long segment, OffHeapMemory memory, int header, int line, int tag) {
        int lines = IndexSegment.lines(segment);
        int home = SlotIndex.homeLine(tag, IndexSegment.depth(segment), lines);
        for (int passed = home; passed != line; passed = (passed + 1) % lines) {
            int last = slotOffset(header, passed, SlotIndex.SLOTS_PER_LINE - 1);
            assertThat(memory.getLong(last)).as("a line that was passed is full").isNotZero();
        }
        return line == home ? 0 : 1;
    }

    private static int slotOffset(int header, int line, int slot) {
        return header + (line + 1) * SlotIndex.LINE_BYTES + slot * Long.BYTES;
    }

    private void verifyChain(int tag, int newest) {
        long sequenceNumber = Long.MAX_VALUE;
        for (int unit = newest; unit != 0; unit = EntryChain.older(log, unit)) {
            assertThat(units.add(unit)).as("an entry is in one chain").isTrue();
            OffHeapMemory memory = log.memory(unit);
            int offset = log.offset(unit);
            long own = EntryLayout.sequenceNumber(memory, offset);
            assertThat(own).as("newest first").isLessThanOrEqualTo(sequenceNumber);
            sequenceNumber = own;
            int keyLength = EntryLayout.keyLength(memory, offset);
            if (keysAreHashed) {
                long hash = Hash64.hash(memory, offset + EntryLayout.KEY_OFFSET, keyLength);
                assertThat(SlotIndex.tag(hash)).isEqualTo(tag);
            }
            entryBytes += EntryLayout.sizeBytes(keyLength, EntryLayout.valueLength(memory, offset));
        }
    }
}
