package dev.tarn.sst.filter;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the hashes of keys and makes a filter that is sized for exactly as many; reused.
 *
 * <p>Owner: owns its chunks of hashes; the caller owns the memory that the filter is built in.
 *
 * <p>Threads: belongs to one thread.
 *
 * <p>Errors: {@link #reserve} returns false when the filter is as large as it may be or the budget
 * allows no more hashes.
 */
public final class BloomFilterBuilder implements AutoCloseable {
    private static final int CHUNK_HASHES = 1 << 16;
    private static final int CHUNK_BYTES = CHUNK_HASHES * Long.BYTES;

    private final MemoryAccountant accountant;
    private final double bitsPerKey;
    private final int probeCount;
    private final int keyCountMax;
    private final List<MemoryRegion> chunks = new ArrayList<>();
    private OffHeapMemory chunk = OffHeapMemory.wrap(new byte[0]);
    private int keyCount;

    /**
     * Creates an empty builder.
     *
     * @param bitsPerKey positive
     * @param keyCountMax where a filter is full
     */
    public BloomFilterBuilder(MemoryAccountant accountant, double bitsPerKey, int keyCountMax) {
        this.accountant = accountant;
        this.bitsPerKey = bitsPerKey;
        this.probeCount = BloomFilterMath.probeCount(bitsPerKey);
        this.keyCountMax =
                (int)
                        Math.min(
                                keyCountMax,
                                (long) (OffHeapMemory.CAPACITY_MAX / 2.0 * Byte.SIZE / bitsPerKey));
    }

    public int keyCount() {
        return keyCount;
    }

    public int probeCount() {
        return probeCount;
    }

    /**
     * Makes room for more keys; returns false if the filter must be written before. An empty filter
     * takes any number.
     *
     * @throws dev.tarn.memory.MemoryBudgetExceededException if the filter is empty and the budget
     *     does not allow as many
     */
    public boolean reserve(int moreKeys) {
        long needed = (long) keyCount + moreKeys;
        if (keyCount > 0 && needed > keyCountMax) {
            return false;
        }
        while (needed > (long) chunks.size() * CHUNK_HASHES) {
            MemoryRegion next =
                    keyCount == 0
                            ? MemoryRegion.allocate(
                                    accountant,
                                    MemoryPurpose.IO_BUFFER,
                                    CHUNK_BYTES,
                                    MemoryRegion.CACHE_LINE_BYTES)
                            : MemoryRegion.tryAllocate(
                                    accountant,
                                    MemoryPurpose.IO_BUFFER,
                                    CHUNK_BYTES,
                                    MemoryRegion.CACHE_LINE_BYTES);
            if (next == null) {
                return false;
            }
            chunks.add(next);
        }
        return true;
    }

    /** Adds a key, for which there is room. */
    public void add(long hash) {
        int index = keyCount & CHUNK_HASHES - 1;
        if (index == 0) {
            chunk = chunks.get(keyCount / CHUNK_HASHES).memory();
        }
        chunk.putLong(index * Long.BYTES, hash);
        keyCount++;
    }

    /** Returns the number of lines of the filter for the keys so far. */
    public int lineCount() {
        return Math.toIntExact(BloomFilterMath.lineCount(keyCount, bitsPerKey));
    }

    /** Writes the filter, which takes {@link #lineCount} lines, and forgets the keys. */
    public void finish(OffHeapMemory target, int targetOffset) {
        int lineCount = lineCount();
        target.fill(targetOffset, lineCount * BloomFilterMath.LINE_BYTES, (byte) 0);
        for (int first = 0; first < keyCount; first += CHUNK_HASHES) {
            OffHeapMemory hashes = chunks.get(first / CHUNK_HASHES).memory();
            int count = Math.min(CHUNK_HASHES, keyCount - first);
            for (int i = 0; i < count; i++) {
                set(target, targetOffset, lineCount, hashes.getLong(i * Long.BYTES));
            }
        }
        keyCount = 0;
    }

    private void set(OffHeapMemory target, int targetOffset, int lineCount, long hash) {
        int start =
                targetOffset + BloomFilterReader.line(hash, lineCount) * BloomFilterMath.LINE_BYTES;
        int probe = (int) hash;
        for (int i = 0; i < probeCount; i++) {
            int bit = probe >>> BloomFilterReader.PROBE_SHIFT;
            int word = start + (bit >>> 6) * Long.BYTES;
            target.putLong(word, target.getLong(word) | 1L << bit);
            probe *= BloomFilterReader.PROBE_MULTIPLIER;
        }
    }

    @Override
    public void close() {
        chunks.forEach(MemoryRegion::close);
        chunks.clear();
    }
}
