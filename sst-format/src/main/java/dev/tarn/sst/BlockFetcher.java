package dev.tarn.sst;

import dev.tarn.codec.Crc32c;
import dev.tarn.io.ReadableFile;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.sst.block.BlockDecompressor;
import dev.tarn.sst.block.BlockHeaderLayout;
import dev.tarn.sst.block.BlockReader;
import dev.tarn.sst.block.IndexBlock;
import dev.tarn.sst.block.ScratchBuffer;
import dev.tarn.sst.cache.BlockLoader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Brings blocks from a file into memory: reads, checks and decompresses them.
 *
 * <p>Owner: owns its read buffer. Threads: belongs to one thread.
 *
 * <p>Errors: {@link CorruptSstException} with file and offset for bytes that are no such block.
 */
final class BlockFetcher implements BlockLoader, AutoCloseable {
    /** What the payload of a block is, and how it is checked. */
    enum Kind {
        DATA,
        INDEX,
        FILTER,
        DIRECTORY,
        PROPERTIES
    }

    private static final int BUFFER_CAPACITY = 16 << 10;
    private static final int KEPT_CAPACITY_MAX = 1 << 20;

    private final ScratchBuffer stored;
    private final Crc32c crc = new Crc32c();
    private final BlockDecompressor decompressor = new BlockDecompressor();

    /** The memory last decompressed to, and a view of it: frames share a few large memories. */
    private @Nullable OffHeapMemory viewed;

    private @Nullable ByteBuffer view;

    private @Nullable ReadableFile file;
    private Kind kind = Kind.DATA;
    private long offset;
    private int storedLength;

    /** Bytes read from files since the fetcher was made. */
    private long readBytes;

    private long readCount;

    BlockFetcher(MemoryAccountant accountant) {
        stored = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, BUFFER_CAPACITY);
    }

    long readBytes() {
        return readBytes;
    }

    long readCount() {
        return readCount;
    }

    /** Tells which block {@link #load} loads next; returns this. */
    BlockFetcher prepare(ReadableFile file, Kind kind, long offset, int storedLength) {
        this.file = file;
        this.kind = kind;
        this.offset = offset;
        this.storedLength = storedLength;
        return this;
    }

    @Override
    public void load(OffHeapMemory target, int targetOffset, int rawLength) throws IOException {
        ReadableFile source = file;
        if (source == null) {
            throw new IllegalStateException("no block is prepared");
        }
        fetch(source, kind, offset, storedLength, target, targetOffset, rawLength);
    }

    /** Reads a block, whose payload has {@code rawLength} bytes, into the target. */
    void fetch(
            ReadableFile file,
            Kind kind,
            long offset,
            int storedLength,
            OffHeapMemory target,
            int targetOffset,
            int rawLength)
            throws IOException {
        OffHeapMemory block = stored.ensure(storedLength);
        read(file, offset, block, 0, storedLength);
        unpack(
                file,
                kind,
                offset,
                block,
                stored.byteBuffer(),
                0,
                storedLength,
                target,
                targetOffset,
                rawLength);
        stored.shrink(KEPT_CAPACITY_MAX);
    }

    /** Reads bytes that the file must have. */
    void read(ReadableFile file, long offset, OffHeapMemory target, int targetOffset, int length)
            throws IOException {
        readCount++;
        readBytes += length;
        try {
            file.read(offset, target, targetOffset, length);
        } catch (EOFException e) {
            throw new CorruptSstException(
                    "file ends before its block: file="
                            + file.describe()
                            + " offset="
                            + offset
                            + " sizeBytes="
                            + length,
                    e);
        }
    }

    /**
     * Checks a stored block and writes its payload to the target.
     *
     * @param bytes a byte buffer over all of {@code block}; its marks are changed
     */
    void unpack(
            ReadableFile file,
            Kind kind,
            long offset,
            OffHeapMemory block,
            ByteBuffer bytes,
            int blockOffset,
            int storedLength,
            OffHeapMemory target,
            int targetOffset,
            int rawLength) {
        BlockCodec codec =
                checkHeader(file, kind, offset, block, bytes, blockOffset, storedLength, rawLength);
        if (codec == BlockCodec.NONE) {
            block.copyTo(blockOffset + BlockHeaderLayout.SIZE, target, targetOffset, rawLength);
        } else {
            decompress(
                    file,
                    codec,
                    offset,
                    bytes,
                    blockOffset,
                    storedLength,
                    target,
                    targetOffset,
                    rawLength);
        }
        checkPayload(file, kind, offset, target, targetOffset, rawLength);
    }

    /** Decompresses the payload of a data block whose header was checked. */
    void decompress(
            ReadableFile file,
            BlockCodec codec,
            long offset,
            ByteBuffer bytes,
            int blockOffset,
            int storedLength,
            OffHeapMemory target,
            int targetOffset,
            int rawLength) {
        if (!decompressor.decompress(
                codec,
                bytes.clear(),
                blockOffset + BlockHeaderLayout.SIZE,
                storedLength - BlockHeaderLayout.SIZE,
                viewOf(target),
                targetOffset,
                rawLength)) {
            throw corrupt(file, Kind.DATA, offset, "block does not decompress: codec=" + codec);
        }
    }

    /** Checks everything that does not need the payload decompressed; returns its codec. */
    BlockCodec checkHeader(
            ReadableFile file,
            Kind kind,
            long offset,
            OffHeapMemory block,
            ByteBuffer bytes,
            int blockOffset,
            int storedLength,
            int rawLength) {
        int expectedCrc = block.getInt(blockOffset + BlockHeaderLayout.CRC_OFFSET);
        int actualCrc =
                crc.of(
                        bytes,
                        blockOffset + BlockHeaderLayout.CHECKED_OFFSET,
                        storedLength - BlockHeaderLayout.CHECKED_OFFSET);
        if (expectedCrc != actualCrc) {
            throw corrupt(
                    file,
                    kind,
                    offset,
                    "block checksum mismatch: sizeBytes="
                            + storedLength
                            + " expectedCrc=0x"
                            + Integer.toHexString(expectedCrc)
                            + " actualCrc=0x"
                            + Integer.toHexString(actualCrc));
        }
        int storedRawLength = block.getInt(blockOffset + BlockHeaderLayout.RAW_LENGTH_OFFSET);
        int codecId = block.getUnsignedByte(blockOffset + BlockHeaderLayout.CODEC_OFFSET);
        BlockCodec codec = BlockCodec.byId(codecId);
        if (codec == null) {
            throw corrupt(file, kind, offset, "block codec is unknown: codec=" + codecId);
        }
        if (storedRawLength != rawLength
                || (codec == BlockCodec.NONE
                        && rawLength != storedLength - BlockHeaderLayout.SIZE)) {
            throw corrupt(
                    file,
                    kind,
                    offset,
                    "block length mismatch: expectedRawLength="
                            + rawLength
                            + " rawLength="
                            + storedRawLength
                            + " sizeBytes="
                            + storedLength
                            + " codec="
                            + codec);
        }
        if (codec != BlockCodec.NONE && kind != Kind.DATA) {
            throw corrupt(file, kind, offset, "block must not be compressed: codec=" + codec);
        }
        return codec;
    }

    void checkPayload(
            ReadableFile file,
            Kind kind,
            long offset,
            OffHeapMemory payload,
            int payloadOffset,
            int rawLength) {
        String fault = null;
        if (kind == Kind.DATA) {
            fault = BlockReader.check(payload, payloadOffset, rawLength);
        } else if (kind == Kind.INDEX) {
            fault = IndexBlock.check(payload, payloadOffset, rawLength);
        }
        if (fault != null) {
            throw corrupt(file, kind, offset, fault);
        }
    }

    static CorruptSstException corrupt(
            ReadableFile file, Kind kind, long offset, String whatAndValues) {
        return new CorruptSstException(
                whatAndValues
                        + (whatAndValues.indexOf(':') < 0 ? ": file=" : " file=")
                        + file.describe()
                        + " type="
                        + kind
                        + " offset="
                        + offset);
    }

    private ByteBuffer viewOf(OffHeapMemory memory) {
        ByteBuffer current = view;
        if (current == null || viewed != memory || current.capacity() != memory.capacity()) {
            current = memory.asByteBuffer(0, memory.capacity());
            viewed = memory;
            view = current;
        }
        return current;
    }

    @Override
    public void close() {
        view = null;
        viewed = null;
        stored.close();
    }
}
