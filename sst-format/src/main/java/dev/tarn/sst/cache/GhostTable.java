package dev.tarn.sst.cache;

import dev.tarn.memory.OffHeapMemory;

/**
 * Remembers which blocks left probation lately: one of them that comes back is wanted.
 *
 * <p>Buckets of eight 8-byte entries, a cache line each. An entry has a fingerprint of the tag in
 * the upper half and the number of the eviction in the lower; it counts as forgotten when as many
 * evictions as there are entries have passed. 0 is an empty entry. A wrong answer costs nothing but
 * a worse choice of victims.
 *
 * <p>Threads: one at a time, ordered by the mutex of the cache.
 */
final class GhostTable {
    static final int ENTRY_BYTES = 8;
    private static final int BUCKET_ENTRIES = 8;

    private final OffHeapMemory entries;
    private final int bucketCount;
    private final int ageMax;

    /** The number of the next eviction; wraps, and skips 0. */
    private int now = 1;

    GhostTable(OffHeapMemory entries, int entryCount) {
        this.entries = entries;
        this.bucketCount = entryCount / BUCKET_ENTRIES;
        this.ageMax = entryCount;
    }

    /** Returns the number of entries for so many frames: whole buckets. */
    static int entryCount(int frameCount) {
        return (frameCount + BUCKET_ENTRIES - 1) / BUCKET_ENTRIES * BUCKET_ENTRIES;
    }

    /** Notes that a block was evicted. */
    void add(long tag) {
        long hash = FrameIndex.hash(tag);
        int bucket = bucketOffset(hash);
        int oldest = bucket;
        int oldestAge = -1;
        for (int i = 0; i < BUCKET_ENTRIES; i++) {
            int offset = bucket + i * ENTRY_BYTES;
            long entry = entries.getLong(offset);
            int age = entry == 0 ? Integer.MAX_VALUE : age(entry);
            if (age > oldestAge) {
                oldest = offset;
                oldestAge = age;
            }
        }
        entries.putLong(oldest, (hash << 32) | (now & 0xffff_ffffL));
        now = now == -1 ? 1 : now + 1;
    }

    /** Returns whether the block was evicted lately, and forgets it. */
    boolean remove(long tag) {
        long hash = FrameIndex.hash(tag);
        int bucket = bucketOffset(hash);
        for (int i = 0; i < BUCKET_ENTRIES; i++) {
            int offset = bucket + i * ENTRY_BYTES;
            long entry = entries.getLong(offset);
            if (entry != 0 && (int) (entry >>> 32) == (int) hash) {
                entries.putLong(offset, 0);
                return age(entry) <= ageMax;
            }
        }
        return false;
    }

    private int age(long entry) {
        return (now - (int) entry) & Integer.MAX_VALUE;
    }

    private int bucketOffset(long hash) {
        // The upper half scaled to the buckets, which are not a power of two.
        int bucket = (int) (((hash >>> 32) * bucketCount) >>> 32);
        return bucket * BUCKET_ENTRIES * ENTRY_BYTES;
    }
}
