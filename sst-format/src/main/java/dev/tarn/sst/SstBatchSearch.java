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
 * load of the chain for a group of keys, so that those of one stage overlap.
 *
 * <p>What the stages read of a frame lies between its stamp and its validation; until then it may
 * be another block's, so it is bounded and never believed. A key whose block is not where it was,
 * or whose first match is another key's, is looked up on its own at the end.
 *
 * <p>Threads: belongs to one thread.
 */
final class SstBatchSearch {
    /** Enough loads to keep a core busy, few enough that none is gone before it is used. */
    private static final int GROUP_LENGTH = 32;

    /** The first match of a key was not found in the frame. */
    private static final int NO_MATCH = -1;

    /** Fingerprints and offsets of a small block take its first two lines. */
    private static final int SECOND_LINE = 64;

    private final int[] partitions = new int[GROUP_LENGTH];
    private final int[] positions = new int[GROUP_LENGTH];
    private final int[] frames = new int[GROUP_LENGTH];
    private final long[] stamps = new long[GROUP_LENGTH];
    private final int[] starts = new int[GROUP_LENGTH];
    private final int[] ends = new int[GROUP_LENGTH];

    void run(SstReader reader, SstBatch batch, int candidateCount, long sequenceMax)
            throws IOException {
        for (int from = 0; from < candidateCount; from += GROUP_LENGTH) {
            int count = Math.min(GROUP_LENGTH, candidateCount - from);
            batch.keep(findPartitions(reader, batch, from, count));
            findBlocks(reader, batch, from, count);
            batch.keep(touchBlocks(reader, count));
            batch.keep(matchEntries(reader, batch, from, count));
            finish(reader, batch, from, count, sequenceMax);
        }
    }

    /** Finds each key's index partition, and loads the record where its block is expected. */
    private long findPartitions(SstReader reader, SstBatch batch, int from, int count) {
        SstDirectory directory = reader.directory();
        OffHeapMemory keys = batch.keys();
        long touched = 0;
        int partition = 0;
        for (int i = 0; i < count; i++) {
            int candidate = batch.candidate(from + i);
            int keyOffset = batch.keyOffset(candidate);
            int keyLength = batch.keyLength(candidate);
            partition = directory.findPartitionFrom(partition, keys, keyOffset, keyLength);
            partitions[i] = partition;
            if (partition < directory.partitionCount()) {
                touched += reader.index().pinned(partition).touch(keys, keyOffset, keyLength);
            }
        }
        return touched;
    }

    /** Finds each key's data block. */
    private void findBlocks(SstReader reader, SstBatch batch, int from, int count) {
        OffHeapMemory keys = batch.keys();
        int partitionCount = reader.directory().partitionCount();
        int lastPartition = -1;
        int position = 0;
        for (int i = 0; i < count; i++) {
            int partition = partitions[i];
            if (partition == partitionCount) {
                continue;
            }
            int candidate = batch.candidate(from + i);
            int keyOffset = batch.keyOffset(candidate);
            int keyLength = batch.keyLength(candidate);
            IndexBlock blocks = reader.index().pinned(partition);
            position =
                    partition == lastPartition
                            ? blocks.findFrom(position, keys, keyOffset, keyLength)
                            : blocks.find(keys, keyOffset, keyLength);
            lastPartition = partition;
            positions[i] = position;
        }
    }

    /** Loads the first line of each block and the header of its frame, and stamps the frame. */
    private long touchBlocks(SstReader reader, int count) {
        BlockCache cache = reader.cache();
        int partitionCount = reader.directory().partitionCount();
        for (int i = 0; i < count; i++) {
            frames[i] = BlockCache.NOT_RESIDENT;
            if (partitions[i] < partitionCount) {
                IndexBlock blocks = reader.index().pinned(partitions[i]);
                if (positions[i] < blocks.blockCount()) {
                    frames[i] = blocks.hint(positions[i]) - 1;
                }
            }
        }
        // One kind of load in each loop: the shorter a loop, the more of its loads overlap.
        long touched = touchFrames(cache, count, RawBlockLayout.FINGERPRINTS_OFFSET);
        for (int i = 0; i < count; i++) {
            if (frames[i] >= 0) {
                touched += cache.length(frames[i]);
            }
        }
        for (int i = 0; i < count; i++) {
            int frame = frames[i];
            if (frame >= 0) {
                int block = reader.index().pinned(partitions[i]).firstBlock() + positions[i];
                long stamp = cache.stamp(frame, BlockCache.tag(reader.fileId(), block));
                stamps[i] = stamp;
                frames[i] = stamp < 0 ? BlockCache.NOT_RESIDENT : frame;
            }
        }
        return touched + touchFrames(cache, count, SECOND_LINE);
    }

    private long touchFrames(BlockCache cache, int count, int offset) {
        long touched = 0;
        for (int i = 0; i < count; i++) {
            int frame = frames[i];
            if (frame >= 0) {
                OffHeapMemory memory = cache.memory(frame);
                touched +=
                        memory.getByte(
                                Math.min(cache.offset(frame) + offset, memory.capacity() - 1));
            }
        }
        return touched;
    }

    /** Finds the entry that each key's fingerprint points at, and loads its ends. */
    private long matchEntries(SstReader reader, SstBatch batch, int from, int count) {
        BlockCache cache = reader.cache();
        for (int i = 0; i < count; i++) {
            starts[i] = NO_MATCH;
            int frame = frames[i];
            if (frame >= 0) {
                match(cache, frame, batch.hash(batch.candidate(from + i)), i);
            }
        }
        long touched = 0;
        for (int i = 0; i < count; i++) {
            if (starts[i] != NO_MATCH) {
                int frame = frames[i];
                touched += cache.memory(frame).getByte(cache.offset(frame) + starts[i]);
            }
        }
        for (int i = 0; i < count; i++) {
            if (starts[i] != NO_MATCH) {
                int frame = frames[i];
                touched += cache.memory(frame).getByte(cache.offset(frame) + ends[i] - 1);
            }
        }
        return touched;
    }

    private void match(BlockCache cache, int frame, long hash, int i) {
        OffHeapMemory memory = cache.memory(frame);
        int base = cache.offset(frame);
        int length = Math.min(cache.length(frame), memory.capacity() - base);
        int match = BlockReader.firstMatch(memory, base, length, hash);
        if (match < 0) {
            return;
        }
        int entryCount = BlockReader.entryCount(memory, base, length);
        if (match >= entryCount) {
            return;
        }
        int start = BlockReader.entryOffset(memory, base, length, entryCount, match);
        int end = BlockReader.entryOffset(memory, base, length, entryCount, match + 1);
        if (start >= 0 && end <= length && end - start >= RawBlockLayout.ENTRY_KEY_OFFSET) {
            starts[i] = start;
            ends[i] = end;
        }
    }

    private void finish(SstReader reader, SstBatch batch, int from, int count, long sequenceMax)
            throws IOException {
        int partitionCount = reader.directory().partitionCount();
        for (int i = 0; i < count; i++) {
            int candidate = batch.candidate(from + i);
            int result =
                    starts[i] == NO_MATCH
                            ? SstReader.ABSENT
                            : takeMatch(reader, batch, candidate, i, sequenceMax);
            if (result == SstReader.ABSENT && partitions[i] < partitionCount) {
                result = searchAlone(reader, batch, candidate, i, sequenceMax);
            }
            if (result != SstReader.ABSENT) {
                batch.resolve(candidate, result);
            }
        }
    }

    /** Takes the first match if it is the key's entry, and the frame still is the block's. */
    private int takeMatch(
            SstReader reader, SstBatch batch, int candidate, int i, long sequenceMax) {
        BlockCache cache = reader.cache();
        int frame = frames[i];
        OffHeapMemory memory = cache.memory(frame);
        int base = cache.offset(frame);
        int length = Math.min(cache.length(frame), memory.capacity() - base);
        int keyLength = batch.keyLength(candidate);
        if (!BlockReader.isMatch(
                memory,
                base,
                length,
                starts[i],
                ends[i],
                batch.keys(),
                batch.keyOffset(candidate),
                keyLength,
                sequenceMax)) {
            return SstReader.ABSENT;
        }
        SstLookup lookup = batch.lookup();
        int result =
                SstReader.takeEntry(memory, base, length, starts[i], ends[i], keyLength, lookup);
        if (result <= SstReader.ABSENT || !cache.validate(frame, stamps[i])) {
            return SstReader.ABSENT;
        }
        IndexBlock blocks = reader.index().pinned(partitions[i]);
        lookup.countHit(blocks.firstBlock() + positions[i], cache);
        return result;
    }

    private int searchAlone(
            SstReader reader, SstBatch batch, int candidate, int i, long sequenceMax)
            throws IOException {
        IndexBlock blocks = reader.index().pinned(partitions[i]);
        int position = positions[i];
        if (position == blocks.blockCount()) {
            return SstReader.ABSENT;
        }
        OffHeapMemory keys = batch.keys();
        int keyOffset = batch.keyOffset(candidate);
        int keyLength = batch.keyLength(candidate);
        int result =
                reader.searchBlock(
                        blocks,
                        position,
                        batch.hash(candidate),
                        keys,
                        keyOffset,
                        keyLength,
                        sequenceMax,
                        batch.lookup());
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
                            batch.lookup());
        }
        return result;
    }
}
