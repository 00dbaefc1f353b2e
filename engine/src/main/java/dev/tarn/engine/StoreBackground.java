package dev.tarn.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.tarn.engine.internal.compaction.CompactionJob;
import dev.tarn.engine.internal.compaction.CompactionPick;
import dev.tarn.engine.internal.compaction.RateLimiter;
import dev.tarn.engine.internal.compaction.UniversalCompactionPicker;
import dev.tarn.engine.internal.compaction.WriteStallController;
import dev.tarn.engine.internal.flush.FlushJob;
import dev.tarn.engine.internal.flush.TableBuilder;
import dev.tarn.engine.internal.iterator.TableEntries;
import dev.tarn.engine.internal.version.SortedRun;
import dev.tarn.engine.internal.version.TableMetadata;
import dev.tarn.engine.internal.version.Version;
import dev.tarn.engine.internal.version.VersionEdit;
import dev.tarn.memory.ClosedException;
import dev.tarn.sst.SstOptions;
import dev.tarn.sst.SstReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The flushes and compactions of a store: when they run, and what happens when they fail.
 *
 * <p>Threads: any thread may ask for work; at most one flush and one compaction run at a time, on
 * the threads of the resources.
 *
 * <p>Errors: a failed flush stops writers with its cause and is retried with a growing delay; with
 * success writers go on. A failed compaction does the same, but stops writers only when the runs
 * have reached the stop trigger. A failed write-ahead log stops writers until a new one has begun
 * and what was written before is in tables, which is tried with a growing delay, too.
 */
final class StoreBackground {
    private static final Logger LOGGER = LoggerFactory.getLogger(StoreBackground.class);
    private static final long RETRY_MILLIS_MIN = 50;
    private static final long RETRY_MILLIS_MAX = 10_000;

    private final StoreResources resources;
    private final StoreState state;
    private final StoreOptions options;
    private final SstOptions level0Options;
    private final SstOptions tableOptions;
    private final SnapshotList snapshots;
    private final WriteStallController stall;
    private final StoreWriter writer;

    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition idle = mutex.newCondition();

    @GuardedBy("mutex")
    private final UniversalCompactionPicker picker;

    @GuardedBy("mutex")
    private boolean isFlushing;

    @GuardedBy("mutex")
    private boolean isCompacting;

    @GuardedBy("mutex")
    private boolean isFullRequested;

    @GuardedBy("mutex")
    private boolean isStopped;

    @GuardedBy("mutex")
    private @Nullable Throwable flushFailure;

    @GuardedBy("mutex")
    private @Nullable Throwable compactionFailure;

    @GuardedBy("mutex")
    private int flushFailureCount;

    @GuardedBy("mutex")
    private int compactionFailureCount;

    @GuardedBy("mutex")
    private int logFailureCount;

    /** Null without a log. */
    @GuardedBy("mutex")
    private @Nullable StoreLog log;

    /** Failures since the open: who waits for an attempt sees by this that one has failed. */
    @GuardedBy("mutex")
    private int flushFailureTotal;

    @GuardedBy("mutex")
    private int compactionFailureTotal;

    StoreBackground(
            StoreResources resources,
            StoreState state,
            StoreOptions options,
            UniversalCompactionPicker picker,
            SnapshotList snapshots,
            WriteStallController stall,
            StoreWriter writer) {
        this.resources = resources;
        this.state = state;
        this.options = options;
        this.picker = picker;
        this.snapshots = snapshots;
        this.stall = stall;
        this.writer = writer;
        this.level0Options = options.tableOptions(0);
        this.tableOptions = options.tableOptions(1);
    }

    /** Starts a flush if a memtable waits and none runs. */
    void scheduleFlush() {
        mutex.lock();
        try {
            if (!isFlushing && !isStopped && state.nextToFlush() != null) {
                isFlushing = true;
                resources.flushExecutor().execute(this::runFlushes);
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Starts a compaction if the picker finds one and none runs. */
    void scheduleCompaction() {
        mutex.lock();
        try {
            if (isCompacting || isStopped) {
                return;
            }
            StoreView view = state.retainView();
            CompactionPick pick;
            try {
                Version version = view.version();
                pick =
                        isFullRequested
                                ? picker.pickFull(version.runSizes(), true)
                                : picker.pick(version.runSizes());
                isFullRequested = false;
            } catch (RuntimeException e) {
                state.release(view);
                throw e;
            }
            if (pick == null) {
                state.release(view);
                idle.signalAll();
                return;
            }
            isCompacting = true;
            resources.compactionExecutor().execute(() -> runCompaction(view, pick));
        } finally {
            mutex.unlock();
        }
    }

    // Flush

    private void runFlushes() {
        Throwable failure = null;
        SealedMemtable sealed = state.nextToFlush();
        while (sealed != null && failure == null && !isStopped()) {
            try {
                flush(sealed);
                flushSucceeded(sealed);
                scheduleCompaction();
                sealed = state.nextToFlush();
            } catch (IOException | RuntimeException | Error e) {
                failure = e;
            }
        }
        mutex.lock();
        try {
            isFlushing = false;
            if (failure != null) {
                flushFailure = failure;
                flushFailureTotal++;
                stall.fail(failure);
                retry("flush", failure, flushFailureCount++, this::scheduleFlush);
            } else {
                // A memtable may have been sealed between the last look and now.
                scheduleFlush();
            }
            idle.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    private void flush(SealedMemtable sealed) throws IOException {
        // After this, every snapshot that is still to come sees all entries of the memtable.
        while (writer.visibleSequence() < sealed.lastSequence()) {
            if (writer.isBroken()) {
                throw new WritesStoppedException(
                        "a batch could not be written as a whole; reopen the store", null);
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(50));
        }
        VersionEdit.Builder edit = VersionEdit.builder();
        try (TableBuilder builder = builder(0, Long.MAX_VALUE, RateLimiter.Priority.HIGH)) {
            FlushJob.run(
                            sealed.memtable(),
                            resources.accountant(),
                            snapshots.sequenceNumbers(),
                            options.mergeOperator().orElse(null),
                            builder)
                    .forEach(edit::add);
        }
        edit.lastSequence(sealed.lastSequence());
        if (sealed.nextLogNumber() > 0) {
            edit.logNumber(sealed.nextLogNumber());
        }
        state.install(edit, sealed);
    }

    private void flushSucceeded(SealedMemtable sealed) {
        mutex.lock();
        try {
            StoreLog current = log;
            boolean isLogUsable = current != null && current.flushed(sealed.nextLogNumber());
            if (flushFailure != null || isLogUsable) {
                flushFailure = null;
                flushFailureCount = 0;
                logFailureCount = isLogUsable ? 0 : logFailureCount;
                letWritersGoOn();
            }
            failAtStopTrigger();
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private void letWritersGoOn() {
        StoreLog current = log;
        if (flushFailure == null && (current == null || !current.hasFailed())) {
            stall.clearFailure();
        }
    }

    // Write-ahead log

    /** Looks after a log from now on; before the first write. */
    void startLog(StoreLog started) {
        mutex.lock();
        try {
            log = started;
        } finally {
            mutex.unlock();
        }
        started.onFailure(this::logFailed);
        if (options.walSync() == StoreOptions.WalSync.INTERVAL) {
            syncLater(started);
        }
    }

    private void syncLater(StoreLog started) {
        resources.runLater(
                () -> {
                    started.syncPending();
                    if (!isStopped()) {
                        syncLater(started);
                    }
                },
                Math.max(1, options.walSyncInterval().toMillis()));
    }

    /** Stops the writers, and tries later to begin a new log. */
    private void logFailed(Throwable cause) {
        mutex.lock();
        try {
            stall.fail(cause);
            retry("write-ahead log", cause, logFailureCount++, this::restartLog);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Begins a new log if the last one has failed; with the flush that this brings, writers go on.
     */
    private void restartLog() {
        StoreLog current;
        mutex.lock();
        try {
            current = isStopped ? null : log;
        } finally {
            mutex.unlock();
        }
        if (current == null || !current.needsRestart()) {
            return;
        }
        try {
            state.seal(state.view().active());
        } catch (WritesStoppedException e) {
            mutex.lock();
            try {
                retry("write-ahead log", e, logFailureCount++, this::restartLog);
            } finally {
                mutex.unlock();
            }
        } catch (ClosedException e) {
            LOGGER.debug("store was closed before its log could be begun again", e);
        }
    }

    // Compaction

    private void runCompaction(StoreView view, CompactionPick pick) {
        Throwable failure = null;
        try {
            compact(view, pick);
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        } finally {
            state.release(view);
        }
        mutex.lock();
        try {
            isCompacting = false;
            if (failure == null) {
                compactionSucceeded();
                scheduleCompaction();
            } else if (!isStopped) {
                compactionFailure = failure;
                compactionFailureTotal++;
                failAtStopTrigger();
                retry("compaction", failure, compactionFailureCount++, this::scheduleCompaction);
            }
            idle.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private void compactionSucceeded() {
        if (compactionFailure != null) {
            compactionFailure = null;
            compactionFailureCount = 0;
            letWritersGoOn();
        }
    }

    /** Tries again later, unless the store is being closed. */
    @GuardedBy("mutex")
    private void retry(String what, Throwable failure, int failureCount, Runnable task) {
        if (isStopped) {
            return;
        }
        long delayMillis =
                Math.min(RETRY_MILLIS_MAX, RETRY_MILLIS_MIN << Math.min(failureCount, 10));
        LOGGER.warn("{} failed, next try in {} ms", what, delayMillis, failure);
        resources.runLater(task, delayMillis);
    }

    private void compact(StoreView view, CompactionPick pick) throws IOException {
        List<SortedRun> inputs = view.version().runs().subList(0, pick.runCount());
        Map<Long, SstReader> readers = new HashMap<>();
        for (int i = 0; i < pick.runCount(); i++) {
            TableRun run = view.runs()[i];
            for (int t = 0; t < run.tableCount(); t++) {
                readers.put(run.run().table(t).id(), run.table(t).reader());
            }
        }
        CompactionJob job =
                new CompactionJob(
                        inputs,
                        pick,
                        resources.accountant(),
                        snapshots.sequenceNumbers(),
                        options.mergeOperator().orElse(null),
                        table -> new TableEntries(reader(readers, table).scan(null, null)),
                        () ->
                                builder(
                                        pick.outputLevel(),
                                        options.targetFileSizeBytes(),
                                        RateLimiter.Priority.LOW));
        state.install(job.run(), null);
    }

    private static SstReader reader(Map<Long, SstReader> readers, TableMetadata table) {
        SstReader reader = readers.get(table.id());
        if (reader == null) {
            throw new IllegalStateException("input table is not open: " + table);
        }
        return reader;
    }

    /** Lets writers know of a failed compaction when only a compaction could let them go on. */
    @GuardedBy("mutex")
    private void failAtStopTrigger() {
        Throwable cause = compactionFailure;
        if (cause != null && stall.state() == WriteStallController.State.STOPPED) {
            stall.fail(cause);
        }
    }

    private TableBuilder builder(int level, long tableSizeBytes, RateLimiter.Priority priority) {
        return new TableBuilder(
                state.directory(),
                level == 0 ? level0Options : tableOptions,
                resources.accountant(),
                state::newTableId,
                level,
                tableSizeBytes,
                bytes -> written(bytes, priority));
    }

    private void written(long bytes, RateLimiter.Priority priority) throws IOException {
        stall.noteProgress();
        if (priority == RateLimiter.Priority.HIGH) {
            return;
        }
        if (isStopped()) {
            throw new InterruptedIOException("store is being closed");
        }
        try {
            resources.compactionRateLimiter().acquire(bytes, priority);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the compaction was held back");
        }
    }

    // Waiting and stopping

    /**
     * Flushes until no memtable waits for it.
     *
     * @throws WritesStoppedException if a flush fails meanwhile
     */
    void flushAndAwait() throws InterruptedException {
        mutex.lock();
        try {
            int failureCount = flushFailureTotal;
            scheduleFlush();
            // The last flush counts when writers have been told of its success as well.
            while (isFlushing || state.nextToFlush() != null) {
                Throwable failure = flushFailure;
                if (failure != null && flushFailureTotal != failureCount) {
                    throw new WritesStoppedException("flush failed: cause=" + failure, failure);
                }
                idle.await();
            }
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Merges everything into one run and waits for it, and for what the picker finds afterwards.
     *
     * @param isFull false to wait only for what the picker finds
     * @throws WritesStoppedException if a compaction fails
     */
    void compactAndAwait(boolean isFull) throws InterruptedException {
        mutex.lock();
        try {
            while (isCompacting) {
                idle.await();
            }
            int failureCount = compactionFailureTotal;
            isFullRequested = isFull;
            scheduleCompaction();
            while (isCompacting) {
                idle.await();
                Throwable failure = compactionFailure;
                if (failure != null && compactionFailureTotal != failureCount) {
                    throw new WritesStoppedException(
                            "compaction failed: cause=" + failure, failure);
                }
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Tries again at once what has failed, without waiting for the next retry. */
    void resume() {
        restartLog();
        scheduleFlush();
        scheduleCompaction();
    }

    /** Starts nothing any more, and waits for what runs; compactions end early. */
    void stop() {
        boolean interrupted = false;
        mutex.lock();
        try {
            isStopped = true;
            while (isFlushing || isCompacting) {
                try {
                    idle.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            mutex.unlock();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isStopped() {
        mutex.lock();
        try {
            return isStopped;
        } finally {
            mutex.unlock();
        }
    }
}
