package dev.tarn.jmh.sst;

import dev.tarn.jmh.data.Records;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileWriter;

/** RocksDB with one sorted run per file. */
final class RocksDbSstPeer implements SstPeer {
    private static final long CACHE_BYTES = 2L << 30;

    static {
        RocksDB.loadLibrary();
    }

    private final Records records;
    private final Path directory;
    private final ByteBuffer key;
    private final ByteBuffer value;
    private final List<ByteBuffer> keys = new ArrayList<>();
    private final List<ByteBuffer> values = new ArrayList<>();
    private final ReadOptions readOptions = new ReadOptions();

    private @Nullable LRUCache cache;
    private @Nullable Options options;
    private @Nullable RocksDB open;

    RocksDbSstPeer(Records records, Path directory) {
        this.records = records;
        this.directory = directory;
        key = ByteBuffer.allocateDirect(records.keyLength());
        value = newValueBuffer();
        for (int i = 0; i < SstShootout.BATCH_LENGTH; i++) {
            keys.add(ByteBuffer.allocateDirect(records.keyLength()));
            values.add(newValueBuffer());
        }
    }

    private ByteBuffer newValueBuffer() {
        return ByteBuffer.allocateDirect(records.valueLength()).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static Options newOptions(LRUCache cache) {
        BlockBasedTableConfig table =
                new BlockBasedTableConfig()
                        .setBlockSize(4096)
                        .setBlockCache(cache)
                        .setFilterPolicy(new BloomFilter(10, false));
        return new Options()
                .setCreateIfMissing(true)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setDisableAutoCompactions(true)
                .setMaxOpenFiles(-1)
                .setTableFormatConfig(table);
    }

    @Override
    public void build(long[][] prefixesByFile) throws RocksDBException {
        List<String> names = new ArrayList<>();
        try (LRUCache unused = new LRUCache(1 << 20);
                Options buildOptions = newOptions(unused);
                EnvOptions environment = new EnvOptions()) {
            for (int i = 0; i < prefixesByFile.length; i++) {
                String name = directory.resolve("ingest-" + i + ".sst").toString();
                names.add(name);
                try (SstFileWriter writer = new SstFileWriter(environment, buildOptions)) {
                    writer.open(name);
                    for (long prefix : prefixesByFile[i]) {
                        records.writeKey(prefix, key);
                        records.writeValue(prefix, value);
                        writer.put(key.clear(), value.clear());
                    }
                    writer.finish();
                }
            }
            try (RocksDB db = RocksDB.open(buildOptions, directory.resolve("db").toString());
                    IngestExternalFileOptions ingest =
                            new IngestExternalFileOptions().setMoveFiles(true)) {
                // One call each: files of one call must not overlap.
                for (String name : names) {
                    db.ingestExternalFile(List.of(name), ingest);
                }
            }
        }
    }

    @Override
    public void open() throws RocksDBException {
        cache = new LRUCache(CACHE_BYTES);
        options = newOptions(cache);
        open = RocksDB.open(options, directory.resolve("db").toString());
    }

    private RocksDB db() {
        if (open == null) {
            throw new IllegalStateException("not open");
        }
        return open;
    }

    @Override
    public long get(long prefix) throws RocksDBException {
        records.writeKey(prefix, key);
        int length = db().get(readOptions, key.clear(), value.clear());
        return length == RocksDB.NOT_FOUND ? Records.ABSENT : Records.sum(value, 0, length);
    }

    @Override
    public long multiGet(long[] prefixes, int from, int count) throws RocksDBException {
        for (int i = 0; i < count; i++) {
            records.writeKey(prefixes[from + i], keys.get(i).clear());
            values.get(i).clear();
        }
        var statuses =
                db().multiGetByteBuffers(
                                readOptions, keys.subList(0, count), values.subList(0, count));
        long sum = 0;
        for (int i = 0; i < count; i++) {
            var status = statuses.get(i);
            sum +=
                    status.value == null
                            ? Records.ABSENT
                            : Records.sum(values.get(i), 0, status.requiredSize);
        }
        return sum;
    }

    @Override
    public long scan() throws RocksDBException {
        long sum = 0;
        try (RocksIterator iterator = db().newIterator(readOptions)) {
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                iterator.key(key.clear());
                int length = iterator.value(value.clear());
                sum += Records.sum(value, 0, length);
            }
            iterator.status();
        }
        return sum;
    }

    @Override
    public void close() {
        if (open != null && options != null && cache != null) {
            open.close();
            options.close();
            cache.close();
            open = null;
        }
    }
}
