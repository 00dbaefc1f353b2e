package dev.tarn.sst.block;

/**
 * A data block as it is searched: uncompressed, in a cache frame or a buffer. All integers
 * little-endian.
 *
 * <pre>
 * offset  size      field             notes
 * 0       4         entryCount        n, at least 1
 * 4       4         flags             bit 0: WIDE; the others zero
 * 8       align8(n) fingerprint[n]    low byte of each user key's Hash64; padded with zeros
 * ..      w*(n+1)   offset[n+1]       of each entry from the block's start; the last is the block's
 *                                     length; w is 2, or 4 if WIDE
 * ..                entry[n]          internal-key order: user key ascending, sequence descending
 * </pre>
 *
 * <p>An entry ends where the next one starts, which gives its value's length:
 *
 * <pre>
 * 0       8         trailer           sequenceNumber &lt;&lt; 8 | kindByte
 * 8       2         keyLength         0 .. 65535
 * 10      keyLength key
 * ..      rest      value
 * </pre>
 *
 * <p>A block is WIDE exactly if its length does not fit 16 bits.
 */
public final class RawBlockLayout {
    public static final int ENTRY_COUNT_OFFSET = 0;
    public static final int FLAGS_OFFSET = ENTRY_COUNT_OFFSET + Integer.BYTES;
    public static final int FINGERPRINTS_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    public static final int FLAG_WIDE = 1;
    public static final int NARROW_LENGTH_MAX = 0xffff;

    public static final int ENTRY_TRAILER_OFFSET = 0;
    public static final int ENTRY_KEY_LENGTH_OFFSET = ENTRY_TRAILER_OFFSET + Long.BYTES;
    public static final int ENTRY_KEY_OFFSET = ENTRY_KEY_LENGTH_OFFSET + Short.BYTES;

    /** What the shortest entry takes: fingerprint, narrow offset, entry header. */
    public static final int ENTRY_OVERHEAD_MIN = 1 + Short.BYTES + ENTRY_KEY_OFFSET;

    public static final int KEY_LENGTH_MAX = 0xffff;
    public static final int VALUE_LENGTH_MAX = 256 << 20;

    private RawBlockLayout() {}

    /** Returns where the offsets start in a block of {@code entryCount} entries. */
    public static int offsetsOffset(int entryCount) {
        return FINGERPRINTS_OFFSET + ((entryCount + 7) & ~7);
    }

    /** Returns the fingerprint byte that a user key's hash leaves in its block. */
    public static int fingerprint(long hash) {
        return (int) hash & 0xff;
    }

    /** Returns the length of a block with these entries, whose own bytes sum up as given. */
    public static long rawLength(int entryCount, long entryBytes) {
        long fixed = offsetsOffset(entryCount) + entryBytes;
        long narrow = fixed + (long) Short.BYTES * (entryCount + 1);
        return narrow <= NARROW_LENGTH_MAX
                ? narrow
                : fixed + (long) Integer.BYTES * (entryCount + 1);
    }
}
