package dev.tarn.jmh.memtable;

import dev.tarn.jmh.data.Records;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** A sorted map of the JDK with byte arrays on the heap. */
final class HeapMapPeer implements MemtablePeer {
    private final Records records;
    private final SortedMap<byte[], byte[]> map;

    private HeapMapPeer(Records records, SortedMap<byte[], byte[]> map) {
        this.records = records;
        this.map = map;
    }

    static HeapMapPeer concurrentSkipList(Records records) {
        return new HeapMapPeer(records, new ConcurrentSkipListMap<>(Arrays::compareUnsigned));
    }

    static HeapMapPeer tree(Records records) {
        return new HeapMapPeer(records, new TreeMap<>(Arrays::compareUnsigned));
    }

    @Override
    public Session newSession() {
        byte[] probe = new byte[records.keyLength()];
        return new Session() {
            @Override
            public void put(long prefix) {
                byte[] key = new byte[records.keyLength()];
                byte[] value = new byte[records.valueLength()];
                records.writeKey(prefix, key);
                records.writeValue(prefix, value);
                map.put(key, value);
            }

            @Override
            public long get(long prefix) {
                records.writeKey(prefix, probe);
                byte[] value = map.get(probe);
                return value == null ? Records.ABSENT : Records.sum(value);
            }
        };
    }

    /** The maps are in order already. */
    @Override
    public void seal() {}

    @Override
    public long scan() {
        long sum = 0;
        for (Map.Entry<byte[], byte[]> entry : map.entrySet()) {
            sum += Records.sum(entry.getValue());
        }
        return sum;
    }

    @Override
    public long offHeapBytes() {
        return ON_HEAP;
    }

    @Override
    public void close() {
        map.clear();
    }
}
