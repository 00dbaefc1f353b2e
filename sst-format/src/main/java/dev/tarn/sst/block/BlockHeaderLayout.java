package dev.tarn.sst.block;

/**
 * What precedes the payload of every block in a file. All integers little-endian.
 *
 * <pre>
 * offset  size  field      notes
 * 0       4     crc32c     of all that follows: rawLength, codec, payload
 * 4       4     rawLength  of the payload when decompressed
 * 8       1     codec      {@link BlockCodec#id()}
 * 9       ..    payload    to the end of the block, as whoever refers to the block knows it
 * </pre>
 */
public final class BlockHeaderLayout {
    public static final int CRC_OFFSET = 0;
    public static final int RAW_LENGTH_OFFSET = CRC_OFFSET + Integer.BYTES;
    public static final int CODEC_OFFSET = RAW_LENGTH_OFFSET + Integer.BYTES;
    public static final int SIZE = CODEC_OFFSET + 1;

    /** The part that the checksum covers starts here. */
    public static final int CHECKED_OFFSET = RAW_LENGTH_OFFSET;

    /** Up to here a block may be any length when decompressed. */
    private static final int RAW_LENGTH_FREE = 1 << 20;

    /** LZ4's highest compression ratio; a longer block must not shrink by more. */
    private static final int RATIO_MAX = 255;

    private BlockHeaderLayout() {}

    /**
     * Returns the most that a payload may decompress to: a bound on what a forged length can make a
     * reader allocate.
     */
    public static long rawLengthMax(int payloadLength) {
        return Math.max(RAW_LENGTH_FREE, (long) RATIO_MAX * payloadLength);
    }
}
