package dev.tarn.jmh.sst;

import dev.tarn.jmh.data.Records;
import java.nio.file.Path;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.jspecify.annotations.Nullable;

/** H2's MVStore: a log-structured B-tree with pages on the Java heap. */
final class MvStoreSstPeer implements SstPeer {
    private static final int CACHE_MEGABYTES = 1024;
    private static final int COMMIT_LENGTH = 100_000;

    private final Records records;
    private final Path file;
    private final byte[] key;

    private @Nullable MVStore store;
    private @Nullable MVMap<byte[], byte[]> map;

    MvStoreSstPeer(Records records, Path directory) {
        this.records = records;
        this.file = directory.resolve("records.mv");
        this.key = new byte[records.keyLength()];
    }

    private MVStore openStore() {
        return new MVStore.Builder()
                .fileName(file.toString())
                .cacheSize(CACHE_MEGABYTES)
                .autoCommitDisabled()
                .open();
    }

    private static MVMap<byte[], byte[]> openMap(MVStore store) {
        return store.openMap(
                "records",
                new MVMap.Builder<byte[], byte[]>()
                        .keyType(ByteArrayDataType.INSTANCE)
                        .valueType(ByteArrayDataType.INSTANCE));
    }

    /** Merges the files: there is one tree, so it gets all records in key order. */
    @Override
    public void build(long[][] prefixesByFile) {
        long[] prefixes = MergedPrefixes.of(prefixesByFile);
        MVStore built = openStore();
        MVMap<byte[], byte[]> target = openMap(built);
        for (int i = 0; i < prefixes.length; i++) {
            byte[] newKey = new byte[records.keyLength()];
            byte[] newValue = new byte[records.valueLength()];
            records.writeKey(prefixes[i], newKey);
            records.writeValue(prefixes[i], newValue);
            target.append(newKey, newValue);
            if ((i + 1) % COMMIT_LENGTH == 0) {
                built.commit();
            }
        }
        built.commit();
        built.sync();
        built.closeImmediately();
    }

    @Override
    public void open() {
        store = openStore();
        map = openMap(store);
    }

    @Override
    public long get(long prefix) {
        records.writeKey(prefix, key);
        byte[] value = map().get(key);
        return value == null ? Records.ABSENT : Records.sum(value);
    }

    @Override
    public long scan() {
        long sum = 0;
        Cursor<byte[], byte[]> cursor = map().cursor(null);
        while (cursor.hasNext()) {
            cursor.next();
            sum += Records.sum(cursor.getValue());
        }
        return sum;
    }

    private MVMap<byte[], byte[]> map() {
        if (map == null) {
            throw new IllegalStateException("not open");
        }
        return map;
    }

    @Override
    public void close() {
        if (store != null) {
            store.closeImmediately();
            store = null;
            map = null;
        }
    }
}
