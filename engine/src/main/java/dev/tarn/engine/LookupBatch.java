package dev.tarn.engine;

import dev.tarn.codec.Hash64;
import dev.tarn.engine.internal.iterator.KeyPrefix;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.memtable.EntryView;
import dev.tarn.sst.SstBatch;

/**
 * Keys that are looked up together, so that the waits for their cache misses and blocks overlap;
 * and what was found.
 *
 * <p>Owner: whoever created it closes it, once. Keys are copied in, values are copied here.
 *
 * <p>Lifetime: values are valid until {@link #clear()}.
 *
 * <p>Threads: belongs to one thread at a time.
 */
public final class LookupBatch implements AutoCloseable {
    private static final int KEPT_CAPACITY_MAX = 4 << 20;
    private static final int KEY_BYTES_MIN = 1024;
    private static final int VALUE_BYTES_MIN = 4096;

    /** What is known of a key. */
    enum State {
        OPEN,
        FOUND,
        ABSENT,
        /** Its newest entry is an operand. */
        MERGE
    }

    private final MemoryAccountant accountant;
    private final SstBatch tables;
    private final long[] hashes;
    private final int[] keyOffsets;
    private final int[] keyLengths;
    private final long[] keyPrefixes;
    private final State[] states;
    private final int[] valueOffsets;
    private final int[] valueLengths;
    private final int[] order;
    private final int[] orderScratch;
    private final BytesView keyView = new BytesView();

    /** Handles that a memtable gives for its entries. */
    final int[] memtableEntries;

    /** Scratch of the lookup. */
    final EntryView entry = new EntryView();

    /** Scratch of the lookup. */
    final BytesView value = new BytesView();

    private MemoryRegion keys;
    private MemoryRegion values;
    private int keyBytes;
    private int valueBytes;
    private int size;

    /**
     * Creates an empty batch.
     *
     * @param capacity how many keys fit; 64 to 1024 use the hardware best
     */
    public LookupBatch(StoreResources resources, int capacity) {
        accountant = resources.accountant();
        hashes = new long[capacity];
        keyOffsets = new int[capacity];
        keyLengths = new int[capacity];
        keyPrefixes = new long[capacity];
        states = new State[capacity];
        valueOffsets = new int[capacity];
        valueLengths = new int[capacity];
        order = new int[capacity];
        orderScratch = new int[capacity];
        memtableEntries = new int[capacity];
        keys = allocate(KEY_BYTES_MIN);
        values = allocate(VALUE_BYTES_MIN);
        tables = new SstBatch(accountant, capacity);
    }

    /** How many keys fit. */
    public int capacity() {
        return hashes.length;
    }

    /** How many keys there are. */
    public int size() {
        return size;
    }

    /**
     * Adds a key and returns its index.
     *
     * @throws IllegalStateException if the batch is full
     */
    public int add(BytesView key) {
        int index = begin(key.length());
        key.memory().copyTo(key.offset(), keys.memory(), keyBytes, key.length());
        return end(index, key.length());
    }

    /** As the other {@code add}, for a key on the heap. */
    public int add(byte[] key) {
        int index = begin(key.length);
        keys.memory().putBytes(keyBytes, key, 0, key.length);
        return end(index, key.length);
    }

    private int begin(int keyLength) {
        WriteBatch.checkLengths(keyLength, 0);
        if (size == hashes.length) {
            throw new IllegalStateException("lookup batch is full: capacity=" + hashes.length);
        }
        keys = ensure(keys, keyBytes, keyLength);
        return size;
    }

    private int end(int index, int keyLength) {
        OffHeapMemory memory = keys.memory();
        hashes[index] = Hash64.hash(memory, keyBytes, keyLength);
        keyOffsets[index] = keyBytes;
        keyLengths[index] = keyLength;
        keyPrefixes[index] = KeyPrefix.of(memory, keyBytes, keyLength);
        states[index] = State.OPEN;
        keyBytes += keyLength;
        size = index + 1;
        return index;
    }

    /**
     * Returns whether a key had a value in the last lookup.
     *
     * @param value pointed at the value; left alone if there is none
     */
    public boolean value(int index, BytesView value) {
        if (states[index] != State.FOUND) {
            return false;
        }
        value.wrap(values.memory(), valueOffsets[index], valueLengths[index]);
        return true;
    }

    /** Forgets all keys and values. */
    public void clear() {
        size = 0;
        keyBytes = 0;
        forgetResults();
    }

    /** Opens all keys again, for a lookup in another state. */
    void forgetResults() {
        valueBytes = 0;
        for (int i = 0; i < size; i++) {
            states[i] = State.OPEN;
        }
        tables.clear();
        if (values.sizeBytes() > KEPT_CAPACITY_MAX) {
            values.close();
            values = allocate(VALUE_BYTES_MIN);
        }
    }

    long[] hashes() {
        return hashes;
    }

    OffHeapMemory keyMemory() {
        return keys.memory();
    }

    int[] keyOffsets() {
        return keyOffsets;
    }

    int[] keyLengths() {
        return keyLengths;
    }

    State state(int index) {
        return states[index];
    }

    void state(int index, State state) {
        states[index] = state;
    }

    /** Points a view of this batch at a key. */
    BytesView key(int index) {
        return keyView.wrap(keys.memory(), keyOffsets[index], keyLengths[index]);
    }

    /** The keys that tables are asked for. */
    SstBatch tables() {
        return tables;
    }

    /** Copies a key's value here. */
    void resolve(int index, BytesView value) {
        int length = value.length();
        values = ensure(values, valueBytes, length);
        value.memory().copyTo(value.offset(), values.memory(), valueBytes, length);
        valueOffsets[index] = valueBytes;
        valueLengths[index] = length;
        valueBytes += length;
        states[index] = State.FOUND;
    }

    /** Puts the indexes of the open keys in key order; returns how many there are. */
    int sortOpen() {
        int count = 0;
        boolean isSorted = true;
        for (int i = 0; i < size; i++) {
            if (states[i] == State.OPEN) {
                isSorted &= count == 0 || compare(order[count - 1], i) <= 0;
                order[count++] = i;
            }
        }
        if (!isSorted) {
            mergeSort(0, count);
        }
        return count;
    }

    /** The index of the key at a place of the order. */
    int ordered(int place) {
        return order[place];
    }

    private void mergeSort(int start, int end) {
        if (end - start < 2) {
            return;
        }
        int middle = (start + end) >>> 1;
        mergeSort(start, middle);
        mergeSort(middle, end);
        System.arraycopy(order, start, orderScratch, start, middle - start);
        int left = start;
        int right = middle;
        for (int place = start; left < middle; place++) {
            if (right < end && compare(order[right], orderScratch[left]) < 0) {
                order[place] = order[right++];
            } else {
                order[place] = orderScratch[left++];
            }
        }
    }

    private int compare(int left, int right) {
        if (keyPrefixes[left] != keyPrefixes[right]) {
            return Long.compareUnsigned(keyPrefixes[left], keyPrefixes[right]);
        }
        return OffHeapMemory.compare(
                keys.memory(),
                keyOffsets[left],
                keyLengths[left],
                keys.memory(),
                keyOffsets[right],
                keyLengths[right]);
    }

    private MemoryRegion allocate(int capacity) {
        return MemoryRegion.allocate(accountant, MemoryPurpose.IO_BUFFER, capacity, Long.BYTES);
    }

    /** Returns a region that has the used bytes of another and room for more. */
    private MemoryRegion ensure(MemoryRegion region, int usedBytes, int moreBytes) {
        long needed = (long) usedBytes + moreBytes;
        if (needed <= region.sizeBytes()) {
            return region;
        }
        if (needed > OffHeapMemory.CAPACITY_MAX) {
            throw new IllegalArgumentException(
                    "lookup batch exceeds 2 GiB: sizeBytes=" + needed + "; look up fewer keys");
        }
        int grown = (int) Math.min(OffHeapMemory.CAPACITY_MAX, Math.max(needed, 2L * usedBytes));
        MemoryRegion larger = allocate(grown);
        region.memory().copyTo(0, larger.memory(), 0, usedBytes);
        region.close();
        return larger;
    }

    @Override
    public void close() {
        tables.close();
        keys.close();
        values.close();
    }
}
