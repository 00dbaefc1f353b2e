package dev.tarn.engine;

import dev.tarn.codec.ValueKind;
import dev.tarn.engine.internal.wal.WriteBatchBuffer;
import dev.tarn.memory.BytesView;

/**
 * Writes that become visible, and durable where there is a log, all together or not at all.
 *
 * <p>Later writes of a batch win over earlier ones of the same key. A batch keeps its bytes on the
 * Java heap; it may be cleared and filled again.
 *
 * <p>Threads: belongs to one thread.
 */
public final class WriteBatch {
    /** The longest key in bytes. */
    public static final int KEY_LENGTH_MAX = 65_535;

    /** The longest value in bytes. */
    public static final int VALUE_LENGTH_MAX = 256 << 20;

    private final WriteBatchBuffer entries = new WriteBatchBuffer();
    private boolean hasMerges;

    /** Creates an empty batch. */
    public WriteBatch() {}

    public WriteBatch put(byte[] key, byte[] value) {
        return add(ValueKind.PUT, key, value);
    }

    public WriteBatch delete(byte[] key) {
        return add(ValueKind.DELETE, key, new byte[0]);
    }

    public WriteBatch merge(byte[] key, byte[] operand) {
        return add(ValueKind.MERGE, key, operand);
    }

    /** Appends a write, copying key and value. */
    private WriteBatch add(byte kind, byte[] key, byte[] value) {
        checkLengths(key.length, value.length);
        entries.add(kind, key, value);
        hasMerges |= kind == ValueKind.MERGE;
        return this;
    }

    /** As {@link #put(byte[], byte[])}, from off-heap memory. */
    public WriteBatch put(BytesView key, BytesView value) {
        checkLengths(key.length(), value.length());
        entries.add(
                ValueKind.PUT,
                key.memory(),
                key.offset(),
                key.length(),
                value.memory(),
                value.offset(),
                value.length());
        return this;
    }

    /** Forgets all writes and keeps the memory, if it is not large. */
    public void clear() {
        entries.clear();
        hasMerges = false;
    }

    /** The number of writes. */
    public int count() {
        return entries.entryCount();
    }

    /** The bytes that the writes take here. */
    public int sizeBytes() {
        return entries.length();
    }

    WriteBatchBuffer entries() {
        return entries;
    }

    boolean hasMerges() {
        return hasMerges;
    }

    static void checkLengths(int keyLength, int valueLength) {
        if (keyLength > KEY_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "key is too long: keyLength=" + keyLength + " keyLengthMax=" + KEY_LENGTH_MAX);
        }
        if (valueLength > VALUE_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "value is too long: valueLength="
                            + valueLength
                            + " valueLengthMax="
                            + VALUE_LENGTH_MAX);
        }
    }
}
