package dev.tarn.jmh.memtable;

import dev.tarn.jmh.data.Records;
import dev.tarn.jmh.data.TemporaryDirectory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/** RocksDB with a write buffer that holds everything, so that only its memtable is measured. */
final class RocksDbMemtablePeer implements MemtablePeer {
    private static final int BATCH_LENGTH_MAX = 64;

    static {
        RocksDB.loadLibrary();
    }

    private final Records records;
    private final TemporaryDirectory directory = new TemporaryDirectory("tarn-rocksdb");
    private final Options options;
    private final WriteOptions writeOptions = new WriteOptions().setDisableWAL(true);
    private final ReadOptions readOptions = new ReadOptions();
    private final RocksDB db;

    RocksDbMemtablePeer(Records records, int entries) {
        this.records = records;
        long entryBytes = (long) records.keyLength() + records.valueLength() + 64;
        options =
                new Options()
                        .setCreateIfMissing(true)
                        .setWriteBufferSize(2L * entries * entryBytes + (64L << 20))
                        .setDisableAutoCompactions(true);
        try {
            db = RocksDB.open(options, directory.path().toString());
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Session newSession() {
        return new RocksDbSession();
    }

    /** The memtable is a skip list, in order already. */
    @Override
    public void seal() {}

    @Override
    public long scan() {
        ByteBuffer key = ByteBuffer.allocateDirect(records.keyLength());
        ByteBuffer value = newValueBuffer();
        long sum = 0;
        try (RocksIterator iterator = db.newIterator(readOptions)) {
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                iterator.key(key.clear());
                int length = iterator.value(value.clear());
                sum += Records.sum(value, 0, length);
            }
            iterator.status();
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
        return sum;
    }

    @Override
    public long offHeapBytes() {
        try {
            if (db.getLongProperty("rocksdb.num-immutable-mem-table") != 0
                    || db.getLongProperty("rocksdb.estimate-live-data-size") != 0) {
                throw new IllegalStateException("RocksDB flushed: the write buffer is too small");
            }
            return db.getLongProperty("rocksdb.cur-size-all-mem-tables");
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        // The memtable is thrown away: flushing it at close would write the data to disk.
        db.cancelAllBackgroundWork(true);
        db.close();
        writeOptions.close();
        readOptions.close();
        options.close();
        directory.close();
    }

    private ByteBuffer newValueBuffer() {
        return ByteBuffer.allocateDirect(records.valueLength()).order(ByteOrder.LITTLE_ENDIAN);
    }

    private final class RocksDbSession implements Session {
        private final ByteBuffer key = ByteBuffer.allocateDirect(records.keyLength());
        private final ByteBuffer value = newValueBuffer();
        private final List<ByteBuffer> keys = new ArrayList<>();
        private final List<ByteBuffer> values = new ArrayList<>();

        RocksDbSession() {
            for (int i = 0; i < BATCH_LENGTH_MAX; i++) {
                keys.add(ByteBuffer.allocateDirect(records.keyLength()));
                values.add(newValueBuffer());
            }
        }

        @Override
        public void put(long prefix) {
            records.writeKey(prefix, key);
            records.writeValue(prefix, value);
            try {
                db.put(writeOptions, key.clear(), value.clear());
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public long get(long prefix) {
            records.writeKey(prefix, key);
            try {
                int length = db.get(readOptions, key.clear(), value.clear());
                return length == RocksDB.NOT_FOUND ? Records.ABSENT : Records.sum(value, 0, length);
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public long multiGet(long[] prefixes, int from, int count) {
            for (int i = 0; i < count; i++) {
                records.writeKey(prefixes[from + i], keys.get(i).clear());
                values.get(i).clear();
            }
            try {
                long sum = 0;
                var statuses =
                        db.multiGetByteBuffers(
                                readOptions, keys.subList(0, count), values.subList(0, count));
                for (int i = 0; i < count; i++) {
                    var status = statuses.get(i);
                    sum +=
                            status.value == null
                                    ? Records.ABSENT
                                    : Records.sum(values.get(i), 0, status.requiredSize);
                }
                return sum;
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
