package dev.tarn.engine;

import dev.tarn.codec.Hash64;
import dev.tarn.engine.internal.compaction.WriteStallController;
import dev.tarn.engine.internal.wal.WalReader;
import dev.tarn.engine.internal.wal.WriteBatchBuffer;
import dev.tarn.engine.internal.wal.WriteBatchCursor;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.memtable.Memtable;
import dev.tarn.memtable.PutStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

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
 *   <li>With a log, the log gives the numbers, in its order; the view is held from before that
 *       until the write is visible. What the log has refused is a hole in the numbers. What it has
 *       accepted is put once: it never comes twice, in the log or in memtables.
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

    /** Null without a log. Set before any other thread writes. */
    private @Nullable StoreLog log;

    @SuppressWarnings("UnusedVariable") // Accessed through the handle.
    private long visibleSequence;

    StoreWriter(StoreState state, WriteStallController stall, long recoveredSequence) {
        this.state = state;
        this.stall = stall;
        this.lastSequence = new AtomicLong(recoveredSequence);
        VISIBLE_SEQUENCE.setRelease(this, recoveredSequence);
    }

    /**
     * Puts the entries of a logged batch that are in no table yet; before anybody reads or writes.
     *
     * <p>A memtable may be sealed between two of them: each log stays until all of it is in tables.
     */
    void recover(WalReader batch) {
        while (batch.nextEntry()) {
            long sequenceNumber = batch.sequenceNumber();
            if (sequenceNumber > visibleSequence()) {
                recoverEntry(batch, sequenceNumber);
                lastSequence.set(sequenceNumber);
                VISIBLE_SEQUENCE.setRelease(this, sequenceNumber);
                state.sealIfFull(state.view().active());
            }
        }
    }

    private void recoverEntry(WalReader batch, long sequenceNumber) {
        long hash = Hash64.hash(batch.memory(), batch.keyOffset(), batch.keyLength());
        while (true) {
            Memtable active = state.view().active();
            PutStatus status =
                    active.put(
                            hash,
                            batch.memory(),
                            batch.keyOffset(),
                            batch.keyLength(),
                            batch.memory(),
                            batch.valueOffset(),
                            batch.valueLength(),
                            batch.kindByte(),
                            sequenceNumber);
            if (status == PutStatus.OK) {
                return;
            }
            state.makeRoom(active, status);
        }
    }

    /** Where a log takes its batches' numbers from. */
    AtomicLong takenSequence() {
        return lastSequence;
    }

    /** Logs all writes from now on; before the first of them. */
    void startLog(StoreLog started) {
        log = started;
    }

    boolean isLogged() {
        return log != null;
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
     * Adds one entry to a store without a log; when this returns, every later read sees it.
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
     * @throws WritesStoppedException if the background or the log has failed; nothing became
     *     visible
     */
    void write(WriteBatchBuffer batch) {
        if (batch.entryCount() == 0) {
            return;
        }
        stall.beforeWrite(batch.length());
        Memtable active = state.beginBatch(memtableBytes(batch));
        try {
            long first = log == null ? takeSequence(batch) : append(log, batch);
            putAll(active, batch, first);
            publish(first, first + batch.entryCount() - 1);
        } finally {
            state.endWrite();
        }
        state.sealIfFull(active);
    }

    /**
     * As {@link #write(WriteBatchBuffer)}, for one entry of a store with a log, which may be larger
     * than a memtable.
     */
    void writeLogged(WriteBatchBuffer entry) {
        stall.beforeWrite(entry.length());
        Memtable active = state.beginWrite(memtableBytes(entry));
        try {
            long sequenceNumber = append(Objects.requireNonNull(log), entry);
            putAll(active, entry, sequenceNumber);
            publish(sequenceNumber, sequenceNumber);
        } finally {
            state.endWrite();
        }
        state.sealIfFull(active);
    }

    private static long memtableBytes(WriteBatchBuffer batch) {
        return batch.length() + (long) ENTRY_OVERHEAD_BYTES * batch.entryCount();
    }

    private long takeSequence(WriteBatchBuffer batch) {
        return lastSequence.getAndAdd(batch.entryCount()) + 1;
    }

    /** Appends to the log; numbers that were taken for what it refused become a hole. */
    private long append(StoreLog target, WriteBatchBuffer batch) {
        boolean isLogged = false;
        try {
            long first = target.append(batch);
            isLogged = true;
            return first;
        } finally {
            if (!isLogged && batch.firstSequence() != 0) {
                publish(batch.firstSequence(), batch.lastSequence());
            }
        }
    }

    /**
     * Puts all entries of a batch; the memtable cannot be sealed meanwhile.
     *
     * <p>If this fails, the numbers of the batch stay unpublished for good: what it has put is
     * never seen, and later writers fail instead of waiting.
     */
    private void putAll(Memtable active, WriteBatchBuffer batch, long first) {
        WriteBatchCursor entry = batch.cursor();
        boolean complete = false;
        try {
            for (long sequenceNumber = first; entry.next(); sequenceNumber++) {
                put(active, entry, sequenceNumber);
            }
            complete = true;
        } finally {
            if (!complete) {
                brokenBatch = true;
            }
        }
    }

    private void put(Memtable active, WriteBatchCursor entry, long sequenceNumber) {
        OffHeapMemory memory = entry.memory();
        long hash = Hash64.hash(memory, entry.keyOffset(), entry.keyLength());
        long deadlineNanos = 0;
        while (true) {
            PutStatus status =
                    active.put(
                            hash,
                            memory,
                            entry.keyOffset(),
                            entry.keyLength(),
                            memory,
                            entry.valueOffset(),
                            entry.valueLength(),
                            entry.kindByte(),
                            sequenceNumber);
            if (status == PutStatus.OK) {
                return;
            }
            if (status == PutStatus.SEALED) {
                throw new IllegalStateException("memtable was sealed during a batch");
            }
            if (deadlineNanos == 0) {
                deadlineNanos = System.nanoTime() + StoreState.ROOM_TIMEOUT_NANOS;
            }
            state.awaitMemory(deadlineNanos);
        }
    }

    /** Whether a batch could not be put as a whole, so that no memtable may be flushed any more. */
    boolean isBroken() {
        return brokenBatch;
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
