package dev.tarn.sst;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.sst.cache.BlockCache;

/**
 * What all readers of one database share.
 *
 * @param blockCache holds data blocks, and the index partitions of files whose index is not pinned
 * @param accountant the budget for pinned filters and indexes
 * @param pinnedIndexSizeBytesMax the largest index that a file keeps in memory as a whole; that of
 *     a larger file is read through the cache, by the partition
 */
public record SstReaderContext(
        BlockCache blockCache, MemoryAccountant accountant, long pinnedIndexSizeBytesMax) {
    /** 128 MiB of index belong to about 16 GiB of data blocks of 4 KiB. */
    public static final long PINNED_INDEX_SIZE_BYTES_MAX_DEFAULT = 128 << 20;

    /** Creates a context with the default limit for pinned indexes. */
    public SstReaderContext(BlockCache blockCache, MemoryAccountant accountant) {
        this(blockCache, accountant, PINNED_INDEX_SIZE_BYTES_MAX_DEFAULT);
    }
}
