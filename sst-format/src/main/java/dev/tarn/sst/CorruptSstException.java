package dev.tarn.sst;

import dev.tarn.codec.CorruptDataException;

/** Thrown when an SST file is damaged; the message names the file and, where known, the offset. */
public final class CorruptSstException extends CorruptDataException {
    private static final long serialVersionUID = 1L;

    public CorruptSstException(String message) {
        super(message);
    }

    public CorruptSstException(String message, Throwable cause) {
        super(message, cause);
    }
}
