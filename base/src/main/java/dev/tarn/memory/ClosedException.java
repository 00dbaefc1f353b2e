package dev.tarn.memory;

/** Thrown when something is used after it was closed, or closed twice. */
public final class ClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public ClosedException(String message) {
        super(message);
    }
}
