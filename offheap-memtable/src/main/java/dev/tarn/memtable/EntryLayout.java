package dev.tarn.memtable;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.memory.OffHeapMemory;

/**
 * One entry in the log. All integers little-endian; entries start on 8-byte boundaries, so that a
 * 32-bit number of 8-byte units addresses 32 GiB.
 *
 * <pre>
 * offset  size  field        notes
 * 0       8     trailer      sequenceNumber &lt;&lt; 8 | kindByte; immutable after publication
 * 8       4     older        unit of the next older entry of the chain, 0 ends it; the only field
 *                            that may change after publication (multi mode, compare-and-set)
 * 12      4     valueLength  0 .. VALUE_LENGTH_MAX; immutable after publication
 * 16      2     keyLength    0 .. KEY_LENGTH_MAX, unsigned; immutable after publication
 * 18      ...   key, value   keyLength + valueLength bytes; immutable after publication
 * </pre>
 */
final class EntryLayout {
    static final int TRAILER_OFFSET = 0;
    static final int OLDER_OFFSET = TRAILER_OFFSET + Long.BYTES;
    static final int VALUE_LENGTH_OFFSET = OLDER_OFFSET + Integer.BYTES;
    static final int KEY_LENGTH_OFFSET = VALUE_LENGTH_OFFSET + Integer.BYTES;
    static final int KEY_OFFSET = KEY_LENGTH_OFFSET + Short.BYTES;

    static final int KEY_LENGTH_MAX = 0xffff;
    static final int VALUE_LENGTH_MAX = 256 << 20;

    /** Entries and everything else in a slab start on multiples of this. */
    static final int UNIT_BYTES = 8;

    static final int UNIT_SHIFT = 3;

    private EntryLayout() {}

    /** Returns the bytes that an entry takes in the log, padding included. */
    static int sizeBytes(int keyLength, int valueLength) {
        return (KEY_OFFSET + keyLength + valueLength + UNIT_BYTES - 1) & -UNIT_BYTES;
    }

    static void putHeader(
            OffHeapMemory memory,
            int offset,
            int keyLength,
            int valueLength,
            long sequenceNumber,
            byte kindByte) {
        memory.putLong(offset + TRAILER_OFFSET, SequenceNumbers.trailer(sequenceNumber, kindByte));
        memory.putInt(offset + OLDER_OFFSET, 0);
        memory.putInt(offset + VALUE_LENGTH_OFFSET, valueLength);
        memory.putShort(offset + KEY_LENGTH_OFFSET, (short) keyLength);
    }

    static long trailer(OffHeapMemory memory, int offset) {
        return memory.getLong(offset + TRAILER_OFFSET);
    }

    static long sequenceNumber(OffHeapMemory memory, int offset) {
        return SequenceNumbers.sequenceNumber(trailer(memory, offset));
    }

    static byte kindByte(OffHeapMemory memory, int offset) {
        return memory.getByte(offset + TRAILER_OFFSET);
    }

    static int valueLength(OffHeapMemory memory, int offset) {
        return memory.getInt(offset + VALUE_LENGTH_OFFSET);
    }

    static int keyLength(OffHeapMemory memory, int offset) {
        return memory.getUnsignedShort(offset + KEY_LENGTH_OFFSET);
    }
}
