package dev.tarn.jmh.sst;

import dev.tarn.jmh.data.Records;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.ByteBufferProxy;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;

/** LMDB: a memory-mapped B+ tree, which overwrites in place and so has one file only. */
final class LmdbSstPeer implements SstPeer {
    private static final long MAP_BYTES = 8L << 30;
    private static final String DATABASE = "records";

    private final Records records;
    private final Path directory;
    private final ByteBuffer key;
    private final ByteBuffer value;

    private @Nullable Env<ByteBuffer> environment;
    private @Nullable Dbi<ByteBuffer> database;
    private @Nullable Txn<ByteBuffer> transaction;

    LmdbSstPeer(Records records, Path directory) {
        this.records = records;
        this.directory = directory;
        key = ByteBuffer.allocateDirect(records.keyLength());
        value = ByteBuffer.allocateDirect(records.valueLength()).order(ByteOrder.LITTLE_ENDIAN);
    }

    private Env<ByteBuffer> openEnvironment() {
        return Env.create(ByteBufferProxy.PROXY_OPTIMAL)
                .setMapSize(MAP_BYTES)
                .setMaxDbs(1)
                .open(directory.toFile(), EnvFlags.MDB_NORDAHEAD);
    }

    /** Merges the files: LMDB has one tree, so it gets all records in key order. */
    @Override
    public void build(long[][] prefixesByFile) {
        long[] prefixes = MergedPrefixes.of(prefixesByFile);
        try (Env<ByteBuffer> built = openEnvironment()) {
            Dbi<ByteBuffer> target = built.openDbi(DATABASE, DbiFlags.MDB_CREATE);
            try (Txn<ByteBuffer> write = built.txnWrite()) {
                append(target, write, prefixes);
                write.commit();
            }
            built.sync(true);
        }
    }

    /** The cursor must be closed before its transaction ends. */
    private void append(Dbi<ByteBuffer> target, Txn<ByteBuffer> write, long[] prefixes) {
        try (Cursor<ByteBuffer> cursor = target.openCursor(write)) {
            for (long prefix : prefixes) {
                records.writeKey(prefix, key.clear());
                records.writeValue(prefix, value.clear());
                cursor.put(key, value, PutFlags.MDB_APPEND);
            }
        }
    }

    @Override
    public void open() {
        Env<ByteBuffer> opened = openEnvironment();
        environment = opened;
        database = opened.openDbi(DATABASE);
        transaction = opened.txnRead();
    }

    @Override
    public long get(long prefix) {
        Dbi<ByteBuffer> source = database;
        Txn<ByteBuffer> read = transaction;
        if (source == null || read == null) {
            throw new IllegalStateException("not open");
        }
        records.writeKey(prefix, key.clear());
        ByteBuffer found = source.get(read, key);
        return found == null ? Records.ABSENT : sum(found);
    }

    @Override
    public long scan() {
        Dbi<ByteBuffer> source = database;
        Txn<ByteBuffer> read = transaction;
        if (source == null || read == null) {
            throw new IllegalStateException("not open");
        }
        long sum = 0;
        try (Cursor<ByteBuffer> cursor = source.openCursor(read)) {
            for (boolean valid = cursor.first(); valid; valid = cursor.next()) {
                sum += sum(cursor.val());
            }
        }
        return sum;
    }

    /** LMDB's views are big-endian. */
    private static long sum(ByteBuffer found) {
        found.order(ByteOrder.LITTLE_ENDIAN);
        return Records.sum(found, found.position(), found.remaining());
    }

    @Override
    public void close() {
        if (transaction != null) {
            transaction.close();
            transaction = null;
        }
        if (environment != null) {
            environment.close();
            environment = null;
        }
    }
}
