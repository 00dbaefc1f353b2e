package dev.tarn.sst;

import dev.tarn.io.ReadableFile;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.BlockHeaderLayout;
import dev.tarn.sst.filter.BloomFilterReader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The filter partitions of an open file, as far as the budget had room for them.
 *
 * <p>Owner: owns the memory of the filters. Threads: immutable.
 */
final class SstFilter implements AutoCloseable {
    private final SstDirectory directory;
    private final @Nullable MemoryRegion[] regions;
    private final @Nullable BloomFilterReader[] filters;

    /** The filter, if it is the only one and covers the whole file: the usual case. */
    private final @Nullable BloomFilterReader sole;

    private SstFilter(
            SstDirectory directory,
            @Nullable MemoryRegion[] regions,
            @Nullable BloomFilterReader[] filters) {
        this.directory = directory;
        this.regions = regions;
        this.filters = filters;
        this.sole =
                filters.length == 1 && directory.filterPartitionEnd(0) == directory.partitionCount()
                        ? filters[0]
                        : null;
    }

    /** Reads, checks and pins the filter partitions; those that find no room are left out. */
    static SstFilter open(
            ReadableFile file,
            SstDirectory directory,
            BlockFetcher fetcher,
            MemoryAccountant accountant)
            throws IOException {
        int count = directory.filterCount();
        @Nullable MemoryRegion[] regions = new @Nullable MemoryRegion[count];
        @Nullable BloomFilterReader[] filters = new @Nullable BloomFilterReader[count];
        try {
            for (int i = 0; i < count; i++) {
                int rawLength = directory.filterLength(i) - BlockHeaderLayout.SIZE;
                MemoryRegion region =
                        MemoryRegion.tryAllocate(
                                accountant,
                                MemoryPurpose.FILTER,
                                rawLength,
                                MemoryRegion.CACHE_LINE_BYTES);
                if (region == null) {
                    continue;
                }
                regions[i] = region;
                fetcher.fetch(
                        file,
                        BlockFetcher.Kind.FILTER,
                        directory.filterOffset(i),
                        directory.filterLength(i),
                        region.memory(),
                        0,
                        rawLength);
                filters[i] =
                        new BloomFilterReader(
                                region.memory(),
                                directory.filterLineCount(i),
                                directory.filterProbeCount(i));
            }
        } catch (Throwable e) {
            close(regions);
            throw e;
        }
        return new SstFilter(directory, regions, filters);
    }

    /** The number of filter partitions that are in memory. */
    int pinnedCount() {
        int count = 0;
        for (BloomFilterReader filter : filters) {
            if (filter != null) {
                count++;
            }
        }
        return count;
    }

    /** The filter that covers every key, or null if there is no such one. */
    @Nullable BloomFilterReader sole() {
        return sole;
    }

    /** Returns the filter that covers a key, or null if none does or it is not in memory. */
    @Nullable BloomFilterReader covering(OffHeapMemory key, int keyOffset, int keyLength) {
        BloomFilterReader only = sole;
        if (only != null || filters.length == 0) {
            return only;
        }
        return ofPartition(directory.findPartition(key, keyOffset, keyLength));
    }

    private @Nullable BloomFilterReader ofPartition(int partition) {
        int low = 0;
        int high = filters.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (directory.filterPartitionEnd(middle) <= partition) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < filters.length ? filters[low] : null;
    }

    @Override
    public void close() {
        close(regions);
    }

    private static void close(@Nullable MemoryRegion[] regions) {
        for (MemoryRegion region : regions) {
            if (region != null) {
                region.close();
            }
        }
    }
}
