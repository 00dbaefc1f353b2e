package dev.tarn.table.merge;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;

/**
 * The value of a data file: a row, and what else the merge engine remembers of the key.
 *
 * <pre>
 * without anything to remember: the row, whose first byte is its format version (below 0x80)
 * otherwise:
 * offset  size       field        notes
 * 0       1          marker       0x80
 * 1       3          zero
 * 4       4          rowLength
 * 8       rowLength  row
 * then    the rest   memory       as the merge engine writes it
 * </pre>
 *
 * <p>Integers are little-endian. The form is on disk and never changes.
 */
public final class StoredState {
    public static final int HEADER_LENGTH = 8;

    private static final byte MARKER = (byte) 0x80;

    private StoredState() {}

    /** Returns whether something follows the row. */
    public static boolean hasMemory(BytesView stored) {
        return stored.length() > 0 && stored.memory().getByte(stored.offset()) == MARKER;
    }

    /**
     * Points at the row in a stored value.
     *
     * @throws CorruptDataException if the lengths do not agree
     */
    public static void row(BytesView stored, BytesView row) {
        if (hasMemory(stored)) {
            row.wrap(stored.memory(), stored.offset() + HEADER_LENGTH, rowLength(stored));
        } else {
            row.wrap(stored.memory(), stored.offset(), stored.length());
        }
    }

    /**
     * Points at what follows the row; of length 0 if nothing does.
     *
     * @throws CorruptDataException if the lengths do not agree
     */
    public static void memory(BytesView stored, BytesView memory) {
        if (hasMemory(stored)) {
            int start = HEADER_LENGTH + rowLength(stored);
            memory.wrap(stored.memory(), stored.offset() + start, stored.length() - start);
        } else {
            memory.wrap(stored.memory(), stored.offset(), 0);
        }
    }

    /** Writes the header of a value whose row and memory the caller writes behind it. */
    public static void writeHeader(OffHeapMemory target, int offset, int rowLength) {
        target.putInt(offset, MARKER & 0xff);
        target.putInt(offset + 4, rowLength);
    }

    private static int rowLength(BytesView stored) {
        int length =
                stored.length() < HEADER_LENGTH ? -1 : stored.memory().getInt(stored.offset() + 4);
        if (length < 0 || length > stored.length() - HEADER_LENGTH) {
            throw new CorruptDataException(
                    "stored state's row does not fit: length="
                            + stored.length()
                            + " rowLength="
                            + length);
        }
        return length;
    }
}
