package dev.tarn.sst.block;

import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/**
 * Compresses payloads.
 *
 * <p>Threads: belongs to one thread. Lifetime: source and target are direct buffers that the caller
 * holds; their marks are not changed.
 */
public final class BlockCompressor {
    private static final int ZSTD_LEVEL = 1;

    private final LZ4Compressor lz4 = LZ4Factory.fastestInstance().fastCompressor();

    /** Returns the longest that {@code length} bytes can become. */
    public static int compressedLengthMax(BlockCodec codec, int length) {
        switch (codec) {
            case LZ4:
                return length + length / 255 + 16;
            case ZSTD:
                return length + (length >>> 8) + 128;
            default:
                return length;
        }
    }

    /**
     * Compresses a range and returns the compressed length.
     *
     * @param codec LZ4 or ZSTD
     * @param target has room for {@link #compressedLengthMax} bytes
     * @throws IllegalStateException if the codec is not available
     */
    public int compress(
            BlockCodec codec,
            ByteBuffer source,
            int sourceOffset,
            int length,
            ByteBuffer target,
            int targetOffset) {
        int targetLength = compressedLengthMax(codec, length);
        if (codec == BlockCodec.LZ4) {
            return lz4.compress(source, sourceOffset, length, target, targetOffset, targetLength);
        }
        return ZstdBlocks.compress(
                source, sourceOffset, length, target, targetOffset, targetLength, ZSTD_LEVEL);
    }
}
