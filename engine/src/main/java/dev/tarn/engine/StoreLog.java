package dev.tarn.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.tarn.engine.internal.wal.WalFiles;
import dev.tarn.engine.internal.wal.WalOptions;
import dev.tarn.engine.internal.wal.WalWriter;
import dev.tarn.engine.internal.wal.WriteBatchBuffer;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The write-ahead log of an open store, and whether it can be written to.
 *
 * <p>Owner: owns the active log; the store closes it, once.
 *
 * <p>Threads: {@link #append} by writers that hold the read side of the seal gate, {@link #rotate}
 * and {@link #end} by the holder of its write side, the others by any.
 *
 * <p>Errors: after a failed write or sync nothing is appended until two things have happened: a new
 * log was started, and all that was written before is in tables. So what failed is never replayed
 * behind writes that came after it, and what was acknowledged without a sync and may have been lost
 * with the failed log is durable before anything newer is.
 */
final class StoreLog {
    private final FileSystem directory;
    private final WalWriter writer;

    private final ReentrantLock mutex = new ReentrantLock();

    /** What has failed and is not over yet; null if nothing. */
    private volatile @Nullable Throwable failure;

    private volatile boolean ended;

    /** The log that was started after the failure; 0 if there was none or it was not yet. */
    @GuardedBy("mutex")
    private long restartedLogNumber;

    private volatile Consumer<Throwable> onFailure = cause -> {};

    private StoreLog(FileSystem directory, WalWriter writer) {
        this.directory = directory;
        this.writer = writer;
    }

    /**
     * Starts a log.
     *
     * @param logNumber larger than those of all logs there
     * @param appendedBatches in all logs there
     * @param takenSequence the last sequence number taken; the log takes the next from it
     */
    static StoreLog start(
            FileSystem directory,
            StoreOptions options,
            long logNumber,
            long appendedBatches,
            MemoryAccountant accountant,
            AtomicLong takenSequence)
            throws IOException {
        return new StoreLog(
                directory,
                new WalWriter(
                        directory,
                        walOptions(options),
                        logNumber,
                        appendedBatches,
                        accountant,
                        System::nanoTime,
                        takenSequence));
    }

    private static WalOptions walOptions(StoreOptions options) {
        return switch (options.walSync()) {
            case EVERY_WRITE -> WalOptions.everyWrite();
            case INTERVAL -> WalOptions.interval(options.walSyncInterval().toNanos());
            case NEVER -> WalOptions.never();
        };
    }

    /** Sets who is told of a failure, once for each until it is over; called under the gate. */
    void onFailure(Consumer<Throwable> listener) {
        onFailure = listener;
    }

    /**
     * Writes a batch to the log, durably if the options say so, and gives it its sequence numbers.
     *
     * @return the first of them
     * @throws WritesStoppedException if the log has failed; {@link WriteBatchBuffer#firstSequence}
     *     tells whether numbers were taken all the same
     */
    long append(WriteBatchBuffer batch) {
        batch.forgetSequence();
        checkWritable();
        try {
            return writer.append(batch);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Throws why nothing can be appended, if so. */
    void checkWritable() {
        if (ended) {
            throw new ClosedException("store is closed: " + directory.describe(""));
        }
        Throwable cause = failure;
        if (cause != null) {
            throw stopped(cause);
        }
    }

    private static WritesStoppedException stopped(Throwable cause) {
        return new WritesStoppedException("write-ahead log failed: cause=" + cause, cause);
    }

    /** Notes a failure and returns what the caller has to throw. */
    private WritesStoppedException failed(Throwable cause) {
        boolean isFirst = false;
        mutex.lock();
        try {
            if (failure == null) {
                failure = cause;
                restartedLogNumber = 0;
                isFirst = true;
            }
        } finally {
            mutex.unlock();
        }
        if (isFirst) {
            onFailure.accept(cause);
        }
        return stopped(cause);
    }

    /** Whether the log has failed and is not usable yet. */
    boolean hasFailed() {
        return failure != null;
    }

    /** Whether the log has failed and no new one was started. */
    boolean needsRestart() {
        mutex.lock();
        try {
            return failure != null && restartedLogNumber == 0 && !ended;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Ends the active log and starts the next.
     *
     * @throws WritesStoppedException if that fails; the log has failed then
     */
    void rotate() {
        try {
            writer.rotate();
        } catch (IOException e) {
            throw failed(e);
        }
        mutex.lock();
        try {
            if (failure != null) {
                restartedLogNumber = writer.logNumber();
            }
        } finally {
            mutex.unlock();
        }
    }

    /** The number of the active log. */
    long logNumber() {
        return writer.logNumber();
    }

    /**
     * Notes that a flush was committed.
     *
     * @param logNumber what came before this log is in tables
     * @return whether a failure is over with that
     */
    boolean flushed(long logNumber) {
        mutex.lock();
        try {
            if (failure == null || restartedLogNumber == 0 || logNumber < restartedLogNumber) {
                return false;
            }
            failure = null;
            restartedLogNumber = 0;
            return true;
        } finally {
            mutex.unlock();
        }
    }

    /** Makes durable what waits for it; a failure is told as one of an append is. */
    void syncPending() {
        if (failure != null || ended) {
            return;
        }
        try {
            writer.syncPending();
        } catch (IOException e) {
            // Whoever writes next gets it, and the listener has it now.
            WritesStoppedException unused = failed(e);
        } catch (ClosedException e) {
            // The timer came too late: closing has made everything durable.
            assert ended : e;
        }
    }

    /** Deletes the logs that a version no longer needs, but never the active one. */
    void deleteBelow(long logNumber) throws IOException {
        WalFiles.deleteBelow(directory, Math.min(logNumber, writer.logNumber()));
    }

    /** Refuses all further appends, for good. */
    void end() {
        ended = true;
    }

    /** Closes the active log, after {@link #end}. */
    void close() throws IOException {
        writer.close();
    }
}
