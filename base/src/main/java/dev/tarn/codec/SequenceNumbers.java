package dev.tarn.codec;

/**
 * Sequence numbers order the entries of a store: each write has a larger one than all before it.
 *
 * <p>In an internal key, a sequence number and a kind byte share eight bytes (the trailer), so a
 * sequence number has 56 bits. Internal keys order by user key ascending, then sequence number
 * descending.
 */
public final class SequenceNumbers {
    /** Older than every entry. */
    public static final long NONE = 0;

    /** The largest that fits a trailer; as a snapshot it sees everything. */
    public static final long MAX = (1L << 56) - 1;

    private SequenceNumbers() {}

    /** Returns {@code sequenceNumber << 8 | kindByte}. */
    public static long trailer(long sequenceNumber, byte kindByte) {
        return sequenceNumber << 8 | (kindByte & 0xff);
    }

    /** Returns the sequence number of a trailer. */
    public static long sequenceNumber(long trailer) {
        return trailer >>> 8;
    }

    /** Returns the kind byte of a trailer. */
    public static byte kindByte(long trailer) {
        return (byte) trailer;
    }
}
