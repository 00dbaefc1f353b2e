package dev.tarn.sst.cache;

import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;

/** What brings a missing block into its frame: reads, checks and decompresses it. */
@FunctionalInterface
public interface BlockLoader {
    /**
     * Writes exactly {@code rawLength} bytes of the block.
     *
     * <p>Owner: the cache owns the target; the loader must not keep it, nor touch bytes outside
     * {@code [targetOffset, targetOffset + rawLength)}.
     *
     * <p>Threads: runs in the thread that called {@link BlockCache#load}, without any lock; other
     * threads may wait for the block meanwhile. It must not call {@link BlockCache#load}.
     *
     * <p>Errors: whatever it throws reaches the caller and every thread that waits for this block;
     * an {@link java.io.InterruptedIOException} or {@link
     * java.nio.channels.ClosedByInterruptException} reaches the caller alone, and one of the others
     * takes the load over.
     */
    void load(OffHeapMemory target, int targetOffset, int rawLength) throws IOException;
}
