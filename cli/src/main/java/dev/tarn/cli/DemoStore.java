package dev.tarn.cli;

import dev.tarn.codec.Hash64;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.memtable.ChunkPool;
import dev.tarn.memtable.EntryView;
import dev.tarn.memtable.Memtable;
import dev.tarn.memtable.MemtableIterator;
import dev.tarn.memtable.PutStatus;
import dev.tarn.sst.SstLookup;
import dev.tarn.sst.SstOptions;
import dev.tarn.sst.SstProperties;
import dev.tarn.sst.SstReader;
import dev.tarn.sst.SstReaderContext;
import dev.tarn.sst.SstWriter;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A memtable and the SST files it was flushed to: what the demonstration writes to and reads from.
 *
 * <p>No store: it keeps no manifest, merges no files and cannot be opened again.
 *
 * <p>Owner: closes what it opened; the files stay.
 *
 * <p>Threads: belongs to one thread.
 */
final class DemoStore implements AutoCloseable {
    private final FileSystem files;
    private final MemoryAccountant accountant;
    private final ChunkPool pool;
    private final BlockCache cache;
    private final SstLookup lookup;

    /** The flushed files, oldest first. */
    private final List<SstReader> readers = new ArrayList<>();

    private @Nullable Memtable memtable;
    private long sequenceNumber;

    /** Creates a store whose memtable takes what the budget has for memtables. */
    DemoStore(FileSystem files, MemoryAccountant accountant, long cacheCapacityBytes) {
        this.files = files;
        this.accountant = accountant;
        this.pool = new ChunkPool(accountant);
        this.cache =
                new BlockCache(accountant, BlockCacheOptions.builder(cacheCapacityBytes).build());
        this.lookup = new SstLookup(accountant);
    }

    /** Writes an entry; flushes first when the memtable is full. */
    void put(
            OffHeapMemory memory,
            int keyOffset,
            int keyLength,
            int valueOffset,
            int valueLength,
            byte kind)
            throws IOException {
        long hash = Hash64.hash(memory, keyOffset, keyLength);
        sequenceNumber++;
        while (true) {
            if (memtable == null) {
                memtable = Memtable.create(pool);
            }
            PutStatus status =
                    memtable.put(
                            hash,
                            memory,
                            keyOffset,
                            keyLength,
                            memory,
                            valueOffset,
                            valueLength,
                            kind,
                            sequenceNumber);
            if (status == PutStatus.OK) {
                return;
            }
            flush();
        }
    }

    /** Writes what is in memory to a new file, durably, and opens it. */
    void flush() throws IOException {
        Memtable full = memtable;
        if (full == null) {
            return;
        }
        full.seal();
        String name = String.format("%06d.sst", readers.size() + 1);
        try (SstWriter writer = SstWriter.create(files, name, SstOptions.defaults(), accountant);
                MemtableIterator entries = full.newIterator()) {
            BytesView key = new BytesView();
            BytesView value = new BytesView();
            for (entries.seekToFirst(); entries.isValid(); entries.next()) {
                EntryView entry = entries.entry();
                writer.add(entry.key(key), entry.trailer(), entry.value(value));
            }
            writer.finish();
        }
        files.syncDirectory("");
        readers.add(SstReader.open(files, name, new SstReaderContext(cache, accountant)));
        full.close();
        memtable = null;
    }

    /**
     * Looks a key up in the files, newest first.
     *
     * @return the value, valid until the next call, or null if the key is absent or deleted
     */
    @Nullable BytesView get(OffHeapMemory memory, int keyOffset, int keyLength) throws IOException {
        long hash = Hash64.hash(memory, keyOffset, keyLength);
        for (int i = readers.size() - 1; i >= 0; i--) {
            int found =
                    readers.get(i)
                            .get(hash, memory, keyOffset, keyLength, SequenceNumbers.MAX, lookup);
            if (found != SstReader.ABSENT) {
                return ValueKind.kind(lookup.kindByte()) == ValueKind.PUT ? lookup.value() : null;
            }
        }
        return null;
    }

    /** Returns what each file says of itself, oldest first. */
    List<SstProperties> properties() {
        return readers.stream().map(SstReader::properties).toList();
    }

    /** Returns the bytes of all files together. */
    long sizeBytes() {
        return readers.stream().mapToLong(SstReader::sizeBytes).sum();
    }

    /** Returns how often a filter answered for a file that does not hold the key. */
    long filterNegatives() {
        return lookup.filterNegatives();
    }

    /** Returns how often a block was read from a file. */
    long blockReads() {
        return lookup.blockReads();
    }

    @Override
    public void close() throws IOException {
        lookup.close();
        for (SstReader reader : readers) {
            reader.close();
        }
        if (memtable != null) {
            memtable.close();
        }
        cache.close();
        pool.close();
    }
}
