package dev.tarn.sst.block;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;

/**
 * Collects the partitions of a file and lays them out as {@link DirectoryLayout} says.
 *
 * <p>Owner: keeps its own copy of the separators. Threads: belongs to one thread.
 */
public final class DirectoryBuilder implements AutoCloseable {
    private final ScratchBuffer partitions;
    private final ScratchBuffer filters;
    private final ScratchBuffer separators;
    private int indexPartitionCount;
    private int filterCount;
    private int separatorsLength;

    public DirectoryBuilder(MemoryAccountant accountant) {
        partitions = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 1024);
        filters = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 256);
        separators = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 1024);
    }

    /** Appends an index partition, with the separator of its last block. */
    public void addIndexPartition(
            long offset,
            int storedLength,
            int blockCount,
            OffHeapMemory separator,
            int separatorOffset,
            int separatorLength) {
        OffHeapMemory keys =
                separators.grow((long) separatorsLength + separatorLength, separatorsLength);
        separator.copyTo(separatorOffset, keys, separatorsLength, separatorLength);
        separatorsLength += separatorLength;
        int at = indexPartitionCount * DirectoryLayout.INDEX_SIZE;
        OffHeapMemory target = partitions.grow((long) at + DirectoryLayout.INDEX_SIZE, at);
        target.putLong(at + DirectoryLayout.INDEX_OFFSET_OFFSET, offset);
        target.putInt(at + DirectoryLayout.INDEX_STORED_LENGTH_OFFSET, storedLength);
        target.putInt(at + DirectoryLayout.INDEX_BLOCK_COUNT_OFFSET, blockCount);
        target.putInt(at + DirectoryLayout.INDEX_SEPARATOR_END_OFFSET, separatorsLength);
        target.putInt(at + DirectoryLayout.INDEX_RESERVED_OFFSET, 0);
        indexPartitionCount++;
    }

    /** Appends a filter partition, which covers the index partitions since the one before. */
    public void addFilter(
            long offset, int storedLength, long keyCount, int lineCount, int probeCount) {
        int at = filterCount * DirectoryLayout.FILTER_SIZE;
        OffHeapMemory target = filters.grow((long) at + DirectoryLayout.FILTER_SIZE, at);
        target.putLong(at + DirectoryLayout.FILTER_OFFSET_OFFSET, offset);
        target.putLong(at + DirectoryLayout.FILTER_KEY_COUNT_OFFSET, keyCount);
        target.putInt(at + DirectoryLayout.FILTER_STORED_LENGTH_OFFSET, storedLength);
        target.putInt(at + DirectoryLayout.FILTER_LINE_COUNT_OFFSET, lineCount);
        target.putInt(at + DirectoryLayout.FILTER_PROBE_COUNT_OFFSET, probeCount);
        target.putInt(at + DirectoryLayout.FILTER_INDEX_PARTITION_END_OFFSET, indexPartitionCount);
        filterCount++;
    }

    /** Writes the directory to the start of {@code target} and returns its length. */
    public int finish(ScratchBuffer target) {
        int length =
                Math.toIntExact(
                        DirectoryLayout.length(indexPartitionCount, filterCount, separatorsLength));
        OffHeapMemory block = target.ensure(length);
        block.putInt(DirectoryLayout.INDEX_PARTITION_COUNT_OFFSET, indexPartitionCount);
        block.putInt(DirectoryLayout.FILTER_COUNT_OFFSET, filterCount);
        block.putInt(DirectoryLayout.SEPARATORS_LENGTH_OFFSET, separatorsLength);
        block.putInt(DirectoryLayout.RESERVED_OFFSET, 0);
        int at = DirectoryLayout.PARTITIONS_OFFSET;
        int partitionsLength = indexPartitionCount * DirectoryLayout.INDEX_SIZE;
        partitions.memory().copyTo(0, block, at, partitionsLength);
        at += partitionsLength;
        int filtersLength = filterCount * DirectoryLayout.FILTER_SIZE;
        filters.memory().copyTo(0, block, at, filtersLength);
        at += filtersLength;
        separators.memory().copyTo(0, block, at, separatorsLength);
        return length;
    }

    @Override
    public void close() {
        partitions.close();
        filters.close();
        separators.close();
    }
}
