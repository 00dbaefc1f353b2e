package dev.tarn.memtable;

import dev.tarn.memory.OffHeapMemory;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * What one writing thread needs: the block it appends to and its share of the counters.
 *
 * <p>Threads: the fields belong to the thread that holds the context; the counters may be read by
 * any.
 */
final class WriterContext {
    /** {@link #tryClaim}'s epoch while a thread holds this in multi mode, else 0. */
    private static final int EPOCH = 16;

    private static final int ENTRY_COUNT = 17;
    private static final int ENTRY_BYTES = 18;
    private static final int SLOT_COUNT = 19;

    /** With 128 bytes unused on both sides: contexts of two threads share no cache line. */
    private static final int SHARED_LENGTH = 36;

    private static final long IDLE = 0;

    /** What other threads read. */
    private final AtomicLongArray shared = new AtomicLongArray(SHARED_LENGTH);

    /** The slab of the block, or null before the first. */
    @Nullable OffHeapMemory memory;

    /** The unit of the slab's first byte. */
    int slabUnit;

    /** The offset in {@link #memory} of the first free byte of the block, a multiple of 8. */
    int top;

    /** The offset in {@link #memory} at which the block ends. */
    int limit;

    /** The largest sequence number written, so that most writes need not look at older entries. */
    long sequenceNumberMax;

    /** The entries for which directory space is reserved in the budget. */
    long directoryEntryCountReserved;

    /** Returns whether {@code sizeBytes} more fit into the block. */
    boolean fits(int sizeBytes) {
        return sizeBytes <= limit - top;
    }

    /** Returns the unit of the first free byte. */
    int topUnit() {
        return slabUnit + (top >>> EntryLayout.UNIT_SHIFT);
    }

    /**
     * Takes the context for the calling thread, in an epoch that is not 0.
     *
     * @return false if another thread holds it
     */
    boolean tryClaim(long epoch) {
        // A full fence: pairs with the scans of WriterContexts. Whoever scans later sees the claim,
        // and whoever scanned before made what this thread is about to read visible to it.
        return shared.getPlain(EPOCH) == IDLE && shared.compareAndSet(EPOCH, IDLE, epoch);
    }

    /** Gives the context back. */
    void unclaim() {
        // Release: pairs with the volatile read in claimedEpoch(); all that the thread wrote comes
        // before, also for the next thread that claims the context.
        shared.setRelease(EPOCH, IDLE);
    }

    /** The epoch of the claim, or 0 if nobody holds the context. */
    long claimedEpoch() {
        return shared.get(EPOCH);
    }

    /** Entries written, all versions. */
    long entryCount() {
        return shared.getAcquire(ENTRY_COUNT);
    }

    /** Bytes of the entries written, headers and padding included. */
    long entryBytes() {
        return shared.getAcquire(ENTRY_BYTES);
    }

    /** Slots filled. */
    long slotCount() {
        return shared.getAcquire(SLOT_COUNT);
    }

    /** Counts an entry; by the holder only. */
    void countEntry(int sizeBytes) {
        shared.setRelease(ENTRY_COUNT, shared.getPlain(ENTRY_COUNT) + 1);
        shared.setRelease(ENTRY_BYTES, shared.getPlain(ENTRY_BYTES) + sizeBytes);
    }

    /** Counts a slot; by the holder only. */
    void countSlot() {
        shared.setRelease(SLOT_COUNT, shared.getPlain(SLOT_COUNT) + 1);
    }
}
