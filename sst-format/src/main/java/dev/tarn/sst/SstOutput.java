package dev.tarn.sst;

import dev.tarn.codec.Crc32c;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.sst.block.BlockCompressor;
import dev.tarn.sst.block.BlockHeaderLayout;
import dev.tarn.sst.block.ScratchBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Appends blocks to a file through one write buffer, into which they are compressed.
 *
 * <p>Owner: owns the buffer, not the file. Threads: belongs to one thread.
 */
final class SstOutput implements AutoCloseable {
    private static final int BUFFER_CAPACITY = 256 << 10;

    private final WritableFile file;
    private final ScratchBuffer buffer;
    private final BlockCompressor compressor = new BlockCompressor();
    private final Crc32c crc = new Crc32c();
    private int buffered;
    private long flushed;

    SstOutput(WritableFile file, MemoryAccountant accountant) {
        this.file = file;
        this.buffer = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, BUFFER_CAPACITY);
    }

    /** The size of the file with everything appended so far. */
    long size() {
        return flushed + buffered;
    }

    /**
     * Appends a block with {@code raw}'s first bytes as payload, compressed if that saves an eighth
     * or more; returns how many bytes it takes in the file.
     */
    int appendBlock(BlockCodec codec, ScratchBuffer raw, int rawLength) throws IOException {
        int room = BlockHeaderLayout.SIZE + BlockCompressor.compressedLengthMax(codec, rawLength);
        OffHeapMemory target = reserve(room);
        ByteBuffer bytes = buffer.byteBuffer().clear();
        int start = buffered;
        int payload = start + BlockHeaderLayout.SIZE;
        BlockCodec used = codec;
        int payloadLength = rawLength;
        if (codec != BlockCodec.NONE) {
            payloadLength =
                    compressor.compress(
                            codec, raw.byteBuffer().clear(), 0, rawLength, bytes, payload);
            if (payloadLength > rawLength - (rawLength >>> 3)
                    || rawLength > BlockHeaderLayout.rawLengthMax(payloadLength)) {
                used = BlockCodec.NONE;
                payloadLength = rawLength;
            }
        }
        if (used == BlockCodec.NONE) {
            raw.memory().copyTo(0, target, payload, rawLength);
        }
        target.putInt(start + BlockHeaderLayout.RAW_LENGTH_OFFSET, rawLength);
        target.putByte(start + BlockHeaderLayout.CODEC_OFFSET, (byte) used.id());
        int storedLength = BlockHeaderLayout.SIZE + payloadLength;
        target.putInt(
                start + BlockHeaderLayout.CRC_OFFSET,
                crc.of(
                        bytes,
                        start + BlockHeaderLayout.CHECKED_OFFSET,
                        storedLength - BlockHeaderLayout.CHECKED_OFFSET));
        buffered += storedLength;
        return storedLength;
    }

    /** Appends bytes as they are. */
    void append(OffHeapMemory source, int sourceOffset, int length) throws IOException {
        if (length >= BUFFER_CAPACITY) {
            flush();
            file.append(source, sourceOffset, length);
            flushed += length;
            return;
        }
        OffHeapMemory target = reserve(length);
        source.copyTo(sourceOffset, target, buffered, length);
        buffered += length;
    }

    private OffHeapMemory reserve(int length) throws IOException {
        if (length > buffer.capacity() - buffered) {
            flush();
            buffer.ensure(length);
        }
        return buffer.memory();
    }

    /** Hands everything to the file. */
    void flush() throws IOException {
        if (buffered > 0) {
            file.append(buffer.memory(), 0, buffered);
            flushed += buffered;
            buffered = 0;
        }
        buffer.shrink(BUFFER_CAPACITY);
    }

    @Override
    public void close() {
        buffer.close();
    }
}
