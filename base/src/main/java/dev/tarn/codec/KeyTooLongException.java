package dev.tarn.codec;

/** Thrown when an encoded key exceeds {@link KeyEncoder#KEY_LENGTH_MAX}. */
public final class KeyTooLongException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    KeyTooLongException(long keyLength) {
        super(
                "key is too long: keyLength="
                        + keyLength
                        + " keyLengthMax="
                        + KeyEncoder.KEY_LENGTH_MAX);
    }
}
