package dev.tarn.sst;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.BlockReader;
import dev.tarn.sst.block.IndexBlock;
import dev.tarn.sst.block.RawBlockLayout;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.Priority;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Walks the entries of a file in internal-key order, all versions of each key, in both directions,
 * within [lower, upper).
 *
 * <p>Owner: whoever asked the reader for it closes it, once, before the reader.
 *
 * <p>Lifetime: key and value are valid until the iterator moves. Through the cache, the current
 * block stays pinned: do not keep many iterators idle.
 *
 * <p>Threads: belongs to one thread.
 *
 * <p>Errors: as {@link SstReader}; after an exception the iterator is not valid and must be
 * positioned anew.
 */
public final class SstIterator implements AutoCloseable {
    private static final int NO_FRAME = -1;

    private final SstReader reader;
    private final SstDirectory directory;
    private final BlockCache cache;
    private final byte @Nullable [] lowerBytes;
    private final byte @Nullable [] upperBytes;
    private final @Nullable BytesView lower;
    private final @Nullable BytesView upper;
    private final boolean isScan;

    private final SstLookup scratch;
    private final CopiedPartition copiedPartition;
    private final RawBlockSource uncached;

    private @Nullable IndexBlock blocks;
    private int partition = -1;
    private int at = -1;
    private int frame = NO_FRAME;

    private OffHeapMemory block = OffHeapMemory.wrap(new byte[0]);
    private int base;
    private int rawLength;
    private int entryCount;

    /** Entries of the block from here on are at or behind the upper bound. */
    private int entryEnd;

    /** Entries of the block before here are below the lower bound. */
    private int entryStart;

    private int entry = -1;
    private boolean isValid;
    private int keyOffset;
    private int keyLength;
    private int entryLimit;

    private final BytesView key = new BytesView();
    private final BytesView value = new BytesView();

    SstIterator(
            SstReader reader,
            @Nullable BytesView lower,
            @Nullable BytesView upper,
            boolean isScan) {
        this.reader = reader;
        this.directory = reader.directory();
        this.cache = reader.cache();
        this.isScan = isScan;
        MemoryAccountant accountant = reader.accountant();
        this.lowerBytes = lower == null ? null : lower.toByteArray();
        this.upperBytes = upper == null ? null : upper.toByteArray();
        this.lower = lowerBytes == null ? null : BytesView.of(lowerBytes);
        this.upper = upperBytes == null ? null : BytesView.of(upperBytes);
        this.scratch = new SstLookup(accountant);
        this.copiedPartition = new CopiedPartition(accountant);
        this.uncached = new RawBlockSource(reader, accountant);
    }

    /** Whether the iterator stands on an entry. */
    public boolean isValid() {
        return isValid;
    }

    /** The user key of the entry. */
    public BytesView key() {
        checkValid();
        return key.wrap(block, keyOffset, keyLength);
    }

    /** The value of the entry. */
    public BytesView value() {
        checkValid();
        int start = keyOffset + keyLength;
        return value.wrap(block, start, entryLimit - start);
    }

    /** The trailer of the entry. */
    public long trailer() {
        checkValid();
        return BlockReader.trailer(block, keyOffset - RawBlockLayout.ENTRY_KEY_OFFSET);
    }

    public long sequenceNumber() {
        return SequenceNumbers.sequenceNumber(trailer());
    }

    public byte kindByte() {
        return SequenceNumbers.kindByte(trailer());
    }

    /** The number of the data block that the entry is in. */
    public int blockNumber() {
        checkValid();
        return requireBlocks().firstBlock() + at;
    }

    private void checkValid() {
        if (!isValid) {
            throw new IllegalStateException("iterator does not stand on an entry");
        }
    }

    /** Moves to the first entry; returns whether there is one. */
    public boolean seekToFirst() throws IOException {
        if (lower != null) {
            return seekAt(lower);
        }
        isValid = false;
        if (directory.partitionCount() == 0) {
            return false;
        }
        openPartition(0);
        openBlock(0, false);
        return settleForward(0);
    }

    /** Moves to the last entry; returns whether there is one. */
    public boolean seekToLast() throws IOException {
        isValid = false;
        if (directory.partitionCount() == 0) {
            return false;
        }
        if (upper != null) {
            return seekBefore(upper, SequenceNumbers.MAX);
        }
        openPartition(directory.partitionCount() - 1);
        openBlock(requireBlocks().blockCount() - 1, true);
        return settleBackward(entryCount - 1);
    }

    /** Moves to the newest entry of the first user key at or behind {@code target}. */
    public boolean seek(BytesView target) throws IOException {
        return seekAt(lower != null && target.compare(lower) < 0 ? lower : target);
    }

    /** Moves to the last entry of the last user key at or before {@code target}. */
    public boolean seekForPrevious(BytesView target) throws IOException {
        isValid = false;
        if (directory.partitionCount() == 0) {
            return false;
        }
        if (upper != null && target.compare(upper) >= 0) {
            return seekBefore(upper, SequenceNumbers.MAX);
        }
        // Behind all versions of the target: no entry has a negative sequence number.
        return seekBefore(target, -1);
    }

    /** Moves to the next entry; returns whether there is one. */
    public boolean next() throws IOException {
        checkValid();
        return settleForward(entry + 1);
    }

    /** Moves to the entry before; returns whether there is one. */
    public boolean previous() throws IOException {
        checkValid();
        return settleBackward(entry - 1);
    }

    private boolean seekAt(BytesView target) throws IOException {
        isValid = false;
        int found = directory.findPartition(target.memory(), target.offset(), target.length());
        if (found == directory.partitionCount()) {
            return false;
        }
        openPartition(found);
        IndexBlock current = requireBlocks();
        int first = current.find(target.memory(), target.offset(), target.length());
        if (first == current.blockCount()) {
            throw malformed("index partition ends before the directory says");
        }
        openBlock(first, false);
        return settleForward(lowerBound(target, SequenceNumbers.MAX));
    }

    /** Moves to the last entry before (target, sequence number). */
    private boolean seekBefore(BytesView target, long sequenceNumber) throws IOException {
        int found = directory.findPartition(target.memory(), target.offset(), target.length());
        if (found == directory.partitionCount()) {
            openPartition(found - 1);
            openBlock(requireBlocks().blockCount() - 1, true);
            return settleBackward(entryCount - 1);
        }
        openPartition(found);
        IndexBlock current = requireBlocks();
        int first = current.find(target.memory(), target.offset(), target.length());
        if (first == current.blockCount()) {
            throw malformed("index partition ends before the directory says");
        }
        openBlock(first, true);
        int bound = lowerBound(target, sequenceNumber);
        // Versions of the target may go on in the next blocks.
        while (bound == entryCount && hasNextBlock()) {
            openNextBlock();
            bound = lowerBound(target, sequenceNumber);
        }
        return settleBackward(bound - 1);
    }

    private int lowerBound(BytesView target, long sequenceNumber) {
        int bound =
                BlockReader.lowerBound(
                        block,
                        base,
                        rawLength,
                        target.memory(),
                        target.offset(),
                        target.length(),
                        sequenceNumber);
        if (bound < 0) {
            throw malformed("block changed after it was checked");
        }
        return bound;
    }

    /** Stands on entry {@code candidate} of the block, or on what follows the block. */
    private boolean settleForward(int candidate) throws IOException {
        int wanted = candidate;
        while (wanted >= entryEnd) {
            isValid = false;
            if (entryEnd < entryCount || !hasNextBlock()) {
                return false;
            }
            openNextBlock();
            wanted = 0;
        }
        return standOn(wanted);
    }

    private boolean settleBackward(int candidate) throws IOException {
        int wanted = candidate;
        while (wanted < entryStart) {
            isValid = false;
            if (entryStart > 0 || !hasPreviousBlock()) {
                return false;
            }
            openPreviousBlock();
            wanted = entryCount - 1;
        }
        return standOn(wanted);
    }

    private boolean standOn(int wanted) {
        int start = BlockReader.entryOffset(block, base, rawLength, entryCount, wanted);
        int end = BlockReader.entryOffset(block, base, rawLength, entryCount, wanted + 1);
        entry = wanted;
        keyOffset = base + start + RawBlockLayout.ENTRY_KEY_OFFSET;
        keyLength = BlockReader.keyLength(block, base + start);
        entryLimit = base + end;
        isValid = true;
        return true;
    }

    private boolean hasNextBlock() {
        return at + 1 < requireBlocks().blockCount() || partition + 1 < directory.partitionCount();
    }

    private void openNextBlock() throws IOException {
        if (at + 1 < requireBlocks().blockCount()) {
            openBlock(at + 1, false);
        } else {
            openPartition(partition + 1);
            openBlock(0, false);
        }
    }

    private boolean hasPreviousBlock() {
        return at > 0 || partition > 0;
    }

    private void openPreviousBlock() throws IOException {
        if (at > 0) {
            openBlock(at - 1, true);
        } else {
            openPartition(partition - 1);
            openBlock(requireBlocks().blockCount() - 1, true);
        }
    }

    private void openPartition(int wanted) throws IOException {
        if (blocks == null || partition != wanted) {
            closeBlock();
            blocks = null;
            blocks = reader.index().copy(wanted, scratch, copiedPartition);
            partition = wanted;
            at = -1;
        }
    }

    private IndexBlock requireBlocks() {
        IndexBlock current = blocks;
        if (current == null) {
            throw new IllegalStateException("iterator was not positioned");
        }
        return current;
    }

    private void openBlock(int wanted, boolean isBackward) throws IOException {
        if (at == wanted) {
            return;
        }
        closeBlock();
        IndexBlock current = requireBlocks();
        if (isScan || !openCached(current, wanted)) {
            rawLength = uncached.read(current, wanted, isBackward);
            block = uncached.raw();
            base = uncached.rawOffset();
        }
        at = wanted;
        entryCount = BlockReader.entryCount(block, base, rawLength);
        boundEntries();
    }

    private boolean openCached(IndexBlock current, int wanted) throws IOException {
        long tag = BlockCache.tag(reader.fileId(), current.firstBlock() + wanted);
        int hint = current.hint(wanted) - 1;
        int pinned = cache.pin(tag, hint);
        if (pinned < 0) {
            pinned =
                    cache.load(
                            tag,
                            current.rawLength(wanted),
                            Priority.NORMAL,
                            scratch.fetcher.prepare(
                                    reader.file(),
                                    BlockFetcher.Kind.DATA,
                                    current.offset(wanted),
                                    current.storedLength(wanted)));
            if (pinned < 0) {
                return false;
            }
        }
        if (pinned != hint) {
            current.putHint(wanted, pinned + 1);
        }
        frame = pinned;
        block = cache.memory(pinned);
        base = cache.offset(pinned);
        rawLength = cache.length(pinned);
        return true;
    }

    /** Finds which entries of the block lie within the bounds; mostly all, by two comparisons. */
    private void boundEntries() {
        entryStart = 0;
        entryEnd = entryCount;
        if (upper != null && compareKey(entryCount - 1, upper) >= 0) {
            entryEnd = lowerBound(upper, SequenceNumbers.MAX);
        }
        if (lower != null && compareKey(0, lower) < 0) {
            entryStart = lowerBound(lower, SequenceNumbers.MAX);
        }
    }

    private int compareKey(int index, BytesView bound) {
        int start = base + BlockReader.entryOffset(block, base, rawLength, entryCount, index);
        return OffHeapMemory.compare(
                block,
                start + RawBlockLayout.ENTRY_KEY_OFFSET,
                BlockReader.keyLength(block, start),
                bound.memory(),
                bound.offset(),
                bound.length());
    }

    private void closeBlock() {
        isValid = false;
        at = -1;
        if (frame != NO_FRAME) {
            int pinned = frame;
            frame = NO_FRAME;
            cache.unpin(pinned);
        }
    }

    private CorruptSstException malformed(String fault) {
        IndexBlock current = requireBlocks();
        return BlockFetcher.corrupt(
                reader.file(), BlockFetcher.Kind.DATA, current.offset(Math.max(0, at)), fault);
    }

    @Override
    public void close() {
        closeBlock();
        uncached.close();
        copiedPartition.close();
        scratch.close();
    }
}
