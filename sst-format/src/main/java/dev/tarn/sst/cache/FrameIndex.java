package dev.tarn.sst.cache;

import dev.tarn.memory.OffHeapMemory;

/**
 * The hash table from a block's tag to its frame: open addressing with linear probing.
 *
 * <p>One slot has 8 bytes: a fingerprint of the tag in the upper half, the frame number plus 1 in
 * the lower; 0 is an empty slot.
 *
 * <p>Threads: {@link #find} by any thread, without a lock; {@link #insert} and {@link #remove} by
 * one thread at a time, ordered by the mutex of the cache.
 *
 * <p>Publication: none. A slot is only a guess that the frame's header confirms. Removal moves
 * later slots forward, so a reader that runs beside it may miss a block that is there; it then asks
 * {@link BlockCache#load}, which looks again under the mutex.
 */
final class FrameIndex {
    static final int SLOT_BYTES = 8;

    private final OffHeapMemory slots;
    private final FrameTable frames;
    private final int slotMask;
    private final int shift;

    FrameIndex(OffHeapMemory slots, int slotCount, FrameTable frames) {
        assert Integer.bitCount(slotCount) == 1 : slotCount;
        this.slots = slots;
        this.frames = frames;
        this.slotMask = slotCount - 1;
        this.shift = Long.SIZE - Integer.numberOfTrailingZeros(slotCount);
    }

    /** Returns the number of slots for so many frames: a power of two, at most two thirds full. */
    static int slotCount(int frameCount) {
        long least = Math.max(4, frameCount + (frameCount + 1L) / 2);
        return (int) (Long.highestOneBit(least - 1) << 1);
    }

    /** Spreads a tag over 64 bits, of which the upper choose the slot and the lower tell it. */
    static long hash(long tag) {
        long mixed = tag * 0x9e3779b97f4a7c15L;
        mixed ^= mixed >>> 32;
        return mixed * 0xd6e8feb86659fd93L;
    }

    /** Returns the frame whose header names the tag and is READY, or {@link FrameTable#NONE}. */
    int find(long tag) {
        long hash = hash(tag);
        int slot = (int) (hash >>> shift);
        // Bounded, since removals beside this search may keep an empty slot out of its sight.
        for (int probes = slotMask; probes >= 0; probes--) {
            long entry = slots.getLongOpaque(slot * SLOT_BYTES);
            if (entry == 0) {
                return FrameTable.NONE;
            }
            if ((int) (entry >>> 32) == (int) hash) {
                int frame = (int) entry - 1;
                if (FrameTable.state(frames.word(frame)) == FrameTable.READY
                        && frames.tag(frame) == tag) {
                    return frame;
                }
            }
            slot = (slot + 1) & slotMask;
        }
        return FrameTable.NONE;
    }

    /** Under the mutex: counts the slots in use, one by one. */
    int entryCount() {
        int count = 0;
        for (int slot = 0; slot <= slotMask; slot++) {
            if (slots.getLongOpaque(slot * SLOT_BYTES) != 0) {
                count++;
            }
        }
        return count;
    }

    /** Under the mutex: adds a block that is not in the table. */
    void insert(long tag, int frame) {
        long hash = hash(tag);
        int slot = (int) (hash >>> shift);
        while (slots.getLongOpaque(slot * SLOT_BYTES) != 0) {
            slot = (slot + 1) & slotMask;
        }
        slots.putLongOpaque(slot * SLOT_BYTES, (hash << 32) | (frame + 1L));
    }

    /** Under the mutex: removes a block that is in the table. */
    void remove(long tag, int frame) {
        int slot = (int) (hash(tag) >>> shift);
        while ((int) slots.getLongOpaque(slot * SLOT_BYTES) != frame + 1) {
            assert slots.getLongOpaque(slot * SLOT_BYTES) != 0 : "block is not indexed: " + tag;
            slot = (slot + 1) & slotMask;
        }
        fillGap(slot);
    }

    /**
     * Moves the slots behind a gap forward, as far as their home slots allow, and empties the last.
     */
    private void fillGap(int gap) {
        int slot = gap;
        while (true) {
            slot = (slot + 1) & slotMask;
            long entry = slots.getLongOpaque(slot * SLOT_BYTES);
            if (entry == 0) {
                slots.putLongOpaque(gap * SLOT_BYTES, 0);
                return;
            }
            int home = (int) (hash(frames.tag((int) entry - 1)) >>> shift);
            if (((slot - home) & slotMask) >= ((slot - gap) & slotMask)) {
                slots.putLongOpaque(gap * SLOT_BYTES, entry);
                gap = slot;
            }
        }
    }
}
