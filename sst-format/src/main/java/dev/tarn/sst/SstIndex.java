package dev.tarn.sst;

import dev.tarn.io.ReadableFile;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.BlockHeaderLayout;
import dev.tarn.sst.block.IndexBlock;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.Priority;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The index partitions of an open file: all in memory, or each read through the cache when it is
 * needed.
 *
 * <p>Owner: owns the memory of pinned partitions.
 *
 * <p>Threads: immutable, except for the hints in pinned partitions, which are written without
 * order.
 */
final class SstIndex implements AutoCloseable {
    /** Set in the block number of a tag, this tells an index partition from a data block. */
    private static final int INDEX_TAG_BIT = 0x80000000;

    private final ReadableFile file;
    private final SstDirectory directory;
    private final BlockCache cache;
    private final int fileId;
    private final long dataLimit;
    private final @Nullable MemoryRegion region;
    private final IndexBlock @Nullable [] pinned;

    private SstIndex(
            ReadableFile file,
            SstDirectory directory,
            BlockCache cache,
            int fileId,
            long dataLimit,
            @Nullable MemoryRegion region,
            IndexBlock @Nullable [] pinned) {
        this.file = file;
        this.directory = directory;
        this.cache = cache;
        this.fileId = fileId;
        this.dataLimit = dataLimit;
        this.region = region;
        this.pinned = pinned;
    }

    /**
     * Reads, checks and pins all partitions; where the limit or the budget has no room for them,
     * they are read later, one by one.
     *
     * @param dataLimit where the directory starts: every data block lies before it
     */
    static SstIndex open(
            ReadableFile file,
            SstDirectory directory,
            BlockCache cache,
            int fileId,
            long dataLimit,
            long pinnedSizeBytesMax,
            BlockFetcher fetcher,
            MemoryAccountant accountant)
            throws IOException {
        int count = directory.partitionCount();
        // Each partition starts on a cache line, so that records do not straddle two.
        long sizeBytes = directory.indexBytes() + (long) count * MemoryRegion.CACHE_LINE_BYTES;
        MemoryRegion region =
                sizeBytes > pinnedSizeBytesMax || sizeBytes > OffHeapMemory.CAPACITY_MAX
                        ? null
                        : MemoryRegion.tryAllocate(
                                accountant,
                                MemoryPurpose.INDEX,
                                sizeBytes,
                                MemoryRegion.CACHE_LINE_BYTES);
        if (region == null) {
            return new SstIndex(file, directory, cache, fileId, dataLimit, null, null);
        }
        IndexBlock[] pinned = new IndexBlock[count];
        SstIndex index = new SstIndex(file, directory, cache, fileId, dataLimit, region, pinned);
        try {
            int at = 0;
            for (int i = 0; i < count; i++) {
                int rawLength = directory.partitionLength(i) - BlockHeaderLayout.SIZE;
                index.fetch(i, fetcher, region.memory(), at);
                pinned[i] = new IndexBlock().wrap(region.memory(), at);
                index.checkPartition(i, pinned[i]);
                pinned[i].fitModel();
                at +=
                        rawLength + MemoryRegion.CACHE_LINE_BYTES - 1
                                & -MemoryRegion.CACHE_LINE_BYTES;
            }
        } catch (Throwable e) {
            region.close();
            throw e;
        }
        return index;
    }

    private void fetch(int partition, BlockFetcher fetcher, OffHeapMemory target, int at)
            throws IOException {
        fetcher.fetch(
                file,
                BlockFetcher.Kind.INDEX,
                directory.partitionOffset(partition),
                directory.partitionLength(partition),
                target,
                at,
                directory.partitionLength(partition) - BlockHeaderLayout.SIZE);
    }

    /** Checks what a partition says against the directory. */
    private void checkPartition(int partition, IndexBlock block) {
        int firstBlock = directory.firstBlock(partition);
        if (block.firstBlock() != firstBlock
                || block.blockCount() != directory.firstBlock(partition + 1) - firstBlock
                || block.endOffset() > dataLimit) {
            throw BlockFetcher.corrupt(
                    file,
                    BlockFetcher.Kind.INDEX,
                    directory.partitionOffset(partition),
                    "index partition differs from the directory: expectedFirstBlock="
                            + firstBlock
                            + " firstBlock="
                            + block.firstBlock()
                            + " blockCount="
                            + block.blockCount()
                            + " endOffset="
                            + block.endOffset());
        }
    }

    /** Returns a partition of a pinned index. */
    IndexBlock pinned(int partition) {
        IndexBlock[] inMemory = pinned;
        if (inMemory == null) {
            throw new IllegalStateException("index is not in memory");
        }
        return inMemory[partition];
    }

    boolean isPinned() {
        return pinned != null;
    }

    int pinnedBytes() {
        return region == null ? 0 : region.sizeBytes();
    }

    /**
     * Returns a partition, valid until {@link #release} is called with the same scratch; each call
     * needs its own release, before the next.
     */
    IndexBlock acquire(int partition, SstLookup scratch) throws IOException {
        IndexBlock[] inMemory = pinned;
        return inMemory != null ? inMemory[partition] : acquireCached(partition, scratch);
    }

    private IndexBlock acquireCached(int partition, SstLookup scratch) throws IOException {
        long tag = BlockCache.tag(fileId, partition | INDEX_TAG_BIT);
        int rawLength = directory.partitionLength(partition) - BlockHeaderLayout.SIZE;
        int frame = cache.pin(tag, BlockCache.NO_HINT);
        if (frame < 0) {
            LookupTrace traced = scratch.trace;
            if (traced != null) {
                traced.indexPartitionReads++;
            }
            frame =
                    cache.load(
                            tag,
                            rawLength,
                            Priority.HIGH,
                            scratch.fetcher.prepare(
                                    file,
                                    BlockFetcher.Kind.INDEX,
                                    directory.partitionOffset(partition),
                                    directory.partitionLength(partition)));
        }
        if (frame < 0) {
            OffHeapMemory own = scratch.uncachedIndex(rawLength);
            fetch(partition, scratch.fetcher, own, 0);
            scratch.partition.wrap(own, 0);
        } else {
            scratch.partitionFrame = frame;
            scratch.partition.wrap(cache.memory(frame), cache.offset(frame));
        }
        try {
            checkPartition(partition, scratch.partition);
        } catch (Throwable e) {
            release(scratch);
            throw e;
        }
        return scratch.partition;
    }

    /** Ends the use of a partition. */
    void release(SstLookup scratch) {
        int frame = scratch.partitionFrame;
        if (frame >= 0) {
            scratch.partitionFrame = -1;
            cache.unpin(frame);
        }
    }

    /** Returns the partition if it is pinned, else a copy in {@code target}. */
    IndexBlock copy(int partition, SstLookup scratch, CopiedPartition target) throws IOException {
        IndexBlock[] inMemory = pinned;
        if (inMemory != null) {
            return inMemory[partition];
        }
        IndexBlock block = acquireCached(partition, scratch);
        try {
            return target.copy(block);
        } finally {
            release(scratch);
        }
    }

    @Override
    public void close() {
        if (region != null) {
            region.close();
        }
    }
}
