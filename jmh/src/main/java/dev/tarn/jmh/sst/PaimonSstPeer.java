package dev.tarn.jmh.sst;

import dev.tarn.jmh.data.Records;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.paimon.compression.CompressOptions;
import org.apache.paimon.io.cache.CacheManager;
import org.apache.paimon.lookup.LookupStoreFactory;
import org.apache.paimon.lookup.LookupStoreReader;
import org.apache.paimon.lookup.LookupStoreWriter;
import org.apache.paimon.lookup.sort.SortLookupStoreFactory;
import org.apache.paimon.memory.MemorySlice;
import org.apache.paimon.options.MemorySize;
import org.apache.paimon.utils.BloomFilter;

/** Paimon's sorted lookup files, asked one after the other, the newest first. */
final class PaimonSstPeer implements SstPeer {
    private static final long CACHE_BYTES = 2L << 30;

    private final Records records;
    private final Path directory;
    private final double falsePositiveRate;
    private final int blockBytes;
    private final CompressOptions compression;
    private final byte[] key;
    private final List<LookupStoreFactory.Context> contexts = new ArrayList<>();
    private LookupStoreReader[] readers = new LookupStoreReader[0];

    PaimonSstPeer(
            Records records,
            Path directory,
            double falsePositiveRate,
            int blockBytes,
            String compression) {
        this.records = records;
        this.directory = directory;
        this.falsePositiveRate = falsePositiveRate;
        this.blockBytes = blockBytes;
        this.compression = new CompressOptions(compression, 1);
        this.key = new byte[records.keyLength()];
    }

    private SortLookupStoreFactory newFactory() {
        CacheManager cache = new CacheManager(new MemorySize(CACHE_BYTES));
        return new SortLookupStoreFactory(MemorySlice::compareTo, cache, blockBytes, compression);
    }

    private File file(int index) {
        return directory.resolve("lookup-" + index).toFile();
    }

    @Override
    public void build(long[][] prefixesByFile) throws IOException {
        SortLookupStoreFactory factory = newFactory();
        byte[] value = new byte[records.valueLength()];
        contexts.clear();
        for (int i = 0; i < prefixesByFile.length; i++) {
            long[] prefixes = prefixesByFile[i];
            LookupStoreWriter writer =
                    factory.createWriter(
                            file(i), BloomFilter.builder(prefixes.length, falsePositiveRate));
            for (long prefix : prefixes) {
                records.writeKey(prefix, key);
                records.writeValue(prefix, value);
                writer.put(key, value);
            }
            contexts.add(writer.close());
        }
    }

    @Override
    public void open() throws IOException {
        SortLookupStoreFactory factory = newFactory();
        readers = new LookupStoreReader[contexts.size()];
        for (int i = 0; i < readers.length; i++) {
            readers[i] = factory.createReader(file(i), contexts.get(i));
        }
    }

    @Override
    public long get(long prefix) throws IOException {
        records.writeKey(prefix, key);
        for (int i = readers.length - 1; i >= 0; i--) {
            byte[] value = readers[i].lookup(key);
            if (value != null) {
                return Records.sum(value);
            }
        }
        return Records.ABSENT;
    }

    @Override
    public boolean canScan() {
        return false;
    }

    @Override
    public long scan() {
        throw new UnsupportedOperationException("Paimon's lookup store has no iterator");
    }

    @Override
    public void close() throws IOException {
        for (LookupStoreReader reader : readers) {
            reader.close();
        }
        readers = new LookupStoreReader[0];
    }
}
