package dev.tarn.engine;

import dev.tarn.codec.Hash64;
import dev.tarn.engine.internal.compaction.WriteStallController;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.memtable.Memtable;
import dev.tarn.memtable.PutStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Brings writes into the active memtable, in an order that readers see without gaps.
 *
 * <p>Threads: any number of threads, or one, as the store's options say.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A sequence number is taken after the view is loaded; when the view's memtable turns out to
 *       be sealed, a new one is taken. So a newer memtable holds only newer numbers.
 *   <li>{@code visibleSequence} only grows, and when it is n, all writes up to n are in memtables.
 * </ol>
 *
 * <p>Publication: the release store to {@code visibleSequence} publishes the memtable entries up to
 * it; pairs with the acquire in {@link #visibleSequence()}.
 */
final class StoreWriter {
    private static final VarHandle VISIBLE_SEQUENCE;

    static {
        try {
            VISIBLE_SEQUENCE =
                    MethodHandles.lookup()
                            .findVarHandle(StoreWriter.class, "visibleSequence", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int SPINS_BEFORE_YIELD = 64;

    /** What an entry takes in a memtable besides its bytes, at most. */
    private static final int ENTRY_OVERHEAD_BYTES = 64;

    private final StoreState state;
    private final WriteStallController stall;
    private final AtomicLong lastSequence;

    /** Whether a batch was left half written, so that its numbers are never published. */
    private volatile boolean brokenBatch;

    @SuppressWarnings("UnusedVariable") // Accessed through the handle.
    private long visibleSequence;

    StoreWriter(StoreState state, WriteStallController stall, long recoveredSequence) {
        this.state = state;
        this.stall = stall;
        this.lastSequence = new AtomicLong(recoveredSequence);
        VISIBLE_SEQUENCE.setRelease(this, recoveredSequence);
    }

    /** The newest sequence number that readers may see. */
    long visibleSequence() {
        return (long) VISIBLE_SEQUENCE.getAcquire(this);
    }

    /** The newest sequence number that was taken; its write may be on its way. */
    long lastSequence() {
        return lastSequence.get();
    }

    /**
     * Adds one entry; when this returns, every later read sees it.
     *
     * @throws WritesStoppedException if the background has failed; nothing was written
     */
    void write(
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            OffHeapMemory valueMemory,
            int valueOffset,
            int valueLength,
            byte kind) {
        WriteBatch.checkLengths(keyLength, valueLength);
        stall.beforeWrite(keyLength + valueLength);
        long hash = Hash64.hash(keyMemory, keyOffset, keyLength);
        while (true) {
            Memtable active = state.view().active();
            long sequenceNumber = lastSequence.incrementAndGet();
            PutStatus status;
            try {
                status =
                        active.put(
                                hash,
                                keyMemory,
                                keyOffset,
                                keyLength,
                                valueMemory,
                                valueOffset,
                                valueLength,
                                kind,
                                sequenceNumber);
            } finally {
                // Whatever happened: a number that is not published would hold up all later ones.
                publish(sequenceNumber, sequenceNumber);
            }
            if (status == PutStatus.OK) {
                state.sealIfFull(active);
                return;
            }
            state.makeRoom(active, status);
        }
    }

    /**
     * Adds the entries of a batch, which become visible together.
     *
     * @throws WritesStoppedException if the background has failed; nothing became visible
     */
    void write(WriteBatch batch) {
        if (batch.count() == 0) {
            return;
        }
        stall.beforeWrite(batch.sizeBytes());
        long sizeBytes = batch.sizeBytes() + (long) ENTRY_OVERHEAD_BYTES * batch.count();
        Memtable active = state.beginBatch(sizeBytes);
        try {
            long first = lastSequence.getAndAdd(batch.count()) + 1;
            putAll(active, batch, first);
            publish(first, first + batch.count() - 1);
        } finally {
            state.endBatch();
        }
        state.sealIfFull(active);
    }

    /**
     * Puts all entries of a batch; the memtable cannot be sealed meanwhile.
     *
     * <p>If this fails, the numbers of the batch stay unpublished for good: what it has put is
     * never seen, and later writers fail instead of waiting.
     */
    private void putAll(Memtable active, WriteBatch batch, long first) {
        WriteBatch.Cursor cursor = new WriteBatch.Cursor();
        cursor.wrap(batch.memory(), 0, batch.sizeBytes());
        OffHeapMemory memory = batch.memory();
        boolean complete = false;
        try {
            for (long sequenceNumber = first; cursor.next(); sequenceNumber++) {
                long hash = Hash64.hash(memory, cursor.keyOffset(), cursor.keyLength());
                PutStatus status;
                do {
                    status =
                            active.put(
                                    hash,
                                    memory,
                                    cursor.keyOffset(),
                                    cursor.keyLength(),
                                    memory,
                                    cursor.valueOffset(),
                                    cursor.valueLength(),
                                    cursor.kind(),
                                    sequenceNumber);
                    if (status == PutStatus.SEALED) {
                        throw new IllegalStateException("memtable was sealed during a batch");
                    }
                    if (status == PutStatus.FULL) {
                        state.awaitMemory();
                    }
                } while (status != PutStatus.OK);
            }
            complete = true;
        } finally {
            if (!complete) {
                brokenBatch = true;
            }
        }
    }

    /** Waits for the writes before, then makes visible up to {@code last}. */
    @SuppressWarnings("ThreadPriorityCheck") // Gives the core to the writer that is waited for.
    private void publish(long first, long last) {
        for (int spins = 0; visibleSequence() != first - 1; spins++) {
            if (brokenBatch) {
                throw new WritesStoppedException(
                        "an earlier batch could not be written as a whole; reopen the store", null);
            }
            if (spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                // The one before was descheduled between put and publish.
                Thread.yield();
            }
        }
        // Release: pairs with the acquire in visibleSequence(); publishes the entries.
        VISIBLE_SEQUENCE.setRelease(this, last);
    }
}
