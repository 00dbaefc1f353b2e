package dev.tarn.io;

import java.io.IOException;

/** A lock that is held until it is closed, once, by any thread. */
public interface FileLock extends AutoCloseable {
    @Override
    void close() throws IOException;
}
