package dev.tarn.io;

import java.io.IOException;

/**
 * Thrown when the device or a quota is full: what was not written can be written once it is not.
 */
public final class OutOfSpaceException extends IOException {
    private static final long serialVersionUID = 1L;

    public OutOfSpaceException(String message, Throwable cause) {
        super(message, cause);
    }

    public OutOfSpaceException(String message) {
        super(message);
    }
}
