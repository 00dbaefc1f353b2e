package dev.tarn.table.merge;

/** A record and the state of its key that do not go together; the message names key and field. */
public final class MergeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public MergeException(String message) {
        super(message);
    }
}
