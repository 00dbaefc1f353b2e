package dev.tarn.codec;

/**
 * The kind byte of an entry: what it does to its key, and the row kind that it carries along.
 *
 * <pre>
 * bits  field     values
 * 0-2   kind      0 DELETE, 1 PUT, 2 MERGE, 3 RANGE_DELETE
 * 3     zero
 * 4-5   row kind  0 +I, 1 -U, 2 +U, 3 -D
 * 6-7   zero
 * </pre>
 *
 * <p>The numbers are on disk and never change.
 */
public final class ValueKind {
    /** Tombstone: the key is absent from this entry on. */
    public static final byte DELETE = 0;

    /** The key has this value. */
    public static final byte PUT = 1;

    /** An operand to be merged onto the older entries of the key. */
    public static final byte MERGE = 2;

    /** The keys from this one up to the value, exclusive, are absent. */
    public static final byte RANGE_DELETE = 3;

    /** Row kinds, as in a changelog; stored only where a table asks for them. */
    public static final byte ROW_INSERT = 0;

    public static final byte ROW_UPDATE_BEFORE = 1;
    public static final byte ROW_UPDATE_AFTER = 2;
    public static final byte ROW_DELETE = 3;

    private static final int KIND_MASK = 0x07;
    private static final int ROW_KIND_SHIFT = 4;

    private ValueKind() {}

    /** Returns the kind byte for a kind that carries a row kind. */
    public static byte of(byte kind, byte rowKind) {
        return (byte) (kind | rowKind << ROW_KIND_SHIFT);
    }

    /** Returns {@link #DELETE}, {@link #PUT}, {@link #MERGE} or {@link #RANGE_DELETE}. */
    public static byte kind(byte kindByte) {
        return (byte) (kindByte & KIND_MASK);
    }

    /** Returns the row kind that is carried along. */
    public static byte rowKind(byte kindByte) {
        return (byte) (kindByte >>> ROW_KIND_SHIFT & 3);
    }

    /** Returns whether the reserved bits are zero and the kind is known. */
    public static boolean isValid(byte kindByte) {
        return (kindByte & 0xc8) == 0 && kind(kindByte) <= RANGE_DELETE;
    }
}
