package dev.tarn.sst;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.sst.block.BlockHeaderLayout;
import dev.tarn.sst.block.IndexBlock;
import dev.tarn.sst.block.ScratchBuffer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads data blocks of a file past the cache: as they are stored, and their payload.
 *
 * <p>Owner: owns its buffers, not the reader. Lifetime: a block is valid until the next one is
 * read. Threads: belongs to one thread.
 */
final class RawBlockSource implements AutoCloseable {
    private final SstReader source;
    private final SstLookup scratch;
    private final CopiedPartition copied;
    private final BlockStream stream;
    private final ScratchBuffer decompressed;
    private @Nullable IndexBlock blocks;
    private int storedOffset;
    private int storedLength;
    private boolean isCompressed;

    RawBlockSource(SstReader source, MemoryAccountant accountant) {
        this.source = source;
        this.scratch = new SstLookup(accountant);
        this.copied = new CopiedPartition(accountant);
        this.stream = new BlockStream(source.file(), scratch.fetcher, accountant);
        this.decompressed = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 8192);
    }

    /** Reads and checks a block of the file; returns the length of its payload. */
    int read(int number) throws IOException {
        IndexBlock current = blocks;
        if (current == null
                || number < current.firstBlock()
                || number >= current.firstBlock() + current.blockCount()) {
            SstDirectory directory = source.directory();
            if (number < 0 || number >= directory.blockCount()) {
                throw new IndexOutOfBoundsException(
                        "block is not in the file: block="
                                + number
                                + " blockCount="
                                + directory.blockCount());
            }
            current = source.index().copy(directory.partitionOf(number), scratch, copied);
            blocks = current;
        }
        return read(current, number - current.firstBlock(), false);
    }

    /**
     * Reads and checks a block of an index partition; returns the length of its payload.
     *
     * @param isBackward whether the blocks before this one are read next
     */
    int read(IndexBlock blocks, int at, boolean isBackward) throws IOException {
        int rawLength = blocks.rawLength(at);
        long offset = blocks.offset(at);
        storedLength = blocks.storedLength(at);
        storedOffset =
                isBackward
                        ? stream.backward(offset, storedLength)
                        : stream.forward(offset, storedLength, source.directoryOffset());
        BlockCodec codec =
                scratch.fetcher.checkHeader(
                        source.file(),
                        BlockFetcher.Kind.DATA,
                        offset,
                        stream.memory(),
                        stream.byteBuffer(),
                        storedOffset,
                        storedLength,
                        rawLength);
        isCompressed = codec != BlockCodec.NONE;
        if (isCompressed) {
            scratch.fetcher.decompress(
                    source.file(),
                    codec,
                    offset,
                    stream.byteBuffer(),
                    storedOffset,
                    storedLength,
                    decompressed.ensure(rawLength),
                    0,
                    rawLength);
        }
        scratch.fetcher.checkPayload(
                source.file(), BlockFetcher.Kind.DATA, offset, raw(), rawOffset(), rawLength);
        return rawLength;
    }

    /** The memory that the block read last is stored in. */
    OffHeapMemory stored() {
        return stream.memory();
    }

    int storedOffset() {
        return storedOffset;
    }

    int storedLength() {
        return storedLength;
    }

    /** The memory that the payload of the block read last lies in. */
    OffHeapMemory raw() {
        return isCompressed ? decompressed.memory() : stream.memory();
    }

    int rawOffset() {
        return isCompressed ? 0 : storedOffset + BlockHeaderLayout.SIZE;
    }

    @Override
    public void close() {
        decompressed.close();
        stream.close();
        copied.close();
        scratch.close();
    }
}
