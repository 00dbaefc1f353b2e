package dev.tarn.sst;

import dev.tarn.codec.UnsupportedFormatException;
import dev.tarn.codec.ValueKind;
import dev.tarn.io.FileSystem;
import dev.tarn.io.ReadableFile;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.BlockHeaderLayout;
import dev.tarn.sst.block.BlockReader;
import dev.tarn.sst.block.FooterLayout;
import dev.tarn.sst.block.IndexBlock;
import dev.tarn.sst.block.RawBlockLayout;
import dev.tarn.sst.block.ScratchBuffer;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.Priority;
import dev.tarn.sst.filter.BloomFilterReader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An open SST file.
 *
 * <p>Owner: whoever opened it closes it, once. It owns its file, its pinned filter and its pinned
 * index; data blocks belong to the block cache.
 *
 * <p>Lifetime: close when no thread uses it, nor any iterator of it.
 *
 * <p>Threads: shared by any number of threads; what changes during a lookup lies in the {@link
 * SstLookup}, {@link SstBatch} or {@link SstIterator} that each thread brings.
 *
 * <p>Publication: hints in the index are plain stores: a stale or torn-off one costs a look into
 * the cache's table, since the cache verifies it.
 *
 * <p>Errors: {@link CorruptSstException} for damage, {@link UnsupportedFormatException} for a
 * version that is too new, {@link IOException} for faults of the device.
 */
public final class SstReader implements AutoCloseable {
    /** No entry for the key is visible. */
    public static final int ABSENT = 0;

    /** The newest visible entry gives the key its value. */
    public static final int FOUND = 1;

    /** The newest visible entry is a tombstone. */
    public static final int DELETED = 2;

    /**
     * The newest visible entry is a merge operand; the next older one follows by another {@code
     * get} with its sequence number less one.
     */
    public static final int MERGE = 3;

    /** Reading from the block failed; another thread was replacing it, or it is damaged. */
    private static final int MALFORMED = -1;

    /** After as many blocks that went away while they were read, the next one is pinned. */
    private static final int OPTIMISTIC_ATTEMPTS = 3;

    /** A number that a sum of filter words never is in practice, and may be. */
    private static final long UNLIKELY = 0x5bd1e9959d1c2a37L;

    private final ReadableFile file;
    private final BlockCache cache;
    private final MemoryAccountant accountant;
    private final int fileId;
    private final long directoryOffset;
    private final SstProperties properties;
    private final SstDirectory directory;
    private final SstFilter filter;
    private final SstIndex index;

    private SstReader(
            ReadableFile file,
            SstReaderContext context,
            int fileId,
            SstFooter footer,
            SstProperties properties,
            SstDirectory directory,
            SstFilter filter,
            SstIndex index) {
        this.file = file;
        this.cache = context.blockCache();
        this.accountant = context.accountant();
        this.fileId = fileId;
        this.directoryOffset = footer.directoryOffset();
        this.properties = properties;
        this.directory = directory;
        this.filter = filter;
        this.index = index;
    }

    /**
     * Opens a file: checks footer, properties, directory, and every filter and index partition that
     * it keeps in memory.
     *
     * <p>Where the budget has no room, the file opens without its filter or without its index in
     * memory; see {@link #pinnedFilterCount()} and {@link #isIndexPinned()}.
     */
    public static SstReader open(FileSystem fileSystem, String name, SstReaderContext context)
            throws IOException {
        ReadableFile file = fileSystem.open(name);
        try {
            return open(file, context);
        } catch (Throwable e) {
            closeAfter(e, file);
            throw e;
        }
    }

    private static SstReader open(ReadableFile file, SstReaderContext context) throws IOException {
        MemoryAccountant accountant = context.accountant();
        try (BlockFetcher fetcher = new BlockFetcher(accountant);
                ScratchBuffer scratch =
                        new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, FooterLayout.SIZE)) {
            SstFooter footer = SstFooter.read(file, fetcher, scratch);
            SstProperties properties = readProperties(file, footer, fetcher, scratch);
            SstDirectory directory = readDirectory(file, footer, fetcher, scratch, accountant);
            try {
                if (directory.blockCount() != properties.blockCount()) {
                    throw BlockFetcher.corrupt(
                            file,
                            BlockFetcher.Kind.DIRECTORY,
                            footer.directoryOffset(),
                            "block counts differ: propertiesBlockCount="
                                    + properties.blockCount()
                                    + " directoryBlockCount="
                                    + directory.blockCount());
                }
                return open(file, context, footer, properties, directory, fetcher);
            } catch (Throwable e) {
                directory.close();
                throw e;
            }
        }
    }

    private static SstReader open(
            ReadableFile file,
            SstReaderContext context,
            SstFooter footer,
            SstProperties properties,
            SstDirectory directory,
            BlockFetcher fetcher)
            throws IOException {
        int fileId = context.blockCache().newFileId();
        try {
            // The index first: without it every lookup suffers, without the filter the absent do.
            SstIndex index =
                    SstIndex.open(
                            file,
                            directory,
                            context.blockCache(),
                            fileId,
                            footer.directoryOffset(),
                            context.pinnedIndexSizeBytesMax(),
                            fetcher,
                            context.accountant());
            try {
                SstFilter filter = SstFilter.open(file, directory, fetcher, context.accountant());
                return new SstReader(
                        file, context, fileId, footer, properties, directory, filter, index);
            } catch (Throwable e) {
                index.close();
                throw e;
            }
        } catch (Throwable e) {
            context.blockCache().forgetFile(fileId);
            throw e;
        }
    }

    private static SstProperties readProperties(
            ReadableFile file, SstFooter footer, BlockFetcher fetcher, ScratchBuffer scratch)
            throws IOException {
        int rawLength = footer.propertiesSize() - BlockHeaderLayout.SIZE;
        OffHeapMemory payload = scratch.ensure(rawLength);
        fetcher.fetch(
                file,
                BlockFetcher.Kind.PROPERTIES,
                footer.propertiesOffset(),
                footer.propertiesSize(),
                payload,
                0,
                rawLength);
        SstProperties properties =
                PropertiesCodec.read(footer.formatVersion(), payload, 0, rawLength);
        if (properties == null) {
            throw BlockFetcher.corrupt(
                    file,
                    BlockFetcher.Kind.PROPERTIES,
                    footer.propertiesOffset(),
                    "properties are malformed");
        }
        return properties;
    }

    private static SstDirectory readDirectory(
            ReadableFile file,
            SstFooter footer,
            BlockFetcher fetcher,
            ScratchBuffer scratch,
            MemoryAccountant accountant)
            throws IOException {
        int rawLength = footer.directorySize() - BlockHeaderLayout.SIZE;
        OffHeapMemory payload = scratch.ensure(rawLength);
        fetcher.fetch(
                file,
                BlockFetcher.Kind.DIRECTORY,
                footer.directoryOffset(),
                footer.directorySize(),
                payload,
                0,
                rawLength);
        return new SstDirectory(file, footer.directoryOffset(), payload, rawLength, accountant);
    }

    private static void closeAfter(Throwable failure, ReadableFile file) {
        try {
            file.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** What the file says of itself. */
    public SstProperties properties() {
        return properties;
    }

    /** The size of the file. */
    public long sizeBytes() {
        return file.size();
    }

    /** The file's name, for messages. */
    public String describe() {
        return file.describe();
    }

    /** The number of data blocks. */
    public int blockCount() {
        return directory.blockCount();
    }

    /** The number of filter partitions that the file has. */
    public int filterCount() {
        return directory.filterCount();
    }

    /** The number of filter partitions that are in memory, for which the budget had room. */
    public int pinnedFilterCount() {
        return filter.pinnedCount();
    }

    /** Whether the whole index is in memory; else its partitions are read through the cache. */
    public boolean isIndexPinned() {
        return index.isPinned();
    }

    /** Returns false if the key is certainly absent. */
    public boolean mayContain(long hash, BytesView key) {
        BloomFilterReader covering = filter.covering(key.memory(), key.offset(), key.length());
        return covering == null || covering.mayContain(hash);
    }

    /**
     * Asks the filters of many files at once: all filter lines are loaded before any is tested, so
     * that the loads overlap.
     *
     * @param readers the first {@code count} are asked
     * @param count up to 64
     * @return bit i set if {@code readers[i]} may contain the key
     */
    public static long mayContain(SstReader[] readers, int count, long hash, BytesView key) {
        if (count > Long.SIZE) {
            throw new IllegalArgumentException("at most 64 files at once: count=" + count);
        }
        long touched = 0;
        for (int i = 0; i < count; i++) {
            BloomFilterReader covering =
                    readers[i].filter.covering(key.memory(), key.offset(), key.length());
            if (covering != null) {
                touched += covering.touch(hash);
            }
        }
        long maybe = testFilters(readers, count, hash, key);
        // The loads above need a use, or they could be left out; the answer is the same.
        return touched == UNLIKELY ? testFilters(readers, count, hash, key) : maybe;
    }

    private static long testFilters(SstReader[] readers, int count, long hash, BytesView key) {
        long maybe = 0;
        for (int i = 0; i < count; i++) {
            if (readers[i].mayContain(hash, key)) {
                maybe |= 1L << i;
            }
        }
        return maybe;
    }

    /**
     * Finds the newest entry for a key that is visible at a sequence number, and copies it to
     * {@code lookup}.
     *
     * <p>Range tombstones are not seen: {@link SstProperties#rangeDeleteCount()} tells whether
     * there are any, and an iterator shows them.
     *
     * <p>Lifetime: the entry is valid until {@code lookup} is used again.
     *
     * @param hash {@link dev.tarn.codec.Hash64} of the key
     * @return {@link #ABSENT}, {@link #FOUND}, {@link #DELETED} or {@link #MERGE}
     */
    public int get(long hash, BytesView key, long sequenceMax, SstLookup lookup)
            throws IOException {
        return get(hash, key.memory(), key.offset(), key.length(), sequenceMax, lookup);
    }

    /** As the other {@code get}, for a key that is a range of memory. */
    public int get(
            long hash,
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long sequenceMax,
            SstLookup lookup)
            throws IOException {
        if (lookup.trace != null) {
            return tracedGet(hash, key, keyOffset, keyLength, sequenceMax, lookup);
        }
        BloomFilterReader covering = filter.covering(key, keyOffset, keyLength);
        if (covering != null && !covering.mayContain(hash)) {
            lookup.countFilterNegative();
            return ABSENT;
        }
        return search(hash, key, keyOffset, keyLength, sequenceMax, lookup);
    }

    /** As {@link #get}, for a key that {@link #mayContain} was asked for before. */
    public int getFiltered(long hash, BytesView key, long sequenceMax, SstLookup lookup)
            throws IOException {
        return search(hash, key.memory(), key.offset(), key.length(), sequenceMax, lookup);
    }

    private int tracedGet(
            long hash,
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long sequenceMax,
            SstLookup lookup)
            throws IOException {
        LookupTrace trace = lookup.trace;
        if (trace == null) {
            throw new IllegalStateException("no trace is attached");
        }
        trace.clear();
        long start = System.nanoTime();
        long readBytes = lookup.fetcher.readBytes();
        BloomFilterReader covering = filter.covering(key, keyOffset, keyLength);
        int result = ABSENT;
        if (covering != null && !covering.mayContain(hash)) {
            trace.filterVerdict = LookupTrace.FilterVerdict.ABSENT;
            lookup.countFilterNegative();
        } else {
            trace.filterVerdict =
                    covering == null
                            ? LookupTrace.FilterVerdict.NO_FILTER
                            : LookupTrace.FilterVerdict.MAYBE;
            result = search(hash, key, keyOffset, keyLength, sequenceMax, lookup);
        }
        trace.result = result;
        trace.readBytes = lookup.fetcher.readBytes() - readBytes;
        trace.nanos = System.nanoTime() - start;
        return result;
    }

    int search(
            long hash,
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long sequenceMax,
            SstLookup lookup)
            throws IOException {
        int partition = directory.findPartition(key, keyOffset, keyLength);
        if (partition == directory.partitionCount()) {
            return ABSENT;
        }
        IndexBlock blocks = index.acquire(partition, lookup);
        try {
            int at = blocks.find(key, keyOffset, keyLength);
            while (true) {
                if (at == blocks.blockCount()) {
                    // The directory said that the key lies here or before, or the loop went on
                    // to the next partition: then its versions ended with the last one.
                    if (++partition >= directory.partitionCount()) {
                        return ABSENT;
                    }
                    index.release(lookup);
                    blocks = index.acquire(partition, lookup);
                    at = 0;
                }
                int result =
                        searchBlock(
                                blocks, at, hash, key, keyOffset, keyLength, sequenceMax, lookup);
                if (result != ABSENT || !blocks.separatorEquals(at, key, keyOffset, keyLength)) {
                    return result;
                }
                // Older versions of the key may follow in the next block.
                at++;
            }
        } finally {
            index.release(lookup);
        }
    }

    /** Searches one data block, in its frame if it is resident, without a lock or pin. */
    int searchBlock(
            IndexBlock blocks,
            int at,
            long hash,
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long sequenceMax,
            SstLookup lookup)
            throws IOException {
        int block = blocks.firstBlock() + at;
        long tag = BlockCache.tag(fileId, block);
        int hint = blocks.hint(at) - 1;
        for (int attempt = 0; attempt < OPTIMISTIC_ATTEMPTS; attempt++) {
            int frame = cache.peek(tag, hint);
            if (frame < 0) {
                break;
            }
            if (frame != hint && index.isPinned()) {
                blocks.putHint(at, frame + 1);
            }
            long stamp = cache.stamp(frame, tag);
            if (stamp < 0) {
                continue;
            }
            int result =
                    copyEntry(
                            cache.memory(frame),
                            cache.offset(frame),
                            cache.length(frame),
                            hash,
                            key,
                            keyOffset,
                            keyLength,
                            sequenceMax,
                            lookup);
            if (cache.validate(frame, stamp)) {
                lookup.countHit(block, cache);
                return checkResult(result, blocks, at);
            }
        }
        return searchLoaded(blocks, at, hash, key, keyOffset, keyLength, sequenceMax, lookup);
    }

    /** Loads a data block, or finds that another thread just did, and searches it. */
    private int searchLoaded(
            IndexBlock blocks,
            int at,
            long hash,
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long sequenceMax,
            SstLookup lookup)
            throws IOException {
        int block = blocks.firstBlock() + at;
        int rawLength = blocks.rawLength(at);
        long offset = blocks.offset(at);
        int storedLength = blocks.storedLength(at);
        int frame =
                cache.load(
                        BlockCache.tag(fileId, block),
                        rawLength,
                        Priority.NORMAL,
                        lookup.fetcher.prepare(file, BlockFetcher.Kind.DATA, offset, storedLength));
        lookup.countRead(block);
        if (frame < 0) {
            OffHeapMemory own = lookup.uncached(rawLength);
            lookup.fetcher.fetch(
                    file, BlockFetcher.Kind.DATA, offset, storedLength, own, 0, rawLength);
            int result =
                    copyEntry(
                            own,
                            0,
                            rawLength,
                            hash,
                            key,
                            keyOffset,
                            keyLength,
                            sequenceMax,
                            lookup);
            lookup.trim();
            return checkResult(result, blocks, at);
        }
        try {
            if (index.isPinned()) {
                blocks.putHint(at, frame + 1);
            }
            int result =
                    copyEntry(
                            cache.memory(frame),
                            cache.offset(frame),
                            cache.length(frame),
                            hash,
                            key,
                            keyOffset,
                            keyLength,
                            sequenceMax,
                            lookup);
            return checkResult(result, blocks, at);
        } finally {
            cache.unpin(frame);
        }
    }

    /** Finds the entry in a block's bytes, which may be changing, and copies it out. */
    private static int copyEntry(
            OffHeapMemory memory,
            int base,
            int length,
            long hash,
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long sequenceMax,
            SstLookup lookup) {
        // The length may be another block's: stay within the memory whatever it says.
        if (length > memory.capacity() - base) {
            return MALFORMED;
        }
        int found =
                BlockReader.find(
                        memory, base, length, hash, key, keyOffset, keyLength, sequenceMax);
        if (found < 0) {
            return found == BlockReader.ABSENT ? ABSENT : MALFORMED;
        }
        int entryCount = BlockReader.entryCount(memory, base, length);
        if (found >= entryCount) {
            return MALFORMED;
        }
        int start = BlockReader.entryOffset(memory, base, length, entryCount, found);
        int end = BlockReader.entryOffset(memory, base, length, entryCount, found + 1);
        return takeEntry(memory, base, length, start, end, keyLength, lookup);
    }

    /** Copies the entry from {@code start} to {@code end} out. */
    static int takeEntry(
            OffHeapMemory memory,
            int base,
            int length,
            int start,
            int end,
            int keyLength,
            SstLookup lookup) {
        int valueStart = start + RawBlockLayout.ENTRY_KEY_OFFSET + keyLength;
        if (start < 0 || valueStart > end || end > length) {
            return MALFORMED;
        }
        long trailer = BlockReader.trailer(memory, base + start);
        lookup.take(trailer, memory, base + valueStart, end - valueStart);
        switch (ValueKind.kind((byte) trailer)) {
            case ValueKind.PUT:
                return FOUND;
            case ValueKind.DELETE:
                return DELETED;
            case ValueKind.MERGE:
                return MERGE;
            default:
                return MALFORMED;
        }
    }

    private int checkResult(int result, IndexBlock blocks, int at) {
        if (result == MALFORMED) {
            throw BlockFetcher.corrupt(
                    file,
                    BlockFetcher.Kind.DATA,
                    blocks.offset(at),
                    "block changed after it was checked");
        }
        return result;
    }

    /**
     * Looks up all keys of a batch that are not resolved yet, as {@link #get} does.
     *
     * <p>The keys ascend, so the search in the index only moves forward, and what many keys wait
     * for is loaded together.
     */
    public void multiGet(SstBatch batch, long sequenceMax) throws IOException {
        int candidateCount = filterBatch(batch);
        if (index.isPinned()) {
            batch.search().run(this, batch, candidateCount, sequenceMax);
        } else {
            multiGetByFinger(batch, candidateCount, sequenceMax);
        }
    }

    private void multiGetByFinger(SstBatch batch, int candidateCount, long sequenceMax)
            throws IOException {
        SstLookup lookup = batch.lookup();
        int partition = 0;
        int at = 0;
        IndexBlock blocks = null;
        try {
            for (int c = 0; c < candidateCount; c++) {
                int i = batch.candidate(c);
                OffHeapMemory key = batch.keys();
                int keyOffset = batch.keyOffset(i);
                int keyLength = batch.keyLength(i);
                int found = directory.findPartitionFrom(partition, key, keyOffset, keyLength);
                if (found == directory.partitionCount()) {
                    break;
                }
                if (blocks == null || found != partition) {
                    index.release(lookup);
                    blocks = index.acquire(found, lookup);
                    partition = found;
                    at = blocks.find(key, keyOffset, keyLength);
                } else {
                    at = blocks.findFrom(at, key, keyOffset, keyLength);
                }
                int result;
                if (at < blocks.blockCount()) {
                    result =
                            searchBlock(
                                    blocks,
                                    at,
                                    batch.hash(i),
                                    key,
                                    keyOffset,
                                    keyLength,
                                    sequenceMax,
                                    lookup);
                } else {
                    result = ABSENT;
                }
                if (result == ABSENT
                        && (at >= blocks.blockCount()
                                || blocks.separatorEquals(at, key, keyOffset, keyLength))) {
                    index.release(lookup);
                    blocks = null;
                    result = search(batch.hash(i), key, keyOffset, keyLength, sequenceMax, lookup);
                }
                if (result != ABSENT) {
                    batch.resolve(i, result);
                }
            }
        } finally {
            index.release(lookup);
        }
    }

    /** Collects the unresolved keys that the filter lets through; returns how many. */
    private int filterBatch(SstBatch batch) {
        int count = batch.size();
        BloomFilterReader only = filter.sole();
        int candidateCount = 0;
        if (only != null) {
            long touched = 0;
            for (int i = 0; i < count; i++) {
                touched += only.touch(batch.hash(i));
            }
            batch.keep(touched);
        }
        for (int i = 0; i < count; i++) {
            if (batch.result(i) != ABSENT) {
                continue;
            }
            BloomFilterReader covering =
                    only != null
                            ? only
                            : filter.covering(batch.keys(), batch.keyOffset(i), batch.keyLength(i));
            if (covering == null || covering.mayContain(batch.hash(i))) {
                batch.putCandidate(candidateCount++, i);
            }
        }
        return candidateCount;
    }

    /**
     * Creates an iterator that reads through the cache, for short ranges.
     *
     * @param lower the first user key, inclusive; null for the file's
     * @param upper the user key to end before; null for the file's end
     */
    public SstIterator iterator(@Nullable BytesView lower, @Nullable BytesView upper) {
        return new SstIterator(this, lower, upper, false);
    }

    /**
     * Creates an iterator that leaves the cache alone and reads ahead, for compactions and long
     * scans.
     */
    public SstIterator scan(@Nullable BytesView lower, @Nullable BytesView upper) {
        return new SstIterator(this, lower, upper, true);
    }

    /**
     * Returns about how many bytes of the file belong to the keys in [lower, upper): exact to a
     * block at either end.
     *
     * @param lower null for the file's first key
     * @param upper null for the file's end
     */
    public long approximateSize(
            @Nullable BytesView lower, @Nullable BytesView upper, SstLookup lookup)
            throws IOException {
        if (directory.partitionCount() == 0) {
            return 0;
        }
        long start = lower == null ? 0 : approximateOffset(lower, lookup);
        long end = upper == null ? dataEnd(lookup) : approximateOffset(upper, lookup);
        return Math.max(0, end - start);
    }

    private long approximateOffset(BytesView key, SstLookup lookup) throws IOException {
        int partition = directory.findPartition(key.memory(), key.offset(), key.length());
        if (partition == directory.partitionCount()) {
            return dataEnd(lookup);
        }
        IndexBlock blocks = index.acquire(partition, lookup);
        try {
            int at = blocks.find(key.memory(), key.offset(), key.length());
            return at == blocks.blockCount() ? blocks.endOffset() : blocks.offset(at);
        } finally {
            index.release(lookup);
        }
    }

    private long dataEnd(SstLookup lookup) throws IOException {
        IndexBlock last = index.acquire(directory.partitionCount() - 1, lookup);
        try {
            return last.endOffset();
        } finally {
            index.release(lookup);
        }
    }

    /**
     * Returns the number of the first data block that may hold the key or a larger one; {@link
     * #blockCount()} if none may.
     */
    public int blockOf(BytesView key, SstLookup lookup) throws IOException {
        int partition = directory.findPartition(key.memory(), key.offset(), key.length());
        if (partition == directory.partitionCount()) {
            return directory.blockCount();
        }
        IndexBlock blocks = index.acquire(partition, lookup);
        try {
            return blocks.firstBlock() + blocks.find(key.memory(), key.offset(), key.length());
        } finally {
            index.release(lookup);
        }
    }

    /**
     * Returns a block's separator, a copy: a key at or behind the block's last, and before the next
     * block's first unless that goes on with the same key.
     */
    public byte[] separator(int block, SstLookup lookup) throws IOException {
        int partition = directory.partitionOf(block);
        IndexBlock blocks = index.acquire(partition, lookup);
        try (ScratchBuffer target = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 64)) {
            int length = blocks.copySeparator(block - blocks.firstBlock(), target);
            return new BytesView().wrap(target.memory(), 0, length).toByteArray();
        } finally {
            index.release(lookup);
        }
    }

    ReadableFile file() {
        return file;
    }

    BlockCache cache() {
        return cache;
    }

    int fileId() {
        return fileId;
    }

    /** Where the directory starts in the file: all data blocks lie before it. */
    long directoryOffset() {
        return directoryOffset;
    }

    SstDirectory directory() {
        return directory;
    }

    SstIndex index() {
        return index;
    }

    MemoryAccountant accountant() {
        return accountant;
    }

    /** Forgets the file's blocks, frees what is pinned and closes the file. */
    @Override
    public void close() throws IOException {
        cache.forgetFile(fileId);
        filter.close();
        index.close();
        directory.close();
        file.close();
    }
}
