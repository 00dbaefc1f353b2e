package dev.tarn.sst.block;

/**
 * The properties: the payload of a block that is not compressed. All integers little-endian.
 *
 * <pre>
 * offset  size  field             notes
 * 0       8     entryCount
 * 8       8     keyCount          distinct user keys
 * 16      8     putCount
 * 24      8     deleteCount
 * 32      8     mergeCount
 * 40      8     rangeDeleteCount
 * 48      8     sequenceMin
 * 56      8     sequenceMax
 * 64      8     keyBytes
 * 72      8     valueBytes
 * 80      8     rawDataBytes
 * 88      8     storedDataBytes
 * 96      8     blockCount
 * 104     8     filterBytes
 * 112     8     indexBytes
 * 120     8     filterBitsPerKey  IEEE 754 double
 * 128     4     blockSizeBytes
 * 132     4     creatorLength     in bytes
 * 136     4     smallestKeyLength
 * 140     4     largestKeyLength
 * 144           creator           UTF-8
 * ..            smallestKey
 * ..            largestKey
 * </pre>
 */
public final class PropertiesLayout {
    public static final int ENTRY_COUNT_OFFSET = 0;
    public static final int KEY_COUNT_OFFSET = ENTRY_COUNT_OFFSET + Long.BYTES;
    public static final int PUT_COUNT_OFFSET = KEY_COUNT_OFFSET + Long.BYTES;
    public static final int DELETE_COUNT_OFFSET = PUT_COUNT_OFFSET + Long.BYTES;
    public static final int MERGE_COUNT_OFFSET = DELETE_COUNT_OFFSET + Long.BYTES;
    public static final int RANGE_DELETE_COUNT_OFFSET = MERGE_COUNT_OFFSET + Long.BYTES;
    public static final int SEQUENCE_MIN_OFFSET = RANGE_DELETE_COUNT_OFFSET + Long.BYTES;
    public static final int SEQUENCE_MAX_OFFSET = SEQUENCE_MIN_OFFSET + Long.BYTES;
    public static final int KEY_BYTES_OFFSET = SEQUENCE_MAX_OFFSET + Long.BYTES;
    public static final int VALUE_BYTES_OFFSET = KEY_BYTES_OFFSET + Long.BYTES;
    public static final int RAW_DATA_BYTES_OFFSET = VALUE_BYTES_OFFSET + Long.BYTES;
    public static final int STORED_DATA_BYTES_OFFSET = RAW_DATA_BYTES_OFFSET + Long.BYTES;
    public static final int BLOCK_COUNT_OFFSET = STORED_DATA_BYTES_OFFSET + Long.BYTES;
    public static final int FILTER_BYTES_OFFSET = BLOCK_COUNT_OFFSET + Long.BYTES;
    public static final int INDEX_BYTES_OFFSET = FILTER_BYTES_OFFSET + Long.BYTES;
    public static final int FILTER_BITS_PER_KEY_OFFSET = INDEX_BYTES_OFFSET + Long.BYTES;
    public static final int BLOCK_SIZE_BYTES_OFFSET = FILTER_BITS_PER_KEY_OFFSET + Long.BYTES;
    public static final int CREATOR_LENGTH_OFFSET = BLOCK_SIZE_BYTES_OFFSET + Integer.BYTES;
    public static final int SMALLEST_KEY_LENGTH_OFFSET = CREATOR_LENGTH_OFFSET + Integer.BYTES;
    public static final int LARGEST_KEY_LENGTH_OFFSET = SMALLEST_KEY_LENGTH_OFFSET + Integer.BYTES;
    public static final int TEXTS_OFFSET = LARGEST_KEY_LENGTH_OFFSET + Integer.BYTES;

    private PropertiesLayout() {}
}
