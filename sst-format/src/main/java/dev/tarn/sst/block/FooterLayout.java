package dev.tarn.sst.block;

/**
 * The last 64 bytes of a file. All integers little-endian.
 *
 * <pre>
 * offset  size  field             notes
 * 0       8     directoryOffset   of the directory block
 * 8       8     propertiesOffset  of the properties block
 * 16      4     directorySize     with its block header
 * 20      4     propertiesSize    with its block header
 * 24      8     fileSize          of the whole file, footer included
 * 32      16    reserved          zero
 * 48      4     formatVersion     {@code SstFormatVersion}
 * 52      4     crc32c            of bytes 0 .. 51
 * 56      8     magic             "tarn.sst"
 * </pre>
 *
 * <p>The place of version, checksum and magic is the same in every version of the format.
 */
public final class FooterLayout {
    public static final int DIRECTORY_OFFSET = 0;
    public static final int PROPERTIES_OFFSET = DIRECTORY_OFFSET + Long.BYTES;
    public static final int DIRECTORY_SIZE_OFFSET = PROPERTIES_OFFSET + Long.BYTES;
    public static final int PROPERTIES_SIZE_OFFSET = DIRECTORY_SIZE_OFFSET + Integer.BYTES;
    public static final int FILE_SIZE_OFFSET = PROPERTIES_SIZE_OFFSET + Integer.BYTES;
    public static final int RESERVED_OFFSET = FILE_SIZE_OFFSET + Long.BYTES;
    public static final int RESERVED_SIZE = 16;
    public static final int VERSION_OFFSET = RESERVED_OFFSET + RESERVED_SIZE;
    public static final int CRC_OFFSET = VERSION_OFFSET + Integer.BYTES;
    public static final int MAGIC_OFFSET = CRC_OFFSET + Integer.BYTES;
    public static final int SIZE = MAGIC_OFFSET + Long.BYTES;

    /** The bytes {@code tarn.sst}, read as a little-endian number. */
    public static final long MAGIC = 0x7473732e6e726174L;

    private FooterLayout() {}
}
