package dev.tarn.io;

import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;

/**
 * An open file that is written, mostly at its end.
 *
 * <p>Owner: whoever opened it closes it, once. Closing does not sync.
 *
 * <p>Threads: belongs to one thread at a time.
 *
 * <p>Errors: after a failed {@link #sync()} the contents of the file are unknown, and a later sync
 * proves nothing: give the file up and write another.
 */
public interface WritableFile extends AutoCloseable {
    /** Writes all bytes behind the last one. */
    void append(OffHeapMemory source, int sourceOffset, int length) throws IOException;

    /** Writes all bytes at a position that is not behind the end. */
    void write(long position, OffHeapMemory source, int sourceOffset, int length)
            throws IOException;

    /** Returns the size in bytes, with everything appended so far. */
    long size();

    /** Makes what was written durable; the name needs {@link FileSystem#syncDirectory} too. */
    void sync() throws IOException;

    /** Returns the name it was opened by, as {@link FileSystem#describe} shows it. */
    String describe();

    @Override
    void close() throws IOException;
}
