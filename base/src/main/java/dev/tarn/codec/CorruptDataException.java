package dev.tarn.codec;

/** Thrown when stored bytes are damaged: the message names file and offset where they are known. */
public class CorruptDataException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CorruptDataException(String message) {
        super(message);
    }

    public CorruptDataException(String message, Throwable cause) {
        super(message, cause);
    }
}
