package dev.tarn.sst;

import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.BlockReader;
import dev.tarn.sst.block.IndexBlock;
import dev.tarn.sst.block.RawBlockLayout;
import dev.tarn.sst.cache.BlockCache;
import java.io.IOException;

/**
 * Searches many keys of a batch in one file whose index is in memory, in stages.
 *
 * <p>A lookup is a chain of loads, each of which waits for the one before. Each stage makes one
 * load of the chain for a group of keys, so that those of one stage overlap; the last stage then
 * finds everything in the CPU's caches and does what a single lookup does. The stages before it
 * decide nothing: they may read frames that are being replaced.
 *
 * <p>Threads: belongs to one thread.
 */
final class SstBatchSearch {
    /** Enough loads to keep a core busy, few enough that none is gone before it is used. */
    private static final int GROUP_LENGTH = 32;

    private final int[] partitions = new int[GROUP_LENGTH];
    private final int[] positions = new int[GROUP_LENGTH];
    private final int[] frames = new int[GROUP_LENGTH];

    void run(SstReader reader, SstBatch batch, int candidateCount, long sequenceMax)
            throws IOException {
        for (int from = 0; from < candidateCount; from += GROUP_LENGTH) {
            int count = Math.min(GROUP_LENGTH, candidateCount - from);
            locate(reader, batch, from, count);
            batch.keep(touchBlocks(reader, count));
            batch.keep(touchEntries(reader, batch, from, count));
            finish(reader, batch, from, count, sequenceMax);
        }
    }

    /** Finds each key's data block. */
    private void locate(SstReader reader, SstBatch batch, int from, int count) {
        SstDirectory directory = reader.directory();
        OffHeapMemory keys = batch.keys();
        int partition = 0;
        int lastPartition = -1;
        int position = 0;
        for (int i = 0; i < count; i++) {
            int candidate = batch.candidate(from + i);
            int keyOffset = batch.keyOffset(candidate);
            int keyLength = batch.keyLength(candidate);
            partition = directory.findPartitionFrom(partition, keys, keyOffset, keyLength);
            partitions[i] = partition;
            if (partition < directory.partitionCount()) {
                IndexBlock blocks = reader.index().pinned(partition);
                position =
                        partition == lastPartition
                                ? blocks.findFrom(position, keys, keyOffset, keyLength)
                                : blocks.find(keys, keyOffset, keyLength);
                lastPartition = partition;
                positions[i] = position;
            }
        }
    }

    /** Loads the first lines of each block, and the header of its frame. */
    private long touchBlocks(SstReader reader, int count) {
        BlockCache cache = reader.cache();
        int partitionCount = reader.directory().partitionCount();
        long touched = 0;
        for (int i = 0; i < count; i++) {
            frames[i] = BlockCache.NOT_RESIDENT;
            if (partitions[i] == partitionCount) {
                continue;
            }
            IndexBlock blocks = reader.index().pinned(partitions[i]);
            if (positions[i] == blocks.blockCount()) {
                continue;
            }
            int hint = blocks.hint(positions[i]) - 1;
            if (hint < 0) {
                continue;
            }
            // A frame that once held the block, so it exists; whatever it holds now is read.
            frames[i] = hint;
            OffHeapMemory memory = cache.memory(hint);
            int base = cache.offset(hint);
            touched +=
                    cache.length(hint) + memory.getLong(base + RawBlockLayout.FINGERPRINTS_OFFSET);
        }
        return touched;
    }

    /** Loads the entry that each key's fingerprint points at. */
    private long touchEntries(SstReader reader, SstBatch batch, int from, int count) {
        BlockCache cache = reader.cache();
        long touched = 0;
        for (int i = 0; i < count; i++) {
            int frame = frames[i];
            if (frame < 0) {
                continue;
            }
            OffHeapMemory memory = cache.memory(frame);
            int base = cache.offset(frame);
            int length = Math.min(cache.length(frame), memory.capacity() - base);
            touched +=
                    BlockReader.touchMatch(
                            memory, base, length, batch.hash(batch.candidate(from + i)));
        }
        return touched;
    }

    private void finish(SstReader reader, SstBatch batch, int from, int count, long sequenceMax)
            throws IOException {
        SstLookup lookup = batch.lookup();
        OffHeapMemory keys = batch.keys();
        int partitionCount = reader.directory().partitionCount();
        for (int i = 0; i < count; i++) {
            if (partitions[i] == partitionCount) {
                continue;
            }
            IndexBlock blocks = reader.index().pinned(partitions[i]);
            int position = positions[i];
            int candidate = batch.candidate(from + i);
            int keyOffset = batch.keyOffset(candidate);
            int keyLength = batch.keyLength(candidate);
            if (position == blocks.blockCount()) {
                continue;
            }
            int result =
                    reader.searchBlock(
                            blocks,
                            position,
                            batch.hash(candidate),
                            keys,
                            keyOffset,
                            keyLength,
                            sequenceMax,
                            lookup);
            if (result == SstReader.ABSENT
                    && blocks.separatorEquals(position, keys, keyOffset, keyLength)) {
                // Older versions follow in the next block: rare enough to start over.
                result =
                        reader.search(
                                batch.hash(candidate),
                                keys,
                                keyOffset,
                                keyLength,
                                sequenceMax,
                                lookup);
            }
            if (result != SstReader.ABSENT) {
                batch.resolve(candidate, result, lookup);
            }
        }
    }
}
