package dev.tarn.engine.internal.flush;

import dev.tarn.codec.Hash64;
import dev.tarn.engine.internal.iterator.EntrySink;
import dev.tarn.engine.internal.version.TableMetadata;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.SstOptions;
import dev.tarn.sst.SstProperties;
import dev.tarn.sst.SstWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes entries to tables, and begins a new table when one has its size.
 *
 * <p>All versions of a key go to one table, so that the tables are disjoint.
 *
 * <p>Owner: the caller closes it, once; tables that were not {@linkplain #finish finished} are
 * deleted then.
 *
 * <p>Threads: belongs to one thread.
 */
public final class TableBuilder implements EntrySink, AutoCloseable {
    /** Takes note of what has been written, and may make the writer wait. */
    @FunctionalInterface
    public interface Progress {
        void written(long bytes) throws IOException;
    }

    private static final long PROGRESS_BYTES = 1 << 20;

    private final FileSystem directory;
    private final SstOptions options;
    private final MemoryAccountant accountant;
    private final LongSupplier newTableIds;
    private final LongFunction<String> names;
    private final int level;
    private final long tableSizeBytes;
    private final Progress progress;
    private final List<TableMetadata> finished = new ArrayList<>();

    private @Nullable SstWriter writer;
    private String name = "";
    private long id;
    private long writtenBytes;
    private long reportedBytes;
    private boolean isComplete;

    private OffHeapMemory lastKey = OffHeapMemory.wrap(new byte[256]);
    private int lastKeyLength;

    /**
     * Creates a builder.
     *
     * @param newTableIds gives each table an id that was never used
     * @param level of the tables
     * @param tableSizeBytes of keys and values at which a new table is begun
     */
    public TableBuilder(
            FileSystem directory,
            SstOptions options,
            MemoryAccountant accountant,
            LongSupplier newTableIds,
            int level,
            long tableSizeBytes,
            Progress progress) {
        this(
                directory,
                options,
                accountant,
                newTableIds,
                TableBuilder::tableName,
                level,
                tableSizeBytes,
                progress);
    }

    /**
     * Creates a builder whose tables have names of the caller's choice.
     *
     * @param names gives the name of the table with an id
     */
    public TableBuilder(
            FileSystem directory,
            SstOptions options,
            MemoryAccountant accountant,
            LongSupplier newTableIds,
            LongFunction<String> names,
            int level,
            long tableSizeBytes,
            Progress progress) {
        this.directory = directory;
        this.options = options;
        this.accountant = accountant;
        this.newTableIds = newTableIds;
        this.names = names;
        this.level = level;
        this.tableSizeBytes = tableSizeBytes;
        this.progress = progress;
    }

    /** Returns the name of the table with an id. */
    public static String tableName(long id) {
        return String.format(java.util.Locale.ROOT, "%06d.sst", id);
    }

    @Override
    public void add(
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            long trailer,
            OffHeapMemory valueMemory,
            int valueOffset,
            int valueLength)
            throws IOException {
        add(
                Hash64.hash(keyMemory, keyOffset, keyLength),
                keyMemory,
                keyOffset,
                keyLength,
                trailer,
                valueMemory,
                valueOffset,
                valueLength);
    }

    /**
     * As the other {@code add}, for a caller who knows the key's hash.
     *
     * @param hash {@link Hash64} of the key
     */
    public void add(
            long hash,
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            long trailer,
            OffHeapMemory valueMemory,
            int valueOffset,
            int valueLength)
            throws IOException {
        SstWriter current = writer;
        if (current != null
                && writtenBytes >= tableSizeBytes
                && !isLastKey(keyMemory, keyOffset, keyLength)) {
            finishTable(current);
            current = null;
        }
        if (current == null) {
            current = beginTable();
        }
        current.add(
                hash,
                keyMemory,
                keyOffset,
                keyLength,
                trailer,
                valueMemory,
                valueOffset,
                valueLength);
        rememberKey(keyMemory, keyOffset, keyLength);
        writtenBytes += keyLength + valueLength + Long.BYTES;
        if (writtenBytes - reportedBytes >= PROGRESS_BYTES) {
            progress.written(writtenBytes - reportedBytes);
            reportedBytes = writtenBytes;
        }
    }

    /** Ends the table that is being written, if there is one; the next entry begins another. */
    public void cut() throws IOException {
        SstWriter current = writer;
        if (current != null) {
            finishTable(current);
        }
    }

    /**
     * Ends the last table and makes all of them durable, their names too.
     *
     * @return the tables, in key order; none if there were no entries
     */
    public List<TableMetadata> finish() throws IOException {
        cut();
        if (!finished.isEmpty()) {
            directory.syncDirectory("");
        }
        return complete();
    }

    /**
     * As {@link #finish}, for a caller who makes the names of several builders' tables durable at
     * once: it has yet to sync the directory.
     */
    public List<TableMetadata> finishWithoutNames() throws IOException {
        cut();
        return complete();
    }

    private List<TableMetadata> complete() {
        isComplete = true;
        return List.copyOf(finished);
    }

    private SstWriter beginTable() throws IOException {
        id = newTableIds.getAsLong();
        name = names.apply(id);
        SstWriter begun = SstWriter.create(directory, name, options, accountant);
        writer = begun;
        writtenBytes = 0;
        reportedBytes = 0;
        return begun;
    }

    private void finishTable(SstWriter current) throws IOException {
        SstProperties properties = current.finish();
        writer = null;
        current.close();
        progress.written(writtenBytes - reportedBytes);
        finished.add(metadata(properties));
    }

    private boolean isLastKey(OffHeapMemory memory, int offset, int length) {
        return length == lastKeyLength && OffHeapMemory.equal(memory, offset, lastKey, 0, length);
    }

    private void rememberKey(OffHeapMemory memory, int offset, int length) {
        if (lastKey.capacity() < length) {
            lastKey = OffHeapMemory.wrap(new byte[2 * length]);
        }
        memory.copyTo(offset, lastKey, 0, length);
        lastKeyLength = length;
    }

    private TableMetadata metadata(SstProperties properties) throws IOException {
        return TableMetadata.builder(id, name)
                .level(level)
                .sizeBytes(directory.size(name))
                .keyRange(properties.smallestKey(), properties.largestKey())
                .entryCounts(
                        new TableMetadata.EntryCounts(
                                properties.putCount(),
                                properties.deleteCount(),
                                properties.mergeCount(),
                                properties.rangeDeleteCount()))
                .sequences(properties.sequenceMin(), properties.sequenceMax())
                .creationTimeMillis(System.currentTimeMillis())
                .build();
    }

    @Override
    public void close() throws IOException {
        SstWriter current = writer;
        if (current != null) {
            writer = null;
            current.close();
        }
        if (isComplete) {
            return;
        }
        for (TableMetadata table : finished) {
            directory.delete(table.name());
        }
    }
}
