package dev.tarn.sst.block;

/**
 * The directory: where a file's index partitions and filter partitions are. It is the payload of a
 * block that is not compressed. All integers little-endian.
 *
 * <pre>
 * offset  size  field                notes
 * 0       4     indexPartitionCount  p
 * 4       4     filterCount          f
 * 8       4     separatorsLength
 * 12      4     reserved             zero
 * 16      24*p  index partition      in the order of their keys
 * ..      32*f  filter partition     in the order of their keys
 * ..            separators           of the last block of each index partition, in full
 *
 * index partition
 * 0       8     offset               of its block in the file
 * 8       4     storedLength         of its block, with the header
 * 12      4     blockCount           of data blocks in it, at least 1
 * 16      4     separatorEnd         of its separator, from the start of the separators
 * 20      4     reserved             zero
 *
 * filter partition
 * 0       8     offset               of its block in the file
 * 8       8     keyCount             user keys that were added
 * 16      4     storedLength         of its block, with the header
 * 20      4     lineCount            of 64 bytes each
 * 24      4     probeCount           1 .. 16
 * 28      4     indexPartitionEnd    it covers the keys of the index partitions up to this one,
 *                                    exclusive, from where the filter before ends
 * </pre>
 */
public final class DirectoryLayout {
    public static final int INDEX_PARTITION_COUNT_OFFSET = 0;
    public static final int FILTER_COUNT_OFFSET = INDEX_PARTITION_COUNT_OFFSET + Integer.BYTES;
    public static final int SEPARATORS_LENGTH_OFFSET = FILTER_COUNT_OFFSET + Integer.BYTES;
    public static final int RESERVED_OFFSET = SEPARATORS_LENGTH_OFFSET + Integer.BYTES;
    public static final int PARTITIONS_OFFSET = RESERVED_OFFSET + Integer.BYTES;

    public static final int INDEX_OFFSET_OFFSET = 0;
    public static final int INDEX_STORED_LENGTH_OFFSET = INDEX_OFFSET_OFFSET + Long.BYTES;
    public static final int INDEX_BLOCK_COUNT_OFFSET = INDEX_STORED_LENGTH_OFFSET + Integer.BYTES;
    public static final int INDEX_SEPARATOR_END_OFFSET = INDEX_BLOCK_COUNT_OFFSET + Integer.BYTES;
    public static final int INDEX_RESERVED_OFFSET = INDEX_SEPARATOR_END_OFFSET + Integer.BYTES;
    public static final int INDEX_SIZE = INDEX_RESERVED_OFFSET + Integer.BYTES;

    public static final int FILTER_OFFSET_OFFSET = 0;
    public static final int FILTER_KEY_COUNT_OFFSET = FILTER_OFFSET_OFFSET + Long.BYTES;
    public static final int FILTER_STORED_LENGTH_OFFSET = FILTER_KEY_COUNT_OFFSET + Long.BYTES;
    public static final int FILTER_LINE_COUNT_OFFSET = FILTER_STORED_LENGTH_OFFSET + Integer.BYTES;
    public static final int FILTER_PROBE_COUNT_OFFSET = FILTER_LINE_COUNT_OFFSET + Integer.BYTES;
    public static final int FILTER_INDEX_PARTITION_END_OFFSET =
            FILTER_PROBE_COUNT_OFFSET + Integer.BYTES;
    public static final int FILTER_SIZE = FILTER_INDEX_PARTITION_END_OFFSET + Integer.BYTES;

    private DirectoryLayout() {}

    /** Returns the length of a directory. */
    public static long length(int indexPartitionCount, int filterCount, int separatorsLength) {
        return PARTITIONS_OFFSET
                + (long) INDEX_SIZE * indexPartitionCount
                + (long) FILTER_SIZE * filterCount
                + separatorsLength;
    }
}
