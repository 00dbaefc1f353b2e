package dev.tarn.io;

import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;

/**
 * An open file that is read at any position.
 *
 * <p>Owner: whoever opened it closes it, once.
 *
 * <p>Threads: any number of threads may read at once; close when no thread reads any more.
 *
 * <p>Errors: a read that an interrupt hits completes, and leaves the interrupt flag set.
 */
public interface ReadableFile extends AutoCloseable {
    /**
     * Reads exactly {@code length} bytes.
     *
     * @param position of the first byte in the file
     * @throws java.io.EOFException if the file ends before; the target's contents are undefined
     */
    void read(long position, OffHeapMemory target, int targetOffset, int length) throws IOException;

    /** Returns the size in bytes when the file was opened. */
    long size();

    /** Returns the name it was opened by, as {@link FileSystem#describe} shows it. */
    String describe();

    @Override
    void close() throws IOException;
}
