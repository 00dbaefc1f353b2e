package dev.tarn.sst.block;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import java.util.Arrays;

/**
 * Collects the blocks of one index partition and lays them out as {@link IndexBlockLayout} says;
 * reused from partition to partition.
 *
 * <p>Owner: keeps its own copy of the separators. Threads: belongs to one thread.
 */
public final class IndexBlockBuilder implements AutoCloseable {
    /** Offsets within a partition are 32 bits, unsigned. */
    private static final long SPAN_MAX = 0xffffffffL;

    private final ScratchBuffer separators;
    private int[] separatorEnds = new int[256];
    private int[] offsets = new int[256];
    private int[] rawLengths = new int[256];
    private int blockCount;
    private int firstBlock;
    private long baseOffset;
    private long endOffset;
    private int commonLength;

    public IndexBlockBuilder(MemoryAccountant accountant) {
        separators = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 4096);
    }

    public int blockCount() {
        return blockCount;
    }

    /** Returns whether a block that ends there is still within reach of this partition. */
    public boolean reaches(long blockEndOffset) {
        return blockCount == 0 || blockEndOffset - baseOffset <= SPAN_MAX;
    }

    /** Returns an upper bound of the partition's length if it ended here. */
    public long length() {
        return IndexBlockLayout.length(blockCount, separatorsLength());
    }

    private int separatorsLength() {
        return blockCount == 0 ? 0 : separatorEnds[blockCount - 1];
    }

    /** Appends a block, whose separator is not below the one before. */
    public void add(
            int block,
            long offset,
            int storedLength,
            int rawLength,
            OffHeapMemory separator,
            int separatorOffset,
            int separatorLength) {
        int start = separatorsLength();
        OffHeapMemory kept = separators.grow((long) start + separatorLength, start);
        separator.copyTo(separatorOffset, kept, start, separatorLength);
        if (blockCount == 0) {
            firstBlock = block;
            baseOffset = offset;
            commonLength = separatorLength;
        } else {
            // All separators lie between the first and the last, so two decide what all share.
            commonLength =
                    Math.min(
                            commonLength,
                            KeyPrefix.commonLength(
                                    kept, 0, separatorEnds[0], kept, start, separatorLength));
        }
        if (blockCount == offsets.length) {
            separatorEnds = Arrays.copyOf(separatorEnds, 2 * blockCount);
            offsets = Arrays.copyOf(offsets, 2 * blockCount);
            rawLengths = Arrays.copyOf(rawLengths, 2 * blockCount);
        }
        separatorEnds[blockCount] = start + separatorLength;
        offsets[blockCount] = (int) (offset - baseOffset);
        rawLengths[blockCount] = rawLength;
        blockCount++;
        endOffset = offset + storedLength;
    }

    /** The separator added last, which is valid until the next call: its offset and length. */
    public OffHeapMemory separators() {
        return separators.memory();
    }

    public int lastSeparatorOffset() {
        return blockCount == 1 ? 0 : separatorEnds[blockCount - 2];
    }

    public int lastSeparatorLength() {
        return separatorEnds[blockCount - 1] - lastSeparatorOffset();
    }

    /**
     * Writes the partition to {@code target}, forgets its blocks and returns its length.
     *
     * @param targetOffset where the partition starts
     */
    public int finish(ScratchBuffer target, int targetOffset) {
        int common = commonLength;
        int kept = separatorsLength() - blockCount * common + common;
        int length = Math.toIntExact(IndexBlockLayout.length(blockCount, kept));
        OffHeapMemory block = target.ensure((long) targetOffset + length);
        block.putInt(targetOffset + IndexBlockLayout.BLOCK_COUNT_OFFSET, blockCount);
        block.putInt(targetOffset + IndexBlockLayout.FIRST_BLOCK_OFFSET, firstBlock);
        block.putLong(targetOffset + IndexBlockLayout.BASE_OFFSET_OFFSET, baseOffset);
        block.putLong(targetOffset + IndexBlockLayout.END_OFFSET_OFFSET, endOffset);
        block.putInt(targetOffset + IndexBlockLayout.COMMON_PREFIX_LENGTH_OFFSET, common);
        block.putInt(targetOffset + IndexBlockLayout.SEPARATORS_LENGTH_OFFSET, kept);
        int record = targetOffset + IndexBlockLayout.RECORDS_OFFSET;
        int extent = record + IndexBlockLayout.RECORD_SIZE * blockCount;
        int suffixes = extent + IndexBlockLayout.EXTENT_SIZE * blockCount;
        OffHeapMemory keys = separators.memory();
        keys.copyTo(0, block, suffixes, common);
        int suffixEnd = common;
        int start = 0;
        for (int i = 0; i < blockCount; i++) {
            int separatorLength = separatorEnds[i] - start;
            int suffixLength = separatorLength - common;
            block.putLong(
                    record + IndexBlockLayout.RECORD_PREFIX_OFFSET,
                    KeyPrefix.at(keys, start, separatorLength, common));
            block.putInt(record + IndexBlockLayout.RECORD_OFFSET_OFFSET, offsets[i]);
            block.putInt(record + IndexBlockLayout.RECORD_HINT_OFFSET, 0);
            keys.copyTo(start + common, block, suffixes + suffixEnd, suffixLength);
            suffixEnd += suffixLength;
            block.putInt(extent + IndexBlockLayout.EXTENT_RAW_LENGTH_OFFSET, rawLengths[i]);
            block.putInt(extent + IndexBlockLayout.EXTENT_SEPARATOR_END_OFFSET, suffixEnd);
            record += IndexBlockLayout.RECORD_SIZE;
            extent += IndexBlockLayout.EXTENT_SIZE;
            start = separatorEnds[i];
        }
        blockCount = 0;
        return length;
    }

    @Override
    public void close() {
        separators.close();
    }
}
