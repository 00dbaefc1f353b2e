package dev.tarn.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.tarn.engine.internal.compaction.WriteStallController;
import dev.tarn.engine.internal.read.ReadEpochs;
import dev.tarn.engine.internal.version.ManifestLog;
import dev.tarn.engine.internal.version.SortedRun;
import dev.tarn.engine.internal.version.TableMetadata;
import dev.tarn.engine.internal.version.Version;
import dev.tarn.engine.internal.version.VersionEdit;
import dev.tarn.engine.internal.wal.WalFiles;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryBudgetExceededException;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memtable.Memtable;
import dev.tarn.memtable.MemtableOptions;
import dev.tarn.memtable.PutStatus;
import dev.tarn.memtable.WriterMode;
import dev.tarn.sst.SstReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a store consists of at the moment: its memtables, its version, its open tables; and the only
 * place where that changes.
 *
 * <p>Threads: {@link #view()} by any; changes by any, one after the other.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>{@code view} shows the active memtable, every memtable of {@code flushQueue}, and the
 *       tables of the manifest's version.
 *   <li>A table's file is deleted when the version does not name it and no view shows it.
 *   <li>A batch, and with a log every write, holds the read side of {@code sealGate} from before it
 *       is logged until it is visible. So a memtable is never sealed in the middle of one, and a
 *       log ends with its memtable: what a log holds is in the memtables from that one on.
 * </ol>
 *
 * <p>Locks, in the order in which they are taken: {@code sealGate}, {@code manifestMutex}, {@code
 * mutex}. Only the manifest is written, and the log appended to and changed, under the first two;
 * nothing under the last.
 *
 * <p>Publication: the volatile store to {@code view}; see docs/concurrency/reclamation.md.
 */
final class StoreState {
    private static final Logger LOGGER = LoggerFactory.getLogger(StoreState.class);
    static final long ROOM_TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long ROOM_MARGIN_BYTES = 8 << 20;
    private static final long RETRY_ROOM_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final StoreResources resources;
    private final ReadEpochs epochs;
    private final FileSystem directory;
    private final StoreOptions options;
    private final WriteStallController stall;
    private final AtomicLong nextTableId;

    /** Views that somebody still holds, the current one included. */
    private final AtomicInteger liveViewCount = new AtomicInteger();

    private final ReentrantReadWriteLock sealGate = new ReentrantReadWriteLock();
    private final ReentrantLock manifestMutex = new ReentrantLock();
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition changed = mutex.newCondition();

    @GuardedBy("manifestMutex")
    private final ManifestLog manifest;

    @GuardedBy("manifestMutex")
    private boolean manifestFailed;

    /** Oldest first. */
    @GuardedBy("mutex")
    private final ArrayDeque<SealedMemtable> flushQueue = new ArrayDeque<>();

    @GuardedBy("mutex")
    private final Map<Long, TableFile> tables = new HashMap<>();

    @GuardedBy("mutex")
    private boolean closed;

    /** Called without a lock when a memtable was sealed. */
    private Runnable onSealed = () -> {};

    private LongSupplier lastSequence = () -> 0;

    /** Null without a log, and until recovery is done. Set before any other thread writes. */
    private volatile @Nullable StoreLog log;

    /**
     * What to say without a log: the manifest's number, or more once recovery has read the logs.
     */
    private volatile long nextLogNumber;

    private volatile StoreView view;

    /**
     * Opens the tables of the manifest's version.
     *
     * @param manifest owned by this from now on
     */
    StoreState(
            StoreResources resources,
            FileSystem directory,
            StoreOptions options,
            WriteStallController stall,
            ManifestLog manifest)
            throws IOException {
        this.resources = resources;
        this.epochs = resources.readContexts().epochs();
        this.directory = directory;
        this.options = options;
        this.stall = stall;
        this.manifest = manifest;
        Version version = manifest.version();
        this.nextTableId = new AtomicLong(version.nextTableId());
        this.nextLogNumber = version.logNumber();
        mutex.lock();
        try {
            openTables(version.tables());
            view = newView(newMemtable(0), version);
            stall.update(version.runs().size(), 0);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Connects what is created after the state.
     *
     * @param lastSequence the newest sequence number taken
     * @param onSealed called without a lock whenever a memtable was sealed
     */
    void start(LongSupplier lastSequence, Runnable onSealed) {
        this.lastSequence = lastSequence;
        this.onSealed = onSealed;
    }

    /**
     * Says that what the logs hold is in the active memtable and those before it.
     *
     * @param number larger than that of every log there was
     */
    void recovered(long number) {
        nextLogNumber = number;
    }

    /** Logs all writes from now on; before the first of them. */
    void startLog(StoreLog started) {
        log = started;
    }

    StoreView view() {
        return view;
    }

    FileSystem directory() {
        return directory;
    }

    /** Returns an id that no table had. */
    long newTableId() {
        return nextTableId.getAndIncrement();
    }

    // Memtables

    /**
     * Seals the active memtable if it has its size and still is the active one.
     *
     * <p>The caller's write is done: if the log cannot be changed, the next write is told.
     */
    void sealIfFull(Memtable active) {
        if (active.approximateBytes() >= options.writeBufferSizeBytes()) {
            trySeal(active, false);
        }
    }

    /**
     * Seals the memtable if it still is the active one and has entries, or has to be sealed to make
     * a failed log usable again.
     *
     * @throws WritesStoppedException if the log cannot be changed; the memtable is not sealed then
     */
    void seal(Memtable active) {
        WritesStoppedException failure = trySeal(active, false);
        if (failure != null) {
            throw failure;
        }
    }

    /** Seals the active memtable for good: with a log, nothing is written after it. */
    void sealLast() {
        // Nothing fails: the log is not changed.
        trySeal(view.active(), true);
    }

    private @Nullable WritesStoppedException trySeal(Memtable active, boolean isLast) {
        StoreView old = null;
        sealGate.writeLock().lock();
        try {
            if (view.active() == active && needsSeal(active, isLast)) {
                long nextLog = changeLog(isLast);
                mutex.lock();
                try {
                    checkOpen();
                    active.seal();
                    flushQueue.addLast(
                            new SealedMemtable(active, lastSequence.getAsLong(), nextLog));
                    old = view;
                    view = newView(newMemtable(active.keyCount()), old.version());
                    stall.update(old.version().runs().size(), flushQueue.size());
                } finally {
                    mutex.unlock();
                }
            }
        } catch (WritesStoppedException e) {
            return e;
        } finally {
            sealGate.writeLock().unlock();
        }
        if (old != null) {
            retire(old);
            onSealed.run();
        }
        return null;
    }

    private boolean needsSeal(Memtable active, boolean isLast) {
        if (active.entryCount() > 0) {
            return true;
        }
        // Flushing an empty memtable tells the manifest that the logs are not needed any more.
        StoreLog current = log;
        return current == null
                ? isLast && nextLogNumber > view.version().logNumber()
                : isLast || current.needsRestart();
    }

    /** Ends the log with the memtable; returns the oldest log needed when that is in a table. */
    private long changeLog(boolean isLast) {
        StoreLog current = log;
        if (current == null) {
            return nextLogNumber;
        }
        if (isLast) {
            current.end();
            return current.logNumber() + 1;
        }
        current.rotate();
        return current.logNumber();
    }

    /**
     * Does what lets a writer go on that a memtable has refused.
     *
     * @throws ClosedException if the store is closed
     * @throws MemoryBudgetExceededException if no memory comes free in time
     */
    void makeRoom(Memtable refusing, PutStatus status) {
        if (status == PutStatus.SEALED || refusing.entryCount() > 0) {
            // Sealed by somebody else: this waits until he has put another in its place.
            seal(refusing);
            mutex.lock();
            try {
                checkOpen();
            } finally {
                mutex.unlock();
            }
            return;
        }
        awaitMemory();
    }

    /**
     * Waits until a flush may have given memory back.
     *
     * @throws MemoryBudgetExceededException if flushes wait for so long that none will
     */
    void awaitMemory() {
        awaitMemory(Long.MAX_VALUE);
    }

    /**
     * As the other {@code awaitMemory}, for one who cannot seal a memtable to make room.
     *
     * @param deadlineNanos by {@link System#nanoTime}, when no memory will come free
     */
    void awaitMemory(long deadlineNanos) {
        mutex.lock();
        try {
            int waiting = flushQueue.size();
            // With no flush of its own to wait for, other stores hold the memory: look again soon.
            long remainingNanos = waiting == 0 ? RETRY_ROOM_NANOS : ROOM_TIMEOUT_NANOS;
            checkOpen();
            while (flushQueue.size() >= waiting && remainingNanos > 0) {
                remainingNanos = changed.awaitNanos(remainingNanos);
                checkOpen();
            }
            boolean isTooLate =
                    deadlineNanos != Long.MAX_VALUE && System.nanoTime() - deadlineNanos >= 0;
            if (isTooLate || (waiting > 0 && remainingNanos <= 0)) {
                throw new MemoryBudgetExceededException(
                        "no memory for the memtable came free: waitingFlushes="
                                + flushQueue.size()
                                + " reservedBytes="
                                + resources.accountant().report()
                                + "; raise the memtable budget or lower write-buffer-size");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WritesStoppedException("interrupted while waiting for memory", e);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Returns the active memtable, with room for a batch, which nobody seals until {@link
     * #endWrite}.
     */
    @SuppressWarnings("LockNotBeforeTry") // Released by endWrite().
    Memtable beginBatch(long batchBytes) {
        if (batchBytes > options.writeBufferSizeBytes()) {
            throw new IllegalArgumentException(
                    "write batch is larger than a memtable: sizeBytes="
                            + batchBytes
                            + " writeBufferSizeBytes="
                            + options.writeBufferSizeBytes()
                            + "; write it in parts or raise write-buffer-size");
        }
        while (true) {
            Memtable active = beginWrite(batchBytes);
            if (active.entryCount() == 0
                    || active.approximateBytes() + batchBytes <= options.writeBufferSizeBytes()) {
                return active;
            }
            endWrite();
            seal(active);
        }
    }

    /** Returns the active memtable, which nobody seals until {@link #endWrite}. */
    @SuppressWarnings("LockNotBeforeTry") // Released by endWrite().
    Memtable beginWrite(long bytes) {
        while (true) {
            sealGate.readLock().lock();
            Memtable active = view.active();
            // A logged write must find its place in this memtable: it cannot be logged again.
            if (log == null || active.entryCount() == 0 || hasMemory(bytes)) {
                return active;
            }
            sealGate.readLock().unlock();
            seal(active);
        }
    }

    private boolean hasMemory(long bytes) {
        long limitBytes = resources.accountant().limitBytes(MemoryPurpose.MEMTABLE);
        // What an entry may take besides its bytes: a chunk, a larger index.
        long marginBytes = Math.min(ROOM_MARGIN_BYTES, limitBytes / 16);
        return bytes + marginBytes <= limitBytes - resources.chunkPool().lentBytes();
    }

    /** Ends what {@link #beginBatch} or {@link #beginWrite} began, on the same thread. */
    void endWrite() {
        sealGate.readLock().unlock();
    }

    /** Returns the memtable to flush next, or null. */
    @Nullable SealedMemtable nextToFlush() {
        mutex.lock();
        try {
            return flushQueue.peekFirst();
        } finally {
            mutex.unlock();
        }
    }

    private Memtable newMemtable(long expectedKeyCount) {
        // With a log any thread may have to seal, to make a failed log usable again.
        WriterMode mode =
                options.writers() == StoreOptions.Writers.SINGLE && !options.walEnabled()
                        ? WriterMode.SINGLE
                        : WriterMode.MULTI;
        return Memtable.create(
                resources.chunkPool(),
                MemtableOptions.builder()
                        .writerMode(mode)
                        .expectedKeyCount(expectedKeyCount)
                        .build());
    }

    // Versions

    /**
     * Makes changes durable and visible.
     *
     * @param flushed the memtable whose entries they bring in, the oldest of the queue; null if it
     *     comes from elsewhere
     * @throws IOException if it did not become durable; then nothing has changed, and the next call
     *     repairs the manifest first
     */
    void install(VersionEdit.Builder changes, @Nullable SealedMemtable flushed) throws IOException {
        manifestMutex.lock();
        try {
            VersionEdit edit = changes.nextTableId(nextTableId.get()).build();
            Map<Long, TableFile> opened = open(edit.added());
            Version next;
            try {
                next = append(edit);
            } catch (IOException | RuntimeException e) {
                closeAll(opened.values());
                throw e;
            }
            StoreView old;
            mutex.lock();
            try {
                tables.putAll(opened);
                if (flushed != null) {
                    SealedMemtable oldest = flushQueue.pollFirst();
                    assert oldest != null && oldest.memtable() == flushed.memtable()
                            : "memtables are flushed in order";
                }
                old = view;
                view = newView(old.active(), next);
                for (long removed : edit.removed()) {
                    tables.remove(removed);
                }
                stall.update(next.runs().size(), flushQueue.size());
            } finally {
                mutex.unlock();
            }
            retire(old);
        } finally {
            manifestMutex.unlock();
        }
        if (flushed != null) {
            flushed.memtable().close();
            deleteLogs(flushed.nextLogNumber());
        }
        mutex.lock();
        try {
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    /** Deletes the logs that the installed version does not need any more. */
    private void deleteLogs(long neededLogNumber) {
        try {
            StoreLog current = log;
            if (current != null) {
                current.deleteBelow(neededLogNumber);
            } else if (neededLogNumber > 0) {
                WalFiles.deleteBelow(directory, neededLogNumber);
            }
        } catch (IOException e) {
            // They stay behind as orphans, which the next flush or open deletes.
            LOGGER.warn("logs could not be removed: {}", directory.describe(""), e);
        }
    }

    @GuardedBy("manifestMutex")
    private Version append(VersionEdit edit) throws IOException {
        if (manifestFailed) {
            // The old file's end is not known; a new one says again what counts.
            manifest.restart();
            manifestFailed = false;
        }
        manifestFailed = true;
        Version next = manifest.append(edit);
        manifestFailed = false;
        return next;
    }

    private Map<Long, TableFile> open(List<TableMetadata> added) throws IOException {
        Map<Long, TableFile> opened = new HashMap<>();
        try {
            for (TableMetadata table : added) {
                SstReader reader =
                        SstReader.open(directory, table.name(), resources.readerContext());
                opened.put(table.id(), new TableFile(table, reader));
            }
        } catch (IOException | RuntimeException e) {
            closeAll(opened.values());
            throw e;
        }
        return opened;
    }

    @GuardedBy("mutex")
    private void openTables(List<TableMetadata> added) throws IOException {
        tables.putAll(open(added));
    }

    private static void closeAll(Iterable<TableFile> files) throws IOException {
        for (TableFile file : files) {
            file.reader().close();
        }
    }

    // Views

    /** Makes a view of the current queue and tables, which holds on to them. */
    @GuardedBy("mutex")
    private StoreView newView(Memtable active, Version version) {
        Memtable[] sealed = new Memtable[flushQueue.size()];
        int next = sealed.length;
        for (SealedMemtable queued : flushQueue) {
            sealed[--next] = queued.memtable();
            retain(queued.memtable());
        }
        retain(active);
        List<SortedRun> sortedRuns = version.runs();
        TableRun[] runs = new TableRun[sortedRuns.size()];
        for (int i = 0; i < runs.length; i++) {
            SortedRun run = sortedRuns.get(i);
            TableFile[] files = new TableFile[run.tableCount()];
            for (int t = 0; t < files.length; t++) {
                files[t] = tableFile(run.table(t));
                files[t].viewCount++;
            }
            runs[i] = new TableRun(run, files);
        }
        liveViewCount.incrementAndGet();
        return new StoreView(active, sealed, version, runs);
    }

    @GuardedBy("mutex")
    private TableFile tableFile(TableMetadata table) {
        TableFile file = tables.get(table.id());
        if (file == null) {
            throw new IllegalStateException("table of the version is not open: " + table);
        }
        return file;
    }

    private static void retain(Memtable memtable) {
        if (!memtable.tryRetain()) {
            throw new IllegalStateException("memtable of a view is closed: " + memtable);
        }
    }

    /** Gives the store's reference on a replaced view back, once no point read looks at it. */
    private void retire(StoreView old) {
        epochs.retire(() -> release(old));
    }

    /**
     * Returns the current view with a reference on it, for readers that stay; {@link #release}
     * gives it back.
     */
    StoreView retainView() {
        ReadEpochs.Pin pin = epochs.pin();
        pin.enter();
        try {
            while (true) {
                StoreView current = view;
                if (current.tryRetain()) {
                    return current;
                }
            }
        } finally {
            pin.leave();
        }
    }

    /** Gives a reference on a view back; the last one closes what nobody else needs. */
    void release(StoreView released) {
        if (!released.release()) {
            return;
        }
        released.active().release();
        for (Memtable memtable : released.sealed()) {
            memtable.release();
        }
        List<TableFile> unused = new ArrayList<>();
        mutex.lock();
        try {
            for (TableRun run : released.runs()) {
                for (int i = 0; i < run.tableCount(); i++) {
                    TableFile file = run.table(i);
                    if (--file.viewCount == 0) {
                        unused.add(file);
                    }
                }
            }
        } finally {
            mutex.unlock();
        }
        // Only what the current view does not show gets here, or everything when the store closes.
        for (TableFile file : unused) {
            closeUnused(file, released == view);
        }
        liveViewCount.decrementAndGet();
    }

    private void closeUnused(TableFile file, boolean isStillNamed) {
        try {
            file.reader().close();
            if (!isStillNamed) {
                directory.delete(file.name());
            }
        } catch (IOException e) {
            // The file stays behind as an orphan, which the next open deletes.
            LOGGER.warn("table could not be removed: {}", directory.describe(file.name()), e);
        }
    }

    // Closing

    /** Refuses all further changes of memtables. */
    void beginClose() {
        mutex.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private void checkOpen() {
        if (closed) {
            throw new ClosedException("store is closed: " + directory.describe(""));
        }
    }

    /**
     * Closes everything; nobody reads, writes, flushes or compacts any more, and no iterator is
     * open. Memtables that were not flushed are lost.
     */
    void close() throws IOException {
        while (liveViewCount.get() > 1) {
            // Point reads of other stores may hold up the release of old views for a moment.
            epochs.releaseUnread();
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
        }
        StoreView last = view;
        last.active().close();
        mutex.lock();
        try {
            flushQueue.forEach(queued -> queued.memtable().close());
        } finally {
            mutex.unlock();
        }
        release(last);
        manifestMutex.lock();
        try {
            manifest.close();
        } finally {
            manifestMutex.unlock();
        }
    }
}
