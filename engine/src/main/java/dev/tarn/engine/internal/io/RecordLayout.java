package dev.tarn.engine.internal.io;

/**
 * A file of records: a file header, then records one behind the other. All integers little-endian.
 *
 * <pre>
 * file header
 * offset  size  field         constraint
 * 0       8     magic         says what kind of file it is
 * 8       4     version       of the format, 1
 * 12      8     fileNumber    as in the file's name
 * 20      8     zero
 * 28      4     crc           CRC-32C of bytes 0 to 28
 *
 * record
 * offset  size  field         constraint
 * 0       4     crc           CRC-32C of the record's bytes from 4 to its end
 * 4       4     length        of the payload, 0 .. LENGTH_MAX
 * 8       8     fileNumber    that of the file header: bytes of an earlier file are no records
 * 16      8     position      of the record's first byte in the file
 * 24      4     pendingBytes  how many of the bytes before the record were not known to be durable
 *                             when it was written; 0xffffffff is as many or more
 * 28      1     type          1 .. 126 by kind of file; 127 ends a file that was closed in order
 * 29      3     zero
 * 32      n     payload
 * </pre>
 *
 * <p>{@code position} makes a record recognizable wherever a scan starts, and tells it from a copy
 * inside a payload. {@code pendingBytes} tells damage from a torn tail: see {@link RecordReader}.
 */
public final class RecordLayout {
    public static final int VERSION = 1;

    public static final int MAGIC_OFFSET = 0;
    public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
    public static final int HEADER_FILE_NUMBER_OFFSET = VERSION_OFFSET + Integer.BYTES;
    public static final int HEADER_ZERO_OFFSET = HEADER_FILE_NUMBER_OFFSET + Long.BYTES;
    public static final int HEADER_CRC_OFFSET = HEADER_ZERO_OFFSET + Long.BYTES;
    public static final int FILE_HEADER_SIZE = HEADER_CRC_OFFSET + Integer.BYTES;

    public static final int CRC_OFFSET = 0;
    public static final int LENGTH_OFFSET = CRC_OFFSET + Integer.BYTES;
    public static final int FILE_NUMBER_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    public static final int POSITION_OFFSET = FILE_NUMBER_OFFSET + Long.BYTES;
    public static final int PENDING_BYTES_OFFSET = POSITION_OFFSET + Long.BYTES;
    public static final int TYPE_OFFSET = PENDING_BYTES_OFFSET + Integer.BYTES;
    public static final int RECORD_HEADER_SIZE = TYPE_OFFSET + Integer.BYTES;

    /** The longest payload: fits one off-heap memory, and every write batch. */
    public static final int LENGTH_MAX = 1 << 30;

    /** The type of the record that ends a file. */
    public static final int TYPE_END = 127;

    private static final long PENDING_BYTES_MAX = 0xffffffffL;

    private RecordLayout() {}

    /** Returns the four bytes at {@link #TYPE_OFFSET}: the type, then zeros. */
    static int typeWord(int type) {
        return type;
    }

    /** Returns the field {@code pendingBytes}, saturated. */
    static int pendingBytes(long bytes) {
        return (int) Math.min(bytes, PENDING_BYTES_MAX);
    }

    /** Returns how much of the file was durable when a record was written; never too much. */
    static long durableSize(long position, int pendingBytes) {
        long pending = pendingBytes & PENDING_BYTES_MAX;
        return pending == PENDING_BYTES_MAX ? 0 : Math.max(0, position - pending);
    }
}
