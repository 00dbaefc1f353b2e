package dev.tarn.engine.internal.wal;

import dev.tarn.codec.ValueKind;
import dev.tarn.codec.Varint;
import dev.tarn.memory.OffHeapMemory;

/**
 * Walks the entries of an encoded batch: of a {@link WriteBatchBuffer}, or of the same bytes in a
 * log.
 *
 * <p>Owner: points into memory that it does not own. Threads: belongs to one thread.
 *
 * <p>Errors: {@link IllegalArgumentException} or {@link Varint.MalformedVarintException} if the
 * bytes are no entries; nothing outside of the given range is read.
 */
public final class WriteBatchCursor {
    private static final OffHeapMemory NOTHING = OffHeapMemory.wrap(new byte[0]);

    private OffHeapMemory memory = NOTHING;
    private int at;
    private int limit;
    private byte kindByte;
    private int keyOffset;
    private int keyLength;
    private int valueLength;

    public WriteBatchCursor() {}

    /** Stands before the first of the entries that a range holds. */
    public WriteBatchCursor wrap(OffHeapMemory entries, int offset, int length) {
        memory = entries;
        at = offset;
        limit = offset + length;
        return this;
    }

    /** Moves to the next entry; returns false at the end. */
    public boolean next() {
        if (at >= limit) {
            return false;
        }
        kindByte = memory.getByte(at);
        check(ValueKind.isValid(kindByte), "kind byte is not valid");
        long key = Varint.getInt(memory, at + 1, limit);
        long value = Varint.getInt(memory, Varint.end(key), limit);
        keyLength = Varint.value(key);
        valueLength = Varint.value(value);
        keyOffset = Varint.end(value);
        check(
                keyLength >= 0
                        && valueLength >= 0
                        && (long) keyLength + valueLength <= limit - keyOffset,
                "key or value is cut off");
        at = keyOffset + keyLength + valueLength;
        return true;
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException(what);
        }
    }

    public OffHeapMemory memory() {
        return memory;
    }

    /** The entry's kind byte, see {@link ValueKind}. */
    public byte kindByte() {
        return kindByte;
    }

    public int keyOffset() {
        return keyOffset;
    }

    public int keyLength() {
        return keyLength;
    }

    public int valueOffset() {
        return keyOffset + keyLength;
    }

    public int valueLength() {
        return valueLength;
    }
}
