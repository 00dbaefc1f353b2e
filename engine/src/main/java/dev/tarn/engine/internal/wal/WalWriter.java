package dev.tarn.engine.internal.wal;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.engine.internal.io.RecordBuffer;
import dev.tarn.engine.internal.io.RecordWriter;
import dev.tarn.engine.internal.wal.WalOptions.Sync;
import dev.tarn.engine.internal.wal.WriteBatchBuffer.Command;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Appends batches to the write-ahead log with group commit: threads queue up, one of them leads and
 * writes what all have brought with one write and one sync.
 *
 * <p>Owner: owns the active log; whoever created the writer closes it, once.
 *
 * <p>Threads: any number append, sync and rotate; each waits until its turn is done. An interrupt
 * does not end the wait, since the outcome would be unknown; the interrupt flag stays set.
 *
 * <p>Invariants: (1) only the thread that holds {@code leading} polls the queue and touches the
 * file; (2) commands take effect in the order of the queue, and batches get their sequence numbers
 * in it; (3) whoever gives up leadership has seen the queue empty, has woken its head, or left it
 * to the next leader: nobody waits for ever.
 *
 * <p>Publication: a batch's fields are published by the queue; its outcome by the volatile store to
 * {@code done}; the leader's fields by {@code leading}.
 *
 * <p>Errors: when a write or a sync of the log has failed, every waiting and every later append
 * fails with that cause until {@link #rotate} has started a new log. Nothing is retried: whether
 * the batches that failed will be there after a crash is unknown.
 */
public final class WalWriter implements AutoCloseable {
    private static final int QUEUE_CHUNK = 256;
    private static final int KEPT_BUFFER_SIZE = 2 << 20;

    /**
     * What a rotation has ended.
     *
     * @param logNumber of the log that was active before
     * @param lastSequence the largest sequence number in it or in those before
     */
    public record Rotation(long logNumber, long lastSequence) {}

    private final FileSystem fileSystem;
    private final WalOptions options;
    private final MemoryAccountant accountant;
    private final LongSupplier nanoClock;
    private final AtomicLong takenSequence;
    private final MpscUnboundedAtomicArrayQueue<WriteBatchBuffer> queue =
            new MpscUnboundedAtomicArrayQueue<>(QUEUE_CHUNK);
    private final AtomicBoolean leading = new AtomicBoolean();

    // Of the leader.
    private final RecordBuffer buffer;
    private final List<WriteBatchBuffer> group = new ArrayList<>();
    private final List<Long> unsyncedLogs = new ArrayList<>();
    private @Nullable WriteBatchBuffer postponed;
    private RecordWriter log;
    private @Nullable IOException failure;
    private boolean closed;
    private long lastSyncNanos;
    private long appendedBatches;
    private long durableBatches;
    private long lastNumberTried;

    private volatile long logNumber;
    private volatile long lastSequence;
    private volatile Rotation lastRotation;
    private volatile boolean syncPending;

    private final LongAdder batchCount = new LongAdder();
    private final LongAdder groupCount = new LongAdder();
    private final LongAdder syncCount = new LongAdder();
    private final LongAdder writtenBytes = new LongAdder();

    /**
     * Starts a log.
     *
     * @param fileSystem whose root is the directory of the logs
     * @param logNumber of the new log, larger than those of all logs there
     * @param appendedBatches what {@link WalReplay.Result#appendedBatches} said of the logs there;
     *     0 if there are none
     * @param nanoClock as {@link System#nanoTime}
     * @param takenSequence the last sequence number that was taken; the log takes those of its
     *     batches from it
     */
    public WalWriter(
            FileSystem fileSystem,
            WalOptions options,
            long logNumber,
            long appendedBatches,
            MemoryAccountant accountant,
            LongSupplier nanoClock,
            AtomicLong takenSequence)
            throws IOException {
        this.fileSystem = fileSystem;
        this.options = options;
        this.accountant = accountant;
        this.nanoClock = nanoClock;
        this.takenSequence = takenSequence;
        this.lastSyncNanos = nanoClock.getAsLong();
        this.logNumber = logNumber;
        this.appendedBatches = appendedBatches;
        this.durableBatches = appendedBatches;
        this.lastRotation = new Rotation(logNumber - 1, 0);
        this.buffer = new RecordBuffer(accountant);
        try {
            this.log = startLog(logNumber);
        } catch (IOException | RuntimeException e) {
            buffer.close();
            throw e;
        }
    }

    /**
     * Gives a batch its sequence numbers and writes it, durably if the options say so. The order of
     * the numbers is that of the log.
     *
     * @return the sequence number of the batch's first entry; the others follow
     * @throws IOException if the batch is not, or not certainly, in the log; {@link
     *     WriteBatchBuffer#firstSequence} tells whether numbers were taken for it
     * @throws ClosedException if the log is closed
     */
    public long append(WriteBatchBuffer batch) throws IOException {
        batch.firstSequence = 0;
        if (batch.entryCount() == 0) {
            throw new IllegalArgumentException("batch has no entry");
        }
        submit(batch, Command.APPEND);
        return batch.firstSequence;
    }

    /** Makes everything durable that was appended before. */
    public void sync() throws IOException {
        submitAlone(Command.SYNC);
    }

    /**
     * Makes everything durable if there is something that is not; for a timer, so that the last
     * writes before a pause do not wait for the next.
     */
    public void syncPending() throws IOException {
        if (syncPending) {
            sync();
        }
    }

    /**
     * Ends the active log and starts the next; after a failure, this is what makes the log usable
     * again. What is appended later is in the new log.
     *
     * <p>A log that did not fail is made durable, unless syncs are off. After a failure, batches
     * that were acknowledged without a sync may be lost: put what is in the memtables into tables.
     */
    public Rotation rotate() throws IOException {
        submitAlone(Command.ROTATE);
        return lastRotation;
    }

    /** The number of the active log. */
    public long logNumber() {
        return logNumber;
    }

    /** The largest sequence number that was acknowledged; 0 if there was none yet. */
    public long lastSequence() {
        return lastSequence;
    }

    public long batchCount() {
        return batchCount.sum();
    }

    /** How many writes to the file all batches took. */
    public long groupCount() {
        return groupCount.sum();
    }

    public long syncCount() {
        return syncCount.sum();
    }

    public long writtenBytes() {
        return writtenBytes.sum();
    }

    /** Ends the log, durably unless syncs are off or it had failed; later calls are refused. */
    @Override
    public void close() throws IOException {
        submitAlone(Command.CLOSE);
    }

    private void submitAlone(Command command) throws IOException {
        submit(new WriteBatchBuffer(), command);
    }

    // ---- waiting and leading

    private void submit(WriteBatchBuffer request, Command command) throws IOException {
        assert request.done : "batch is in use";
        request.command = command;
        request.waiter = Thread.currentThread();
        request.failure = null;
        request.done = false;
        queue.offer(request);
        boolean interrupted = false;
        while (!request.done) {
            if (leading.compareAndSet(false, true)) {
                try {
                    while (!request.done) {
                        leadOnce();
                    }
                } finally {
                    giveUpLeadership();
                }
            } else {
                LockSupport.park(this);
                // The flag would make every further park return at once.
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        IOException cause = request.failure;
        if (cause != null) {
            request.failure = null;
            if (cause.getCause() instanceof ClosedException) {
                throw new ClosedException("write-ahead log is closed");
            }
            throw new IOException(
                    "write-ahead log failed: log="
                            + fileSystem.describe(WalFiles.name(logNumber))
                            + " cause="
                            + cause.getMessage(),
                    cause);
        }
    }

    private void giveUpLeadership() {
        while (true) {
            WriteBatchBuffer next = postponed != null ? postponed : queue.peek();
            Thread waiter = next == null ? null : next.waiter;
            leading.set(false);
            if (waiter != null) {
                LockSupport.unpark(waiter);
                return;
            }
            // One that came after the peek may have found this thread still leading, and sleeps.
            if (queue.isEmpty() || !leading.compareAndSet(false, true)) {
                return;
            }
        }
    }

    /** Carries out the next command, or as many appends as make a group. */
    private void leadOnce() {
        WriteBatchBuffer first = postponed != null ? postponed : queue.poll();
        postponed = null;
        if (first == null) {
            return;
        }
        if (first.command == Command.APPEND) {
            collectGroup(first);
            IOException outcome = writeGroup();
            // By index, here and below: iterators are garbage.
            for (int i = 0; i < group.size(); i++) {
                finish(group.get(i), outcome);
            }
            group.clear();
            return;
        }
        // Whatever happens, the waiting thread is told: nobody must wait for ever.
        IOException outcome = null;
        try {
            execute(first.command);
        } catch (IOException e) {
            outcome = e;
        } catch (RuntimeException | Error e) {
            outcome = wrapped(e);
        }
        finish(first, outcome);
    }

    private void collectGroup(WriteBatchBuffer first) {
        group.add(first);
        long bytes = WalLayout.BATCH_HEADER_SIZE + (long) first.length();
        while (true) {
            WriteBatchBuffer next = queue.poll();
            if (next == null) {
                return;
            }
            bytes += WalLayout.BATCH_HEADER_SIZE + (long) next.length();
            if (next.command != Command.APPEND || bytes > options.groupSizeBytesMax()) {
                postponed = next;
                return;
            }
            group.add(next);
        }
    }

    private static void finish(WriteBatchBuffer request, @Nullable IOException failure) {
        Thread waiter = request.waiter;
        request.failure = failure;
        // Release: pairs with the read in submit(); publishes firstSequence and failure. From here
        // on the batch belongs to its thread again.
        request.done = true;
        if (waiter != null && waiter != Thread.currentThread()) {
            LockSupport.unpark(waiter);
        }
    }

    // ---- the leader's work

    /** Writes the group; returns what its members have to be told, null if it is in the log. */
    private @Nullable IOException writeGroup() {
        if (closed) {
            return closedFailure();
        }
        if (failure != null) {
            return failure;
        }
        long last;
        try {
            last = encodeGroup();
        } catch (RuntimeException | Error e) {
            // Such as a used up memory budget: the log is as it was.
            return wrapped(e);
        }
        try {
            log.append(WalLayout.TYPE_GROUP, buffer);
            if (options.sync() == Sync.EVERY_WRITE
                    || (options.sync() == Sync.INTERVAL && isSyncDue())) {
                syncLog(appendedBatches + group.size());
            } else {
                syncPending = true;
            }
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException | Error e) {
            failure = wrapped(e);
        }
        if (failure == null) {
            // Only what is acknowledged: the next log must not ask for what may be missing here.
            appendedBatches += group.size();
            lastSequence = last;
            groupCount.increment();
            batchCount.add(group.size());
            writtenBytes.add(buffer.length());
        }
        return failure;
    }

    private static IOException wrapped(Throwable cause) {
        return new IOException(String.valueOf(cause), cause);
    }

    private static IOException closedFailure() {
        ClosedException cause = new ClosedException("write-ahead log is closed");
        return new IOException(cause.getMessage(), cause);
    }

    /** Takes the group's numbers, encodes it to the buffer and returns the last number. */
    private long encodeGroup() {
        buffer.clear(KEPT_BUFFER_SIZE);
        long last = lastSequence;
        for (int i = 0; i < group.size(); i++) {
            WriteBatchBuffer batch = group.get(i);
            batch.firstSequence = takenSequence.getAndAdd(batch.entryCount()) + 1;
            last = batch.lastSequence();
            if (last > SequenceNumbers.MAX) {
                throw new IllegalStateException("sequence numbers are used up: last=" + last);
            }
            buffer.putLong(batch.firstSequence)
                    .putInt(batch.entryCount())
                    .putInt(batch.length())
                    .putBytes(batch.memory(), 0, batch.length());
        }
        return last;
    }

    private boolean isSyncDue() {
        return nanoClock.getAsLong() - lastSyncNanos >= options.syncIntervalNanos();
    }

    /** Makes the log durable, up to a number of batches. */
    private void syncLog(long batches) throws IOException {
        for (int i = 0; i < unsyncedLogs.size(); i++) {
            long number = unsyncedLogs.get(i);
            // One that is no longer needed may be gone.
            if (fileSystem.exists(WalFiles.name(number))) {
                WalFiles.makeDurable(fileSystem, number);
            }
        }
        unsyncedLogs.clear();
        log.sync();
        syncCount.increment();
        syncPending = false;
        lastSyncNanos = nanoClock.getAsLong();
        durableBatches = batches;
    }

    private void execute(Command command) throws IOException {
        if (closed) {
            throw closedFailure();
        }
        switch (command) {
            case SYNC -> {
                if (failure != null) {
                    throw failure;
                }
                poisoning(() -> syncLog(appendedBatches));
            }
            case ROTATE -> rotateLog();
            case CLOSE -> {
                closed = true;
                try {
                    endLog();
                } finally {
                    buffer.close();
                }
            }
            case APPEND -> throw new AssertionError("appends are written in groups");
        }
    }

    /** What touches the log, and makes it unusable by failing. */
    @FunctionalInterface
    private interface LogAction {
        void run() throws IOException;
    }

    private void poisoning(LogAction action) throws IOException {
        try {
            action.run();
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    private void rotateLog() throws IOException {
        if (failure != null) {
            // What was acknowledged before it was durable may be lost with the failed log. The next
            // one must not be taken for one behind a gap because of that.
            appendedBatches = durableBatches;
        } else if (options.sync() == Sync.NEVER) {
            unsyncedLogs.add(logNumber);
        } else {
            poisoning(
                    () -> {
                        syncLog(appendedBatches);
                        log.seal();
                    });
        }
        Rotation rotation = new Rotation(logNumber, lastSequence);
        // A number is taken even if the log cannot be started: its file may be there.
        long number = Math.max(logNumber, lastNumberTried) + 1;
        lastNumberTried = number;
        RecordWriter last = log;
        poisoning(
                () -> {
                    log = startLog(number);
                    logNumber = number;
                    lastRotation = rotation;
                    failure = null;
                });
        last.close();
    }

    private RecordWriter startLog(long number) throws IOException {
        RecordWriter next =
                RecordWriter.create(
                        fileSystem, "", WalFiles.name(number), WalLayout.MAGIC, number, accountant);
        try {
            buffer.clear(KEPT_BUFFER_SIZE).putLong(appendedBatches).putLong(durableBatches);
            next.append(WalLayout.TYPE_START, buffer);
            return next;
        } catch (IOException | RuntimeException e) {
            try {
                next.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private void endLog() throws IOException {
        try (RecordWriter last = log) {
            if (failure == null && options.sync() != Sync.NEVER) {
                last.seal();
            }
        }
    }
}
