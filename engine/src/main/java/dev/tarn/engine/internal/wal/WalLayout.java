package dev.tarn.engine.internal.wal;

/**
 * The records of a write-ahead log, a file as {@link dev.tarn.engine.internal.io.RecordLayout} lays
 * it out. All integers little-endian.
 *
 * <pre>
 * type 1, START: the first record of each log
 * offset  size  field             constraint
 * 0       8     appendedBatches   how many batches were acknowledged in all logs before
 * 8       8     durableBatches    how many of those were known to be durable; not more
 *
 * type 2, GROUP: one or more batches, one behind the other
 * offset  size  field             constraint
 * 0       8     firstSequence     of the batch's first entry, at least 1
 * 8       4     entryCount        at least 1; the entries take consecutive sequence numbers
 * 12      4     length            of the entries in bytes
 * 16      n     entries
 *
 * entry
 * offset  size  field             constraint
 * 0       1     kind byte         as ValueKind says
 * 1       v     keyLength         varint
 *         v     valueLength       varint
 *               key, value
 * </pre>
 */
final class WalLayout {
    /** "TARNWAL0" in ASCII, read as a little-endian number. */
    static final long MAGIC = 0x304c41574e524154L;

    static final int TYPE_START = 1;
    static final int TYPE_GROUP = 2;

    static final int START_LENGTH = 2 * Long.BYTES;

    static final int FIRST_SEQUENCE_OFFSET = 0;
    static final int ENTRY_COUNT_OFFSET = FIRST_SEQUENCE_OFFSET + Long.BYTES;
    static final int LENGTH_OFFSET = ENTRY_COUNT_OFFSET + Integer.BYTES;
    static final int BATCH_HEADER_SIZE = LENGTH_OFFSET + Integer.BYTES;

    private WalLayout() {}
}
