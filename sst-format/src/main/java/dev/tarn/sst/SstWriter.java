package dev.tarn.sst;

import dev.tarn.codec.Crc32c;
import dev.tarn.codec.Hash64;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.io.FileSystem;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.BlockBuilder;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.sst.block.BlockReader;
import dev.tarn.sst.block.DirectoryBuilder;
import dev.tarn.sst.block.FooterLayout;
import dev.tarn.sst.block.IndexBlockBuilder;
import dev.tarn.sst.block.KeyPrefix;
import dev.tarn.sst.block.RawBlockLayout;
import dev.tarn.sst.block.ScratchBuffer;
import dev.tarn.sst.filter.BloomFilterBuilder;
import dev.tarn.sst.filter.BloomFilterMath;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes one SST file, front to back.
 *
 * <p>Owner: whoever created it calls {@link #finish()} or {@link #abort()}, or {@link #close()},
 * which aborts what was not finished. Keys and values are copied before a method returns.
 *
 * <p>Lifetime: the file counts once {@link #finish()} has returned and its directory was synced;
 * before that no reader accepts it.
 *
 * <p>Threads: belongs to one thread.
 *
 * <p>Units: bytes. Memory: two blocks, one index partition, the directory, and 8 bytes for each key
 * of one filter partition, whatever the size of the file.
 *
 * <p>Errors: {@link IllegalArgumentException} for an entry out of order or out of limits, which
 * leaves the writer as it was. After an {@link IOException} the file can only be aborted.
 */
public final class SstWriter implements AutoCloseable {
    /** The longest user key. */
    public static final int KEY_LENGTH_MAX = RawBlockLayout.KEY_LENGTH_MAX;

    /** The longest value. */
    public static final int VALUE_LENGTH_MAX = RawBlockLayout.VALUE_LENGTH_MAX;

    private static final int KEPT_CAPACITY_MAX = 1 << 20;

    private enum State {
        OPEN,
        FAILED,
        FINISHED,
        ABORTED
    }

    private final FileSystem fileSystem;
    private final String name;
    private final SstOptions options;
    private final MemoryAccountant accountant;
    private final WritableFile file;
    private final SstOutput output;
    private final BlockBuilder block;
    private final IndexBlockBuilder index;
    private final DirectoryBuilder directory;
    private final @Nullable BloomFilterBuilder filter;
    private final ScratchBuffer raw;
    private final ScratchBuffer lastKey;
    private final SstProperties.Counter counter = new SstProperties.Counter();

    private State state = State.OPEN;
    private byte @Nullable [] smallestKey;
    private byte[] largestKey = new byte[0];
    private int lastKeyLength;
    private long lastTrailer;

    private int blockCount;

    /** Whether the last block waits for the next key, which decides its separator. */
    private boolean hasPendingBlock;

    private long pendingOffset;
    private int pendingStoredLength;
    private int pendingRawLength;

    private SstWriter(
            FileSystem fileSystem,
            String name,
            SstOptions options,
            MemoryAccountant accountant,
            WritableFile file) {
        this.fileSystem = fileSystem;
        this.name = name;
        this.options = options;
        this.accountant = accountant;
        this.file = file;
        this.output = new SstOutput(file, accountant);
        this.block = new BlockBuilder(accountant, options.blockSizeBytes());
        this.index = new IndexBlockBuilder(accountant);
        this.directory = new DirectoryBuilder(accountant);
        this.filter =
                options.filterBitsPerKey() == 0
                        ? null
                        : new BloomFilterBuilder(
                                accountant,
                                options.filterBitsPerKey(),
                                options.filterKeyCountMax());
        this.raw =
                new ScratchBuffer(
                        accountant, MemoryPurpose.IO_BUFFER, 2 * options.blockSizeBytes());
        this.lastKey = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 1024);
    }

    /**
     * Creates a file, which must not exist, and a writer for it.
     *
     * @throws dev.tarn.memory.MemoryBudgetExceededException if the budget has no room for its
     *     buffers
     */
    public static SstWriter create(
            FileSystem fileSystem, String name, SstOptions options, MemoryAccountant accountant)
            throws IOException {
        return new SstWriter(fileSystem, name, options, accountant, fileSystem.create(name));
    }

    /** Appends an entry; see the other {@code add}. */
    public void add(BytesView key, long trailer, BytesView value) throws IOException {
        add(Hash64.hash(key), key, trailer, value);
    }

    /** Appends an entry whose key's hash is known; see the other {@code add}. */
    public void add(long hash, BytesView key, long trailer, BytesView value) throws IOException {
        add(
                hash,
                key.memory(),
                key.offset(),
                key.length(),
                trailer,
                value.memory(),
                value.offset(),
                value.length());
    }

    /**
     * Appends an entry, which must come behind all before it in internal-key order: a larger user
     * key, or the same one and a smaller sequence number.
     *
     * @param hash {@link Hash64} of the key; a wrong one makes the key impossible to find
     * @param trailer {@link SequenceNumbers#trailer}, with a valid kind byte
     */
    public void add(
            long hash,
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long trailer,
            OffHeapMemory value,
            int valueOffset,
            int valueLength)
            throws IOException {
        boolean isNewKey = checkEntry(key, keyOffset, keyLength, trailer, valueLength);
        state = State.FAILED;
        if (block.entryCount() > 0
                && block.rawLengthWith(keyLength, valueLength) > options.blockSizeBytes()) {
            cutBlock();
        }
        if (isNewKey && filter != null && !filter.reserve(1)) {
            cutBlock();
            cutFilter(key, keyOffset, keyLength, true);
        }
        resolvePending(key, keyOffset, keyLength, isNewKey);
        if (isNewKey && filter != null) {
            filter.add(hash);
        }
        block.add(hash, key, keyOffset, keyLength, trailer, value, valueOffset, valueLength);
        remember(key, keyOffset, keyLength, trailer, valueLength, isNewKey);
        state = State.OPEN;
    }

    /** Returns whether the entry's user key differs from the last one's. */
    private boolean checkEntry(
            OffHeapMemory key, int keyOffset, int keyLength, long trailer, int valueLength) {
        checkOpen();
        if (keyLength < 0 || keyLength > KEY_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "key length must be in [0, " + KEY_LENGTH_MAX + "]: keyLength=" + keyLength);
        }
        if (valueLength < 0 || valueLength > VALUE_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "value length must be in [0, "
                            + VALUE_LENGTH_MAX
                            + "]: valueLength="
                            + valueLength);
        }
        if (!ValueKind.isValid(SequenceNumbers.kindByte(trailer))) {
            throw new IllegalArgumentException(
                    "kind byte is not valid: kindByte=" + SequenceNumbers.kindByte(trailer));
        }
        if (smallestKey == null) {
            return true;
        }
        int order =
                OffHeapMemory.compare(
                        lastKey.memory(), 0, lastKeyLength, key, keyOffset, keyLength);
        if (order > 0 || (order == 0 && trailer >>> 8 >= lastTrailer >>> 8)) {
            throw new IllegalArgumentException(
                    "entry is out of order: lastKey="
                            + new BytesView().wrap(lastKey.memory(), 0, lastKeyLength)
                            + " lastSequenceNumber="
                            + (lastTrailer >>> 8)
                            + " key="
                            + new BytesView().wrap(key, keyOffset, keyLength)
                            + " sequenceNumber="
                            + (trailer >>> 8));
        }
        return order != 0;
    }

    private void remember(
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long trailer,
            int valueLength,
            boolean isNewKey) {
        if (isNewKey) {
            key.copyTo(keyOffset, lastKey.ensure(keyLength), 0, keyLength);
            lastKeyLength = keyLength;
            if (smallestKey == null) {
                smallestKey = new BytesView().wrap(key, keyOffset, keyLength).toByteArray();
            }
        }
        lastTrailer = trailer;
        counter.count(trailer, keyLength, valueLength, isNewKey);
    }

    /** Writes the block that is being filled, if there is one. */
    private void cutBlock() throws IOException {
        if (block.entryCount() == 0) {
            return;
        }
        int rawLength = block.finish(raw);
        long offset = output.size();
        int storedLength = output.appendBlock(options.codec(), raw, rawLength);
        raw.shrink(KEPT_CAPACITY_MAX);
        pend(offset, storedLength, rawLength);
    }

    private void pend(long offset, int storedLength, int rawLength) {
        if (blockCount == Integer.MAX_VALUE) {
            throw new IllegalStateException("file has too many blocks: blockCount=" + blockCount);
        }
        hasPendingBlock = true;
        pendingOffset = offset;
        pendingStoredLength = storedLength;
        pendingRawLength = rawLength;
        counter.rawDataBytes += rawLength;
        counter.storedDataBytes += storedLength;
    }

    /** Enters the block written last into the index, now that the key behind it is known. */
    private void resolvePending(
            OffHeapMemory nextKey, int nextKeyOffset, int nextKeyLength, boolean isNewKey)
            throws IOException {
        if (!hasPendingBlock) {
            return;
        }
        // The last key is spoilt by this, and replaced by the next one right after.
        int separatorLength =
                isNewKey
                        ? KeyPrefix.shortenSeparator(
                                lastKey.memory(),
                                0,
                                lastKeyLength,
                                nextKey,
                                nextKeyOffset,
                                nextKeyLength)
                        : lastKeyLength;
        addToIndex(separatorLength);
    }

    private void addToIndex(int separatorLength) throws IOException {
        hasPendingBlock = false;
        if (!index.reaches(pendingOffset + pendingStoredLength)) {
            cutIndex();
        }
        index.add(
                blockCount++,
                pendingOffset,
                pendingStoredLength,
                pendingRawLength,
                lastKey.memory(),
                0,
                separatorLength);
        if (index.length() >= options.indexPartitionSizeBytes()) {
            cutIndex();
        }
    }

    private void cutIndex() throws IOException {
        int partitionBlocks = index.blockCount();
        if (partitionBlocks == 0) {
            return;
        }
        OffHeapMemory separators = index.separators();
        int separatorOffset = index.lastSeparatorOffset();
        int separatorLength = index.lastSeparatorLength();
        int rawLength = index.finish(raw, 0);
        long offset = output.size();
        int storedLength = output.appendBlock(BlockCodec.NONE, raw, rawLength);
        directory.addIndexPartition(
                offset,
                storedLength,
                partitionBlocks,
                separators,
                separatorOffset,
                separatorLength);
        counter.indexBytes += storedLength;
    }

    /** Closes the filter partition, and with it the index partition, before the next key. */
    private void cutFilter(
            OffHeapMemory nextKey, int nextKeyOffset, int nextKeyLength, boolean isNewKey)
            throws IOException {
        resolvePending(nextKey, nextKeyOffset, nextKeyLength, isNewKey);
        cutIndex();
        writeFilter();
    }

    private void writeFilter() throws IOException {
        if (filter == null || filter.keyCount() == 0) {
            return;
        }
        int lineCount = filter.lineCount();
        int keyCount = filter.keyCount();
        int rawLength = lineCount * BloomFilterMath.LINE_BYTES;
        filter.finish(raw.ensure(rawLength), 0);
        long offset = output.size();
        int storedLength = output.appendBlock(BlockCodec.NONE, raw, rawLength);
        raw.shrink(KEPT_CAPACITY_MAX);
        directory.addFilter(offset, storedLength, keyCount, lineCount, filter.probeCount());
        counter.filterBytes += storedLength;
    }

    /**
     * Takes blocks from another file without compressing them again: their bytes are copied as they
     * are. They are checked, and decompressed only to read the keys, which the filter, the order
     * and the properties need.
     *
     * <p>The block that is being filled ends here, and the copied ones keep their size, so this
     * pays where many blocks in a row are taken.
     *
     * @param source stays open meanwhile; must not be this file
     * @param firstBlock in [0, {@link SstReader#blockCount()}]
     * @param endBlock exclusive
     * @throws IllegalArgumentException if the entries are out of order; the file can only be
     *     aborted then
     */
    public void copyBlocks(SstReader source, int firstBlock, int endBlock) throws IOException {
        checkOpen();
        state = State.FAILED;
        cutBlock();
        try (RawBlockSource blocks = new RawBlockSource(source, accountant)) {
            for (int number = firstBlock; number < endBlock; number++) {
                int rawLength = blocks.read(number);
                takeEntries(blocks.raw(), blocks.rawOffset(), rawLength);
                long offset = output.size();
                output.append(blocks.stored(), blocks.storedOffset(), blocks.storedLength());
                pend(offset, blocks.storedLength(), rawLength);
            }
        }
        state = State.OPEN;
    }

    private void takeEntries(OffHeapMemory copied, int base, int rawLength) throws IOException {
        int entryCount = BlockReader.entryCount(copied, base, rawLength);
        int start = BlockReader.entryOffset(copied, base, rawLength, entryCount, 0);
        for (int i = 0; i < entryCount; i++) {
            int end = BlockReader.entryOffset(copied, base, rawLength, entryCount, i + 1);
            int entry = base + start;
            int key = entry + RawBlockLayout.ENTRY_KEY_OFFSET;
            int keyLength = BlockReader.keyLength(copied, entry);
            int valueLength = end - start - RawBlockLayout.ENTRY_KEY_OFFSET - keyLength;
            long trailer = BlockReader.trailer(copied, entry);
            state = State.OPEN;
            boolean isNewKey = checkEntry(copied, key, keyLength, trailer, valueLength);
            state = State.FAILED;
            if (i == 0) {
                if (filter != null && !filter.reserve(entryCount)) {
                    cutFilter(copied, key, keyLength, isNewKey);
                    filter.reserve(entryCount);
                }
                resolvePending(copied, key, keyLength, isNewKey);
            }
            if (isNewKey && filter != null) {
                filter.add(Hash64.hash(copied, key, keyLength));
            }
            remember(copied, key, keyLength, trailer, valueLength, isNewKey);
            start = end;
        }
    }

    /** Returns about how large the file would become if it were finished now. */
    public long estimatedSizeBytes() {
        long filterBytes =
                filter == null ? 0 : (long) filter.lineCount() * BloomFilterMath.LINE_BYTES;
        return output.size() + block.rawLength() + index.length() + filterBytes;
    }

    /** Returns how many entries were added. */
    public long entryCount() {
        return counter.entryCount;
    }

    /**
     * Completes the file, syncs and closes it.
     *
     * <p>The name becomes durable with {@link FileSystem#syncDirectory}, which is the caller's to
     * call, once for all the files it made.
     */
    public SstProperties finish() throws IOException {
        checkOpen();
        state = State.FAILED;
        cutBlock();
        if (smallestKey != null) {
            largestKey = new BytesView().wrap(lastKey.memory(), 0, lastKeyLength).toByteArray();
        }
        if (hasPendingBlock) {
            addToIndex(lastKeyLength);
        }
        cutIndex();
        writeFilter();
        long directoryOffset = output.size();
        int directorySize = output.appendBlock(BlockCodec.NONE, raw, directory.finish(raw));
        long propertiesOffset = output.size();
        SstProperties properties =
                counter.toProperties(
                        options,
                        blockCount,
                        smallestKey == null ? new byte[0] : smallestKey,
                        largestKey);
        int propertiesSize =
                output.appendBlock(BlockCodec.NONE, raw, PropertiesCodec.write(properties, raw, 0));
        writeFooter(directoryOffset, directorySize, propertiesOffset, propertiesSize);
        output.flush();
        file.sync();
        file.close();
        state = State.FINISHED;
        freeBuffers();
        return properties;
    }

    private void writeFooter(
            long directoryOffset, int directorySize, long propertiesOffset, int propertiesSize)
            throws IOException {
        OffHeapMemory footer = raw.ensure(FooterLayout.SIZE);
        footer.fill(0, FooterLayout.SIZE, (byte) 0);
        footer.putLong(FooterLayout.DIRECTORY_OFFSET, directoryOffset);
        footer.putLong(FooterLayout.PROPERTIES_OFFSET, propertiesOffset);
        footer.putInt(FooterLayout.DIRECTORY_SIZE_OFFSET, directorySize);
        footer.putInt(FooterLayout.PROPERTIES_SIZE_OFFSET, propertiesSize);
        footer.putLong(FooterLayout.FILE_SIZE_OFFSET, output.size() + FooterLayout.SIZE);
        footer.putInt(FooterLayout.VERSION_OFFSET, SstFormatVersion.CURRENT);
        footer.putInt(FooterLayout.CRC_OFFSET, Crc32c.of(footer, 0, FooterLayout.CRC_OFFSET));
        footer.putLong(FooterLayout.MAGIC_OFFSET, FooterLayout.MAGIC);
        output.append(footer, 0, FooterLayout.SIZE);
    }

    /** Gives the file up and deletes it; does nothing if it was finished or aborted before. */
    public void abort() throws IOException {
        if (state == State.FINISHED || state == State.ABORTED) {
            return;
        }
        state = State.ABORTED;
        freeBuffers();
        try {
            file.close();
        } finally {
            fileSystem.delete(name);
        }
    }

    /** Aborts, unless the file was finished. */
    @Override
    public void close() throws IOException {
        abort();
    }

    private void freeBuffers() {
        output.close();
        block.close();
        index.close();
        directory.close();
        raw.close();
        lastKey.close();
        if (filter != null) {
            filter.close();
        }
    }

    private void checkOpen() {
        if (state == State.FAILED) {
            throw new IllegalStateException(
                    "SST writer failed before and can only be aborted: file="
                            + fileSystem.describe(name));
        }
        if (state != State.OPEN) {
            throw new ClosedException(
                    "SST writer is closed: file=" + fileSystem.describe(name) + " state=" + state);
        }
    }
}
