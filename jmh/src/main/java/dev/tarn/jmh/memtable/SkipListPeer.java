package dev.tarn.jmh.memtable;

import dev.tarn.jmh.data.OffHeapScratch;
import dev.tarn.jmh.data.Records;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.util.concurrent.atomic.AtomicInteger;

/** The off-heap skip list. */
final class SkipListPeer implements MemtablePeer {
    /** Links of 1.33 levels, two lengths and padding, generously. */
    private static final int OVERHEAD_BYTES_MAX = 32;

    private final Records records;
    private final MemoryRegion region;
    private final OffHeapMemory memory;
    private final OffHeapSkipList list;
    private final AtomicInteger sessions = new AtomicInteger();

    SkipListPeer(Records records, int entries) {
        this.records = records;
        long entryBytes = (long) records.keyLength() + records.valueLength() + OVERHEAD_BYTES_MAX;
        region =
                MemoryRegion.allocate(
                        MemoryAccountant.unlimited(),
                        MemoryPurpose.MEMTABLE,
                        entries * entryBytes + 4096,
                        MemoryRegion.CACHE_LINE_BYTES);
        memory = region.memory();
        list = new OffHeapSkipList(memory);
    }

    @Override
    public Session newSession() {
        OffHeapSkipList.Cursor cursor = list.new Cursor(sessions.incrementAndGet());
        OffHeapMemory key = OffHeapScratch.allocate(records.keyLength());
        OffHeapMemory value = OffHeapScratch.allocate(records.valueLength());
        return new Session() {
            @Override
            public void put(long prefix) {
                records.writeKey(prefix, key, 0);
                records.writeValue(prefix, value, 0);
                cursor.insert(key, records.keyLength(), value, records.valueLength());
            }

            @Override
            public long get(long prefix) {
                records.writeKey(prefix, key, 0);
                int node = cursor.find(key, 0, records.keyLength());
                return node == 0 ? Records.ABSENT : sumOf(node);
            }
        };
    }

    /** The list is in order already. */
    @Override
    public void seal() {}

    @Override
    public long scan() {
        long sum = 0;
        for (int node = list.first(); node != 0; node = list.next(node, 0)) {
            sum += sumOf(node);
        }
        return sum;
    }

    private long sumOf(int node) {
        return Records.sum(memory, list.valueOffset(node), list.valueLength(node));
    }

    @Override
    public long offHeapBytes() {
        return list.usedBytes();
    }

    @Override
    public void close() {
        region.close();
    }
}
