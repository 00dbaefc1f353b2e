package dev.tarn.engine;

import dev.tarn.codec.Hash64;
import dev.tarn.codec.ValueKind;
import dev.tarn.engine.internal.compaction.TimeSource;
import dev.tarn.engine.internal.compaction.UniversalCompactionPicker;
import dev.tarn.engine.internal.compaction.WriteStallController;
import dev.tarn.engine.internal.compaction.WriteStallOptions;
import dev.tarn.engine.internal.iterator.EntryIterator;
import dev.tarn.engine.internal.iterator.MemtableEntries;
import dev.tarn.engine.internal.iterator.MergingIterator;
import dev.tarn.engine.internal.iterator.RunEntries;
import dev.tarn.engine.internal.iterator.TableEntries;
import dev.tarn.engine.internal.read.ReadContext;
import dev.tarn.engine.internal.version.ManifestLog;
import dev.tarn.engine.internal.wal.WalFiles;
import dev.tarn.engine.internal.wal.WalReplay;
import dev.tarn.io.FileLock;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.ClosedException;
import dev.tarn.memtable.Memtable;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An embedded key-value store over bytes: ordered keys, snapshots, atomic batches, merge operands.
 *
 * <p>Keys have 0 to 65,535 bytes and are ordered unsigned; values have up to 256 MiB.
 *
 * <p>Owner: whoever opens a store closes it, once, after its snapshots, sessions and iterators.
 *
 * <p>Threads: any number of threads read at once; any number write, or one, as {@link
 * StoreOptions#writers()} says.
 *
 * <p>Durability: what was written before {@link #flush()} or {@link #close()} returned survives
 * everything. With {@code write-ahead-log.enabled}, every write that has returned survives the end
 * of the process, and a power cut as {@link StoreOptions#walSync()} says.
 *
 * <p>Errors: {@link IOException} for a fault of the device, {@link
 * dev.tarn.codec.CorruptDataException} for damaged files, {@link WritesStoppedException} when the
 * background has failed: reads go on then. Use after close throws {@link ClosedException}.
 */
public final class LsmStore implements AutoCloseable {
    /** What {@code get} returns for a key without a value. */
    public static final int ABSENT = -1;

    private static final String LOCK = "LOCK";

    private final StoreResources resources;
    private final boolean ownsResources;
    private final FileSystem directory;
    private final StoreOptions options;
    private final FileLock lock;
    private final SnapshotList snapshots = new SnapshotList();
    private final WriteStallController stall;
    private final StoreState state;
    private final StoreWriter writer;
    private final StoreReader reader;
    private final StoreBackground background;
    private final AtomicInteger openIteratorCount = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Null without a log; set before the store is handed out. */
    private @Nullable StoreLog log;

    private LsmStore(
            StoreResources resources,
            boolean ownsResources,
            FileSystem directory,
            StoreOptions options,
            FileLock lock,
            ManifestLog manifest)
            throws IOException {
        this.resources = resources;
        this.ownsResources = ownsResources;
        this.directory = directory;
        this.options = options;
        this.lock = lock;
        stall =
                new WriteStallController(
                        WriteStallOptions.of(options.compaction(), options.writeBufferSizeBytes()),
                        TimeSource.SYSTEM);
        state = new StoreState(resources, directory, options, stall, manifest);
        writer = new StoreWriter(state, stall, manifest.version().lastSequence());
        reader = new StoreReader(options.mergeOperator().orElse(null));
        background =
                new StoreBackground(
                        resources,
                        state,
                        options,
                        new UniversalCompactionPicker(
                                options.compaction(),
                                System::currentTimeMillis,
                                () -> LocalTime.now(ZoneId.systemDefault()).getHour()),
                        snapshots,
                        stall,
                        writer);
        state.start(writer::lastSequence, background::scheduleFlush);
    }

    /**
     * Opens a store with resources of its own, creating it if the directory is empty.
     *
     * @param directory whose root is the store's directory
     * @throws dev.tarn.io.LockedException if it is open already; the message names the holder
     */
    public static LsmStore open(FileSystem directory, StoreOptions options) throws IOException {
        StoreResources resources = StoreResources.forOneStore(options);
        try {
            return open(resources, true, directory, options);
        } catch (IOException | RuntimeException | Error e) {
            resources.close();
            throw e;
        }
    }

    /** Opens a store that shares its resources with others; they stay open when it is closed. */
    public static LsmStore open(
            StoreResources resources, FileSystem directory, StoreOptions options)
            throws IOException {
        return open(resources, false, directory, options);
    }

    private static LsmStore open(
            StoreResources resources,
            boolean ownsResources,
            FileSystem directory,
            StoreOptions options)
            throws IOException {
        resources.enterStore();
        FileLock lock = null;
        ManifestLog manifest = null;
        try {
            directory.createDirectories("");
            lock = directory.lock(LOCK, "pid " + ProcessHandle.current().pid());
            OptionsFile.checkAndWrite(directory, options, resources.accountant());
            manifest = ManifestLog.open(directory, resources.accountant());
            for (String orphan : manifest.orphans(List.of())) {
                directory.delete(orphan);
            }
            LsmStore store =
                    new LsmStore(resources, ownsResources, directory, options, lock, manifest);
            // From here on the store closes it.
            manifest = null;
            store.recover();
            store.background.scheduleCompaction();
            return store;
        } catch (IOException | RuntimeException | Error e) {
            resources.leaveStore();
            if (manifest != null) {
                manifest.close();
            }
            if (lock != null) {
                lock.close();
            }
            throw e;
        }
    }

    /** Brings in what only the logs have, and starts a log if there has to be one. */
    private void recover() throws IOException {
        try {
            long firstLog = Math.max(1, state.view().version().logNumber());
            WalFiles.deleteBelow(directory, firstLog);
            WalReplay.Result replayed = replay(firstLog);
            if (options.walEnabled()) {
                StoreLog started =
                        StoreLog.start(
                                directory,
                                options,
                                replayed.nextLogNumber(),
                                replayed.appendedBatches(),
                                resources.accountant(),
                                writer.takenSequence());
                log = started;
                state.startLog(started);
                writer.startLog(started);
                background.startLog(started);
            }
        } catch (IOException | RuntimeException | Error e) {
            try {
                closeState();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private WalReplay.Result replay(long firstLog) throws IOException {
        WalReplay.Result replayed =
                WalReplay.replay(directory, firstLog, resources.accountant(), writer::recover);
        if (replayed.nextLogNumber() > firstLog) {
            state.recovered(replayed.nextLogNumber());
        }
        // A single writer need not be the thread that opens.
        state.view().active().releaseWriter();
        return replayed;
    }

    // Writing

    /** Gives a key a value. */
    public void put(byte[] key, byte[] value) {
        write(key, value, ValueKind.PUT);
    }

    /** As the other {@code put}, from off-heap memory, without copying to the heap. */
    public void put(BytesView key, BytesView value) {
        write(key, value, ValueKind.PUT);
    }

    /** Takes a key's value away; a key without one is no error. */
    public void delete(byte[] key) {
        write(key, new byte[0], ValueKind.DELETE);
    }

    /** As the other {@code delete}, from off-heap memory. */
    public void delete(BytesView key) {
        write(key, new BytesView(), ValueKind.DELETE);
    }

    /**
     * Folds an operand onto a key's value, when it is read or compacted.
     *
     * @throws IllegalStateException if the store was opened without a merge operator
     */
    public void merge(byte[] key, byte[] operand) {
        checkMergeOperator();
        write(key, operand, ValueKind.MERGE);
    }

    /** As the other {@code merge}, from off-heap memory. */
    public void merge(BytesView key, BytesView operand) {
        checkMergeOperator();
        write(key, operand, ValueKind.MERGE);
    }

    /**
     * Writes a batch, which becomes visible as a whole; the batch may be used again.
     *
     * @throws IllegalArgumentException if it is larger than a memtable
     */
    public void write(WriteBatch batch) {
        checkOpen();
        if (batch.hasMerges()) {
            checkMergeOperator();
        }
        writer.write(batch.entries());
    }

    private void write(byte[] key, byte[] value, byte kind) {
        WriteBatch.checkLengths(key.length, value.length);
        ReadContext context = context();
        if (writer.isLogged()) {
            writer.writeLogged(context.write().add(kind, key, value));
            return;
        }
        write(context.key(key), context.valueBytes(value), kind);
    }

    private void write(BytesView key, BytesView value, byte kind) {
        checkOpen();
        if (writer.isLogged()) {
            writeLogged(key, value, kind);
            return;
        }
        writer.write(
                key.memory(),
                key.offset(),
                key.length(),
                value.memory(),
                value.offset(),
                value.length(),
                kind);
    }

    private void writeLogged(BytesView key, BytesView value, byte kind) {
        WriteBatch.checkLengths(key.length(), value.length());
        writer.writeLogged(
                context()
                        .write()
                        .add(
                                kind,
                                key.memory(),
                                key.offset(),
                                key.length(),
                                value.memory(),
                                value.offset(),
                                value.length()));
    }

    private void checkMergeOperator() {
        if (options.mergeOperator().isEmpty()) {
            throw new IllegalStateException(
                    "store has no merge operator; give StoreOptions.Builder.mergeOperator one");
        }
    }

    // Reading

    /** Returns a copy of a key's value, or null. */
    public byte @Nullable [] get(byte[] key) throws IOException {
        return get(key, null);
    }

    /** As the other {@code get}, in the state of a snapshot. */
    public byte @Nullable [] get(byte[] key, @Nullable Snapshot snapshot) throws IOException {
        ReadContext context = context();
        context.pin().enter();
        try {
            return find(context, context.key(key), snapshot) ? context.value().toByteArray() : null;
        } finally {
            context.pin().leave();
        }
    }

    /**
     * Copies a key's value to a buffer's position, which moves on, as far as there is room.
     *
     * @return the length of the whole value, which may exceed what was copied; {@link #ABSENT} if
     *     there is none
     */
    public int get(BytesView key, ByteBuffer target) throws IOException {
        ReadContext context = context();
        context.pin().enter();
        try {
            if (!find(context, key, null)) {
                return ABSENT;
            }
            BytesView value = context.value();
            value.memory()
                    .getBytes(value.offset(), target, Math.min(value.length(), target.remaining()));
            return value.length();
        } finally {
            context.pin().leave();
        }
    }

    /** Looks up all keys of a batch in one state; the results are in the batch. */
    public void multiGet(LookupBatch batch) throws IOException {
        multiGet(batch, null);
    }

    /** As the other {@code multiGet}, in the state of a snapshot. */
    public void multiGet(LookupBatch batch, @Nullable Snapshot snapshot) throws IOException {
        ReadContext context = context();
        context.pin().enter();
        try {
            StoreView view = state.view();
            reader.multiGet(view, context, batch, sequenceNumber(snapshot));
        } finally {
            context.pin().leave();
        }
    }

    /** Returns an empty batch for {@link #multiGet}, which the caller closes before the store. */
    public LookupBatch newLookupBatch(int capacity) {
        checkOpen();
        return new LookupBatch(resources, capacity);
    }

    /** Opens a session for many lookups of the calling thread in the present state. */
    public ReadSession openReadSession() {
        return openReadSession(null);
    }

    /** As the other {@code openReadSession}, in the state of a snapshot. */
    public ReadSession openReadSession(@Nullable Snapshot snapshot) {
        ReadContext context = context();
        context.pin().enter();
        return new ReadSession(reader, context, state.view(), sequenceNumber(snapshot));
    }

    private boolean find(ReadContext context, BytesView key, @Nullable Snapshot snapshot)
            throws IOException {
        StoreView view = state.view();
        return reader.get(view, context, Hash64.hash(key), key, sequenceNumber(snapshot));
    }

    /** Loaded after the view, so that the view has everything that the number promises. */
    private long sequenceNumber(@Nullable Snapshot snapshot) {
        return snapshot == null ? writer.visibleSequence() : snapshot.sequenceNumber();
    }

    /** Takes a snapshot of the present state. */
    public Snapshot snapshot() {
        checkOpen();
        return snapshots.take(writer::visibleSequence);
    }

    /** Opens an iterator over all keys in the present state. */
    public StoreIterator iterator() throws IOException {
        return iterator(null, null, null);
    }

    /**
     * Opens an iterator.
     *
     * @param lower the first key, inclusive; null for no bound
     * @param upper the key to end before; null for no bound
     * @param snapshot null for the present state
     */
    public StoreIterator iterator(
            byte @Nullable [] lower, byte @Nullable [] upper, @Nullable Snapshot snapshot)
            throws IOException {
        checkOpen();
        openIteratorCount.incrementAndGet();
        StoreView view = state.retainView();
        List<EntryIterator> sources = new ArrayList<>();
        try {
            long sequenceNumber = sequenceNumber(snapshot);
            addSources(view, sources);
            return new StoreIterator(
                    new MergingIterator(sources),
                    resources.accountant(),
                    sequenceNumber,
                    lower,
                    upper,
                    options.mergeOperator().orElse(null),
                    () -> {
                        state.release(view);
                        openIteratorCount.decrementAndGet();
                    });
        } catch (RuntimeException | Error e) {
            for (EntryIterator source : sources) {
                source.close();
            }
            state.release(view);
            openIteratorCount.decrementAndGet();
            throw e;
        }
    }

    private static void addSources(StoreView view, List<EntryIterator> sources) {
        sources.add(new MemtableEntries(view.active()));
        for (Memtable sealed : view.sealed()) {
            sources.add(new MemtableEntries(sealed));
        }
        for (TableRun run : view.runs()) {
            sources.add(
                    new RunEntries(
                            run.run(),
                            table ->
                                    new TableEntries(
                                            run.table(table).reader().iterator(null, null))));
        }
    }

    private ReadContext context() {
        checkOpen();
        return resources.readContexts().get();
    }

    // Maintenance

    /**
     * Writes everything that was written before to tables, and waits until it is durable.
     *
     * @throws IllegalStateException if another thread is the writer, with a single writer
     */
    public void flush() throws InterruptedException {
        checkOpen();
        state.seal(state.view().active());
        background.flushAndAwait();
    }

    /** Flushes, merges all tables into one run, and waits for that. */
    public void compact() throws InterruptedException {
        flush();
        background.compactAndAwait(true);
    }

    /** Waits until no flush and no compaction is due. */
    public void awaitQuiescence() throws InterruptedException {
        checkOpen();
        background.flushAndAwait();
        background.compactAndAwait(false);
    }

    /** Tries again at once what failed in the background, rather than after a while. */
    public void resume() {
        checkOpen();
        background.resume();
    }

    /** Returns counts and sizes as they are now. */
    public StoreStatistics statistics() {
        checkOpen();
        ReadContext context = context();
        context.pin().enter();
        try {
            return StoreStatistics.of(state.view(), stall, snapshots.count());
        } finally {
            context.pin().leave();
        }
    }

    public StoreOptions options() {
        return options;
    }

    /**
     * Flushes, stops the background and closes everything.
     *
     * <p>With a single writer, that thread closes.
     *
     * <p>If the flush fails, everything else is closed and the failure thrown: what was not flushed
     * is lost then.
     *
     * @throws IllegalStateException if an iterator is still open; the store stays open then
     * @throws ClosedException if it was closed before
     */
    @Override
    @SuppressWarnings("try") // The resources are there to be closed, in the reverse order.
    public void close() throws IOException {
        if (openIteratorCount.get() != 0) {
            throw new IllegalStateException(
                    "store closed while iterators are open: openIteratorCount="
                            + openIteratorCount);
        }
        if (!closed.compareAndSet(false, true)) {
            throw new ClosedException("store closed twice: " + directory.describe(""));
        }
        try (StoreResources owned = ownsResources ? resources : null;
                Closeable leaving = resources::leaveStore;
                FileLock released = lock;
                Closeable closing = this::closeState) {
            state.sealLast();
            background.flushAndAwait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WritesStoppedException("interrupted while closing", e);
        }
    }

    @SuppressWarnings("try") // The resources are there to be closed, in the reverse order.
    private void closeState() throws IOException {
        state.beginClose();
        stall.close();
        background.stop();
        try (Closeable closingState = state::close;
                Closeable ending = this::closeLog) {}
    }

    /** Ends the log, which after a flush of everything is no longer needed. */
    private void closeLog() throws IOException {
        StoreLog current = log;
        if (current == null) {
            return;
        }
        current.end();
        current.close();
        WalFiles.deleteBelow(directory, state.view().version().logNumber());
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new ClosedException("store is closed: " + directory.describe(""));
        }
    }
}
