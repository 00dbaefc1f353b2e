package dev.tarn.sst;

import dev.tarn.io.ReadableFile;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.ScratchBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads neighbouring blocks of a file with few, large reads, which grow as long as the blocks
 * follow each other.
 *
 * <p>Owner: owns its buffer, not the file. Lifetime: a block lies in the buffer until the next one
 * is asked for. Threads: belongs to one thread.
 */
final class BlockStream implements AutoCloseable {
    private static final int WINDOW_MIN = 32 << 10;

    /** Two reads of this size take the time of the disk, not of the calls. */
    private static final int WINDOW_MAX = 512 << 10;

    private final ReadableFile file;
    private final BlockFetcher fetcher;
    private final ScratchBuffer buffer;
    private long bufferedOffset;
    private int bufferedLength;
    private int window = WINDOW_MIN;

    BlockStream(ReadableFile file, BlockFetcher fetcher, MemoryAccountant accountant) {
        this.file = file;
        this.fetcher = fetcher;
        this.buffer = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 0);
    }

    /**
     * Brings a block into the buffer and returns where in it the block starts.
     *
     * @param limit in the file, behind which there is nothing to read ahead
     */
    int forward(long offset, int storedLength, long limit) throws IOException {
        if (isBuffered(offset, storedLength)) {
            return (int) (offset - bufferedOffset);
        }
        boolean goesOn =
                bufferedLength > 0
                        && offset >= bufferedOffset
                        && offset <= bufferedOffset + bufferedLength;
        window = goesOn ? Math.min(2 * window, WINDOW_MAX) : WINDOW_MIN;
        fill(offset, (int) Math.max(storedLength, Math.min(window, limit - offset)));
        return 0;
    }

    /** As {@link #forward}, but reads ahead what precedes the block. */
    int backward(long offset, int storedLength) throws IOException {
        if (isBuffered(offset, storedLength)) {
            return (int) (offset - bufferedOffset);
        }
        long end = offset + storedLength;
        boolean goesOn =
                bufferedLength > 0
                        && end >= bufferedOffset
                        && end <= bufferedOffset + bufferedLength;
        window = goesOn ? Math.min(2 * window, WINDOW_MAX) : WINDOW_MIN;
        long start = Math.max(0, Math.min(offset, end - window));
        fill(start, (int) (end - start));
        return (int) (offset - start);
    }

    private boolean isBuffered(long offset, int storedLength) {
        return offset >= bufferedOffset && offset + storedLength <= bufferedOffset + bufferedLength;
    }

    private void fill(long offset, int length) throws IOException {
        bufferedLength = 0;
        buffer.shrink(WINDOW_MAX);
        fetcher.read(file, offset, buffer.ensure(length), 0, length);
        bufferedOffset = offset;
        bufferedLength = length;
    }

    OffHeapMemory memory() {
        return buffer.memory();
    }

    ByteBuffer byteBuffer() {
        return buffer.byteBuffer();
    }

    @Override
    public void close() {
        buffer.close();
    }
}
