package dev.tarn.sst.block;

/**
 * An index partition: the blocks of one stretch of a file. On disk it is the payload of a block; in
 * memory it is searched as it lies, and so is the flat index of a whole file. All integers
 * little-endian.
 *
 * <pre>
 * offset  size  field               notes
 * 0       4     blockCount          n, at least 1
 * 4       4     firstBlock          number of the first block in the file
 * 8       8     baseOffset          of the first block in the file
 * 16      8     endOffset           where the last block ends in the file
 * 24      4     commonPrefixLength  c: of all separators
 * 28      4     separatorsLength    of the common prefix and all suffixes
 * 32      16*n  record[n]
 * ..      8*n   extent[n]
 * ..            separators          common prefix, then the suffixes one after another
 *
 * record
 * 0       8     prefix              the first 8 bytes of the suffix, zero-padded, as a number that
 *                                   is big-endian in those bytes
 * 8       4     offset              of the block from baseOffset; it ends where the next starts
 * 12      4     hint                zero on disk; in memory the cache frame last seen, plus 1
 *
 * extent
 * 0       4     rawLength           of the block when decompressed
 * 4       4     separatorEnd        of the suffix, from the start of the separators
 * </pre>
 *
 * <p>A block's separator is a user key that is at least the block's last one and below every one
 * behind it, unless the next block goes on with the same user key: then it is that key. A lookup
 * starts in the first block whose separator is not below the key.
 */
public final class IndexBlockLayout {
    public static final int BLOCK_COUNT_OFFSET = 0;
    public static final int FIRST_BLOCK_OFFSET = BLOCK_COUNT_OFFSET + Integer.BYTES;
    public static final int BASE_OFFSET_OFFSET = FIRST_BLOCK_OFFSET + Integer.BYTES;
    public static final int END_OFFSET_OFFSET = BASE_OFFSET_OFFSET + Long.BYTES;
    public static final int COMMON_PREFIX_LENGTH_OFFSET = END_OFFSET_OFFSET + Long.BYTES;
    public static final int SEPARATORS_LENGTH_OFFSET = COMMON_PREFIX_LENGTH_OFFSET + Integer.BYTES;
    public static final int RECORDS_OFFSET = SEPARATORS_LENGTH_OFFSET + Integer.BYTES;

    public static final int RECORD_PREFIX_OFFSET = 0;
    public static final int RECORD_OFFSET_OFFSET = RECORD_PREFIX_OFFSET + Long.BYTES;
    public static final int RECORD_HINT_OFFSET = RECORD_OFFSET_OFFSET + Integer.BYTES;
    public static final int RECORD_SIZE = RECORD_HINT_OFFSET + Integer.BYTES;

    public static final int EXTENT_RAW_LENGTH_OFFSET = 0;
    public static final int EXTENT_SEPARATOR_END_OFFSET = EXTENT_RAW_LENGTH_OFFSET + Integer.BYTES;
    public static final int EXTENT_SIZE = EXTENT_SEPARATOR_END_OFFSET + Integer.BYTES;

    /** What a block takes, its separator aside. */
    public static final int BLOCK_SIZE = RECORD_SIZE + EXTENT_SIZE;

    private IndexBlockLayout() {}

    /** Returns the length of a partition. */
    public static long length(int blockCount, int separatorsLength) {
        return RECORDS_OFFSET + (long) BLOCK_SIZE * blockCount + separatorsLength;
    }
}
