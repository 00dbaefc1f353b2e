package dev.tarn.engine;

import org.jspecify.annotations.Nullable;

/**
 * Thrown to a writer when the store cannot take writes: the cause is what failed in the background.
 * Reads go on, and nothing that was committed is lost.
 */
public final class WritesStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public WritesStoppedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
