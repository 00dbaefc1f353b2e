package dev.tarn.codec;

/** Thrown when stored bytes have a format version that this release is too old to read. */
public final class UnsupportedFormatException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnsupportedFormatException(String message) {
        super(message);
    }
}
