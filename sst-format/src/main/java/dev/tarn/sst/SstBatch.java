package dev.tarn.sst;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.ScratchBuffer;
import java.util.Arrays;

/**
 * A thread's scratch for looking up many keys at once, in one file after the other: keys that are
 * resolved in a newer file are not looked up in an older one.
 *
 * <p>Owner: whoever created it closes it, once. Keys are copied in, values are copied out of the
 * files; both lie in memory of this object.
 *
 * <p>Lifetime: keys and results are valid until {@link #clear()}.
 *
 * <p>Threads: belongs to one thread at a time.
 */
public final class SstBatch implements AutoCloseable {
    private static final int KEPT_CAPACITY_MAX = 4 << 20;

    private final SstLookup lookup;
    private final SstBatchSearch search;
    private final ScratchBuffer keys;
    private final ScratchBuffer values;
    private final long[] hashes;
    private final int[] keyOffsets;
    private final int[] results;
    private final long[] trailers;
    private final int[] valueOffsets;
    private final int[] valueLengths;
    private final int[] candidates;
    private int size;
    private long kept;

    /**
     * Reserves and allocates the scratch memory, under {@link MemoryPurpose#IO_BUFFER}.
     *
     * @param capacity how many keys fit
     */
    public SstBatch(MemoryAccountant accountant, int capacity) {
        search = new SstBatchSearch();
        keys = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 16 * capacity);
        values = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 64 * capacity);
        lookup = new SstLookup(accountant, values);
        hashes = new long[capacity];
        keyOffsets = new int[capacity + 1];
        results = new int[capacity];
        trailers = new long[capacity];
        valueOffsets = new int[capacity];
        valueLengths = new int[capacity];
        candidates = new int[capacity];
    }

    /** How many keys fit. */
    public int capacity() {
        return hashes.length;
    }

    /** How many keys there are. */
    public int size() {
        return size;
    }

    /** Forgets all keys and results. */
    public void clear() {
        size = 0;
        keys.shrink(KEPT_CAPACITY_MAX);
        values.shrink(KEPT_CAPACITY_MAX);
        lookup.keepValuesBefore(0);
    }

    /** Appends a key; see the other {@code add}. */
    public int add(long hash, BytesView key) {
        return add(hash, key.memory(), key.offset(), key.length());
    }

    /**
     * Appends a key, which must not be below the one before, and returns its index.
     *
     * @param hash {@link dev.tarn.codec.Hash64} of the key
     * @throws IllegalStateException if the batch is full
     */
    public int add(long hash, OffHeapMemory key, int keyOffset, int keyLength) {
        int index = size;
        if (index == hashes.length) {
            throw new IllegalStateException("batch is full: capacity=" + hashes.length);
        }
        int start = keyOffsets[index];
        OffHeapMemory kept = keys.grow((long) start + keyLength, start);
        key.copyTo(keyOffset, kept, start, keyLength);
        assert index == 0
                        || OffHeapMemory.compare(
                                        kept,
                                        keyOffsets[index - 1],
                                        keyLength(index - 1),
                                        kept,
                                        start,
                                        keyLength)
                                <= 0
                : "keys of a batch ascend: index=" + index;
        hashes[index] = hash;
        keyOffsets[index + 1] = start + keyLength;
        results[index] = SstReader.ABSENT;
        size = index + 1;
        return index;
    }

    /**
     * What is known of a key: {@link SstReader#ABSENT} as long as no file had it, else what {@link
     * SstReader#get} would have returned.
     */
    public int result(int index) {
        return results[index];
    }

    /** The trailer of the entry found. */
    public long trailer(int index) {
        return trailers[index];
    }

    /** The sequence number of the entry found. */
    public long sequenceNumber(int index) {
        return SequenceNumbers.sequenceNumber(trailers[index]);
    }

    /** Points {@code value} at the value of the entry found, valid until {@link #clear()}. */
    public void value(int index, BytesView value) {
        value.wrap(values.memory(), valueOffsets[index], valueLengths[index]);
    }

    /** Points {@code key} at a key, valid until {@link #clear()}. */
    public void key(int index, BytesView key) {
        key.wrap(keys.memory(), keyOffsets[index], keyLength(index));
    }

    public long hash(int index) {
        return hashes[index];
    }

    /** What looks the keys up: its counters are of interest, its value belongs to the batch. */
    public SstLookup lookup() {
        return lookup;
    }

    SstBatchSearch search() {
        return search;
    }

    OffHeapMemory keys() {
        return keys.memory();
    }

    int keyOffset(int index) {
        return keyOffsets[index];
    }

    int keyLength(int index) {
        return keyOffsets[index + 1] - keyOffsets[index];
    }

    int candidate(int position) {
        return candidates[position];
    }

    void putCandidate(int position, int index) {
        candidates[position] = index;
    }

    /** Gives loads that are made early a use, so that they are made at all. */
    void keep(long touched) {
        kept ^= touched;
    }

    /** Makes the entry that the lookup found last a key's result. */
    void resolve(int index, int result) {
        BytesView value = lookup.value();
        results[index] = result;
        trailers[index] = lookup.trailer();
        valueOffsets[index] = value.offset();
        valueLengths[index] = value.length();
        lookup.keepValuesBefore(value.offset() + value.length());
    }

    /** Shows how many keys there are and how many of them are resolved. */
    @Override
    public String toString() {
        long resolved = Arrays.stream(results, 0, size).filter(r -> r != SstReader.ABSENT).count();
        return "size=" + size + " resolved=" + resolved + " mark=" + (kept & 1);
    }

    @Override
    public void close() {
        lookup.close();
        keys.close();
        values.close();
    }
}
