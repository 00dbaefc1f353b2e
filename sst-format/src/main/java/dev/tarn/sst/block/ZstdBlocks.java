package dev.tarn.sst.block;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;

/** The only class that names the optional zstd library; it loads when zstd is first used. */
final class ZstdBlocks {
    private ZstdBlocks() {}

    /**
     * Checks that the library can be used.
     *
     * @throws IllegalStateException if it cannot
     */
    static void requireAvailable() {
        try {
            Zstd.compressBound(1);
        } catch (LinkageError e) {
            throw new IllegalStateException(
                    "codec zstd is not available: put com.github.luben:zstd-jni on the class path",
                    e);
        }
    }

    static int compress(
            ByteBuffer source,
            int sourceOffset,
            int length,
            ByteBuffer target,
            int targetOffset,
            int targetLength,
            int level) {
        requireAvailable();
        long written =
                Zstd.compressDirectByteBuffer(
                        target, targetOffset, targetLength, source, sourceOffset, length, level);
        if (Zstd.isError(written)) {
            throw new IllegalStateException("zstd failed: " + Zstd.getErrorName(written));
        }
        return Math.toIntExact(written);
    }

    /** Returns the decompressed length, or -1 if the bytes are not one frame of at most that. */
    static int decompress(
            ByteBuffer source,
            int sourceOffset,
            int length,
            ByteBuffer target,
            int targetOffset,
            int targetLength) {
        requireAvailable();
        try {
            long written =
                    Zstd.decompressDirectByteBuffer(
                            target, targetOffset, targetLength, source, sourceOffset, length);
            return Zstd.isError(written) ? -1 : Math.toIntExact(written);
        } catch (ZstdException e) {
            return -1;
        }
    }
}
