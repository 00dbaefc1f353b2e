package dev.tarn.sst;

import dev.tarn.io.ReadableFile;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.BlockHeaderLayout;
import dev.tarn.sst.block.DirectoryLayout;
import dev.tarn.sst.block.IndexBlock;
import dev.tarn.sst.block.IndexBlockBuilder;
import dev.tarn.sst.block.RawBlockLayout;
import dev.tarn.sst.block.ScratchBuffer;
import dev.tarn.sst.filter.BloomFilterMath;

/**
 * An open file's list of index and filter partitions, and which index partition a key belongs to.
 *
 * <p>Owner: owns the memory of its top index. Threads: immutable.
 */
final class SstDirectory implements AutoCloseable {
    private final int partitionCount;
    private final long[] partitionOffsets;
    private final int[] partitionLengths;

    /** Number of the first data block of each partition, and behind the last one's last. */
    private final int[] firstBlocks;

    private final int filterCount;
    private final long[] filterOffsets;
    private final int[] filterLengths;
    private final int[] filterLineCounts;
    private final int[] filterProbeCounts;
    private final int[] filterPartitionEnds;

    private final ScratchBuffer topMemory;
    private final IndexBlock top;
    private long indexBytes;

    /**
     * Reads the payload of a directory block.
     *
     * @param limit where the directory block starts: everything else lies before it
     */
    SstDirectory(
            ReadableFile file,
            long limit,
            OffHeapMemory payload,
            int length,
            MemoryAccountant accountant) {
        require(file, limit, length >= DirectoryLayout.PARTITIONS_OFFSET, "is too short");
        partitionCount = payload.getInt(DirectoryLayout.INDEX_PARTITION_COUNT_OFFSET);
        filterCount = payload.getInt(DirectoryLayout.FILTER_COUNT_OFFSET);
        int separatorsLength = payload.getInt(DirectoryLayout.SEPARATORS_LENGTH_OFFSET);
        require(
                file,
                limit,
                partitionCount >= 0
                        && filterCount >= 0
                        && separatorsLength >= 0
                        && payload.getInt(DirectoryLayout.RESERVED_OFFSET) == 0
                        && DirectoryLayout.length(partitionCount, filterCount, separatorsLength)
                                == length,
                "has counts that do not fit its length");
        partitionOffsets = new long[partitionCount];
        partitionLengths = new int[partitionCount];
        firstBlocks = new int[partitionCount + 1];
        filterOffsets = new long[filterCount];
        filterLengths = new int[filterCount];
        filterLineCounts = new int[filterCount];
        filterProbeCounts = new int[filterCount];
        filterPartitionEnds = new int[filterCount];
        readFilters(file, limit, payload);
        topMemory = new ScratchBuffer(accountant, MemoryPurpose.INDEX, 0);
        top = new IndexBlock();
        try (IndexBlockBuilder builder = new IndexBlockBuilder(accountant)) {
            readPartitions(file, limit, payload, separatorsLength, builder);
            if (partitionCount > 0) {
                builder.finish(topMemory, 0);
                top.wrap(topMemory.memory(), 0).fitModel();
            }
        } catch (Throwable e) {
            topMemory.close();
            throw e;
        }
    }

    private void readPartitions(
            ReadableFile file,
            long limit,
            OffHeapMemory payload,
            int separatorsLength,
            IndexBlockBuilder builder) {
        int separators =
                DirectoryLayout.PARTITIONS_OFFSET
                        + partitionCount * DirectoryLayout.INDEX_SIZE
                        + filterCount * DirectoryLayout.FILTER_SIZE;
        int separatorStart = 0;
        for (int i = 0; i < partitionCount; i++) {
            int at = DirectoryLayout.PARTITIONS_OFFSET + i * DirectoryLayout.INDEX_SIZE;
            long offset = payload.getLong(at + DirectoryLayout.INDEX_OFFSET_OFFSET);
            int storedLength = payload.getInt(at + DirectoryLayout.INDEX_STORED_LENGTH_OFFSET);
            int blockCount = payload.getInt(at + DirectoryLayout.INDEX_BLOCK_COUNT_OFFSET);
            int separatorEnd = payload.getInt(at + DirectoryLayout.INDEX_SEPARATOR_END_OFFSET);
            require(
                    file,
                    limit,
                    isBlock(offset, storedLength, limit)
                            && blockCount > 0
                            && firstBlocks[i] + blockCount > 0
                            && payload.getInt(at + DirectoryLayout.INDEX_RESERVED_OFFSET) == 0
                            && separatorEnd >= separatorStart
                            && separatorEnd <= separatorsLength
                            && separatorEnd - separatorStart <= RawBlockLayout.KEY_LENGTH_MAX,
                    "has a malformed index partition");
            require(
                    file,
                    limit,
                    i == 0
                            || OffHeapMemory.compare(
                                            payload,
                                            separators + lastSeparatorStart(payload, i - 1),
                                            separatorStart - lastSeparatorStart(payload, i - 1),
                                            payload,
                                            separators + separatorStart,
                                            separatorEnd - separatorStart)
                                    <= 0,
                    "has index partitions out of order");
            partitionOffsets[i] = offset;
            partitionLengths[i] = storedLength;
            firstBlocks[i + 1] = firstBlocks[i] + blockCount;
            indexBytes += storedLength;
            builder.add(
                    i,
                    0,
                    0,
                    0,
                    payload,
                    separators + separatorStart,
                    separatorEnd - separatorStart);
            separatorStart = separatorEnd;
        }
        require(
                file,
                limit,
                separatorStart == separatorsLength,
                "has separators that do not fill it");
    }

    private static int lastSeparatorStart(OffHeapMemory payload, int partition) {
        return partition == 0
                ? 0
                : payload.getInt(
                        DirectoryLayout.PARTITIONS_OFFSET
                                + (partition - 1) * DirectoryLayout.INDEX_SIZE
                                + DirectoryLayout.INDEX_SEPARATOR_END_OFFSET);
    }

    private void readFilters(ReadableFile file, long limit, OffHeapMemory payload) {
        int partitionEnd = 0;
        for (int i = 0; i < filterCount; i++) {
            int at =
                    DirectoryLayout.PARTITIONS_OFFSET
                            + partitionCount * DirectoryLayout.INDEX_SIZE
                            + i * DirectoryLayout.FILTER_SIZE;
            long offset = payload.getLong(at + DirectoryLayout.FILTER_OFFSET_OFFSET);
            int storedLength = payload.getInt(at + DirectoryLayout.FILTER_STORED_LENGTH_OFFSET);
            int lineCount = payload.getInt(at + DirectoryLayout.FILTER_LINE_COUNT_OFFSET);
            int probeCount = payload.getInt(at + DirectoryLayout.FILTER_PROBE_COUNT_OFFSET);
            int end = payload.getInt(at + DirectoryLayout.FILTER_INDEX_PARTITION_END_OFFSET);
            require(
                    file,
                    limit,
                    isBlock(offset, storedLength, limit)
                            && lineCount > 0
                            && (long) lineCount * BloomFilterMath.LINE_BYTES
                                    == storedLength - BlockHeaderLayout.SIZE
                            && probeCount > 0
                            && probeCount <= BloomFilterMath.PROBE_COUNT_MAX
                            && payload.getLong(at + DirectoryLayout.FILTER_KEY_COUNT_OFFSET) > 0
                            && end > partitionEnd
                            && end <= partitionCount,
                    "has a malformed filter partition");
            filterOffsets[i] = offset;
            filterLengths[i] = storedLength;
            filterLineCounts[i] = lineCount;
            filterProbeCounts[i] = probeCount;
            filterPartitionEnds[i] = end;
            partitionEnd = end;
        }
    }

    private static boolean isBlock(long offset, int storedLength, long limit) {
        return offset >= 0
                && storedLength > BlockHeaderLayout.SIZE
                && offset <= limit - storedLength;
    }

    private static void require(ReadableFile file, long offset, boolean valid, String fault) {
        if (!valid) {
            throw BlockFetcher.corrupt(
                    file, BlockFetcher.Kind.DIRECTORY, offset, "directory " + fault);
        }
    }

    int partitionCount() {
        return partitionCount;
    }

    long partitionOffset(int partition) {
        return partitionOffsets[partition];
    }

    int partitionLength(int partition) {
        return partitionLengths[partition];
    }

    /** Number of the first data block of a partition; of a partition behind the last one: count. */
    int firstBlock(int partition) {
        return firstBlocks[partition];
    }

    int blockCount() {
        return firstBlocks[partitionCount];
    }

    /** Bytes of all index partitions in the file. */
    long indexBytes() {
        return indexBytes;
    }

    /** Returns the partition whose blocks may hold the key; partitionCount if none may. */
    int findPartition(OffHeapMemory key, int keyOffset, int keyLength) {
        return partitionCount == 0 ? 0 : top.find(key, keyOffset, keyLength);
    }

    /** As {@link #findPartition}, for a key that is not below the one that gave {@code finger}. */
    int findPartitionFrom(int finger, OffHeapMemory key, int keyOffset, int keyLength) {
        return partitionCount == 0 ? 0 : top.findFrom(finger, key, keyOffset, keyLength);
    }

    /** Returns the partition that a data block belongs to. */
    int partitionOf(int block) {
        int low = 0;
        int high = partitionCount - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (firstBlocks[middle] <= block) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    int filterCount() {
        return filterCount;
    }

    long filterOffset(int filter) {
        return filterOffsets[filter];
    }

    int filterLength(int filter) {
        return filterLengths[filter];
    }

    int filterLineCount(int filter) {
        return filterLineCounts[filter];
    }

    int filterProbeCount(int filter) {
        return filterProbeCounts[filter];
    }

    /** The index partition behind the last one that the filter covers. */
    int filterPartitionEnd(int filter) {
        return filterPartitionEnds[filter];
    }

    @Override
    public void close() {
        topMemory.close();
    }
}
