package dev.tarn.jmh.sst;

import dev.tarn.codec.Hash64;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.io.LocalFileSystem;
import dev.tarn.jmh.data.OffHeapScratch;
import dev.tarn.jmh.data.Records;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.SstBatch;
import dev.tarn.sst.SstIterator;
import dev.tarn.sst.SstLookup;
import dev.tarn.sst.SstOptions;
import dev.tarn.sst.SstReader;
import dev.tarn.sst.SstReaderContext;
import dev.tarn.sst.SstWriter;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Tarn's SST files, asked together: all filters first, then the newest file that may know. */
final class TarnSstPeer implements SstPeer {
    private static final long CACHE_BYTES = 2L << 30;

    /** As the lookup of a flush groups its keys. */
    private static final int SORTED_BATCH_LENGTH = 1024;

    private final Records records;
    private final LocalFileSystem fileSystem;
    private final MemoryAccountant accountant = MemoryAccountant.unlimited();
    private final OffHeapMemory key;
    private final int keyLength;
    private final BytesView keyView = new BytesView();
    private final BytesView valueView = new BytesView();
    private int fileCount;

    /** Newest first. */
    private SstReader[] readers = new SstReader[0];

    private @Nullable Scratch scratch;

    /** What is allocated at open and freed at close. */
    private record Scratch(BlockCache cache, SstLookup lookup, SstBatch batch, SstBatch sorted) {}

    TarnSstPeer(Records records, Path directory) {
        this.records = records;
        this.fileSystem = new LocalFileSystem(directory.toString());
        this.keyLength = records.keyLength();
        this.key = OffHeapScratch.allocate(keyLength);
        keyView.wrap(key, 0, keyLength);
    }

    private static String fileName(int index) {
        return "data-" + index + ".sst";
    }

    @Override
    public void build(long[][] prefixesByFile) throws IOException {
        SstOptions options =
                SstOptions.builder().codec(BlockCodec.NONE).filterBitsPerKey(10).build();
        int valueLength = records.valueLength();
        OffHeapMemory value = OffHeapScratch.allocate(valueLength);
        fileCount = prefixesByFile.length;
        for (int i = 0; i < fileCount; i++) {
            long trailer = SequenceNumbers.trailer(i + 1, ValueKind.PUT);
            try (SstWriter writer =
                    SstWriter.create(fileSystem, fileName(i), options, accountant)) {
                for (long prefix : prefixesByFile[i]) {
                    records.writeKey(prefix, key, 0);
                    records.writeValue(prefix, value, 0);
                    long hash = Hash64.hash(key, 0, keyLength);
                    writer.add(hash, key, 0, keyLength, trailer, value, 0, valueLength);
                }
                writer.finish();
            }
        }
    }

    @Override
    public void open() throws IOException {
        BlockCache cache =
                new BlockCache(accountant, BlockCacheOptions.builder(CACHE_BYTES).build());
        SstReaderContext context = new SstReaderContext(cache, accountant);
        readers = new SstReader[fileCount];
        for (int i = 0; i < fileCount; i++) {
            readers[i] = SstReader.open(fileSystem, fileName(fileCount - 1 - i), context);
        }
        scratch =
                new Scratch(
                        cache,
                        new SstLookup(accountant),
                        new SstBatch(accountant, SstShootout.BATCH_LENGTH),
                        new SstBatch(accountant, SORTED_BATCH_LENGTH));
    }

    private Scratch scratch() {
        Scratch opened = scratch;
        if (opened == null) {
            throw new IllegalStateException("not open");
        }
        return opened;
    }

    @Override
    public long get(long prefix) throws IOException {
        records.writeKey(prefix, key, 0);
        long hash = Hash64.hash(key, 0, keyLength);
        SstLookup lookup = scratch().lookup();
        if (readers.length == 1) {
            return readers[0].get(hash, keyView, SequenceNumbers.MAX, lookup) == SstReader.FOUND
                    ? sum(lookup.value())
                    : Records.ABSENT;
        }
        long maybe = SstReader.mayContain(readers, readers.length, hash, keyView);
        while (maybe != 0) {
            SstReader reader = readers[Long.numberOfTrailingZeros(maybe)];
            if (reader.getFiltered(hash, keyView, SequenceNumbers.MAX, lookup) == SstReader.FOUND) {
                return sum(lookup.value());
            }
            maybe &= maybe - 1;
        }
        return Records.ABSENT;
    }

    private static long sum(BytesView value) {
        return Records.sum(value.memory(), value.offset(), value.length());
    }

    @Override
    public long multiGet(long[] prefixes, int from, int count) throws IOException {
        return getBatch(scratch().batch(), prefixes, from, count);
    }

    @Override
    public long getSorted(long[] prefixes) throws IOException {
        SstBatch batch = scratch().sorted();
        long sum = 0;
        for (int from = 0; from < prefixes.length; from += SORTED_BATCH_LENGTH) {
            int count = Math.min(SORTED_BATCH_LENGTH, prefixes.length - from);
            sum += getBatch(batch, prefixes, from, count);
        }
        return sum;
    }

    private long getBatch(SstBatch batch, long[] prefixes, int from, int count) throws IOException {
        batch.clear();
        for (int i = from; i < from + count; i++) {
            records.writeKey(prefixes[i], key, 0);
            batch.add(Hash64.hash(key, 0, keyLength), key, 0, keyLength);
        }
        for (SstReader reader : readers) {
            reader.multiGet(batch, SequenceNumbers.MAX);
        }
        long sum = 0;
        for (int i = 0; i < count; i++) {
            if (batch.result(i) == SstReader.FOUND) {
                batch.value(i, valueView);
                sum += sum(valueView);
            } else {
                sum += Records.ABSENT;
            }
        }
        return sum;
    }

    /** Merging several files is the engine's, not theirs. */
    @Override
    public boolean canScan() {
        return readers.length == 1;
    }

    @Override
    public long scan() throws IOException {
        long sum = 0;
        try (SstIterator iterator = readers[0].scan(null, null)) {
            for (boolean valid = iterator.seekToFirst(); valid; valid = iterator.next()) {
                sum += sum(iterator.value());
            }
        }
        return sum;
    }

    @Override
    public void close() throws IOException {
        for (SstReader reader : readers) {
            reader.close();
        }
        readers = new SstReader[0];
        Scratch opened = scratch;
        if (opened != null) {
            opened.lookup().close();
            opened.batch().close();
            opened.sorted().close();
            opened.cache().close();
            scratch = null;
        }
    }
}
