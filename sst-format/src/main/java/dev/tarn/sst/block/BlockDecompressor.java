package dev.tarn.sst.block;

import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Decompresses payloads of unknown origin.
 *
 * <p>Threads: belongs to one thread. Lifetime: source and target are direct buffers that the caller
 * holds; their marks are not changed.
 */
public final class BlockDecompressor {
    private final LZ4SafeDecompressor lz4 = LZ4Factory.fastestInstance().safeDecompressor();

    /**
     * Decompresses a range to exactly {@code rawLength} bytes; returns whether it could.
     *
     * @param codec LZ4 or ZSTD
     * @throws IllegalStateException if the codec is not available
     */
    public boolean decompress(
            BlockCodec codec,
            ByteBuffer source,
            int sourceOffset,
            int length,
            ByteBuffer target,
            int targetOffset,
            int rawLength) {
        if (codec == BlockCodec.ZSTD) {
            return rawLength
                    == ZstdBlocks.decompress(
                            source, sourceOffset, length, target, targetOffset, rawLength);
        }
        try {
            return rawLength
                    == lz4.decompress(
                            source, sourceOffset, length, target, targetOffset, rawLength);
        } catch (LZ4Exception e) {
            return false;
        }
    }

    /**
     * Checks that a codec can be used on this class path.
     *
     * @throws IllegalStateException if it cannot
     */
    public static void requireAvailable(BlockCodec codec) {
        if (codec == BlockCodec.ZSTD) {
            try {
                ZstdBlocks.requireAvailable();
            } catch (LinkageError e) {
                throw new IllegalStateException(
                        "codec zstd is not available: put com.github.luben:zstd-jni on the class"
                                + " path",
                        e);
            }
        }
    }
}
