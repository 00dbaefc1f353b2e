package dev.tarn.io;

import java.io.IOException;

/** Thrown when a lock is held by another; the message names the holder. */
public final class LockedException extends IOException {
    private static final long serialVersionUID = 1L;

    public LockedException(String message) {
        super(message);
    }
}
