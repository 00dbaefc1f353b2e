package dev.tarn.engine;

import dev.tarn.codec.ValueKind;
import dev.tarn.codec.Varint;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import java.util.Arrays;

/**
 * Writes that become visible, and durable where there is a log, all together or not at all.
 *
 * <p>Later writes of a batch win over earlier ones of the same key. A batch keeps its bytes on the
 * Java heap; it may be cleared and filled again.
 *
 * <p>Threads: belongs to one thread.
 *
 * <pre>
 * Each write, one behind the other:
 * size  field
 * 1     kind byte (ValueKind)
 * 1-5   key length, varint
 * 1-5   value length, varint
 *       key, value
 * </pre>
 */
public final class WriteBatch {
    /** The longest key in bytes. */
    public static final int KEY_LENGTH_MAX = 65_535;

    /** The longest value in bytes. */
    public static final int VALUE_LENGTH_MAX = 256 << 20;

    private static final int HEADER_LENGTH_MAX = 1 + 2 * Varint.INT_LENGTH_MAX;

    private byte[] bytes = new byte[256];
    private OffHeapMemory memory = OffHeapMemory.wrap(bytes);
    private int sizeBytes;
    private int count;
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
    WriteBatch add(byte kind, byte[] key, byte[] value) {
        int at = begin(kind, key.length, value.length);
        memory.putBytes(at, key, 0, key.length);
        memory.putBytes(at + key.length, value, 0, value.length);
        return this;
    }

    /** As {@link #put(byte[], byte[])}, from off-heap memory. */
    public WriteBatch put(BytesView key, BytesView value) {
        int at = begin(ValueKind.PUT, key.length(), value.length());
        key.memory().copyTo(key.offset(), memory, at, key.length());
        value.memory().copyTo(value.offset(), memory, at + key.length(), value.length());
        return this;
    }

    /** Forgets all writes and keeps the memory. */
    public void clear() {
        sizeBytes = 0;
        count = 0;
        hasMerges = false;
    }

    /** The number of writes. */
    public int count() {
        return count;
    }

    /** The bytes that the writes take here. */
    public int sizeBytes() {
        return sizeBytes;
    }

    OffHeapMemory memory() {
        return memory;
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

    /** Writes the header and returns where the key belongs. */
    private int begin(byte kind, int keyLength, int valueLength) {
        checkLengths(keyLength, valueLength);
        long needed = (long) sizeBytes + HEADER_LENGTH_MAX + keyLength + valueLength;
        if (needed > OffHeapMemory.CAPACITY_MAX) {
            throw new IllegalArgumentException(
                    "write batch exceeds 2 GiB: sizeBytes=" + needed + "; write it in parts");
        }
        if (needed > bytes.length) {
            int grown = (int) Math.min(Math.max(needed, 2L * bytes.length), Integer.MAX_VALUE - 8);
            bytes = Arrays.copyOf(bytes, grown);
            memory = OffHeapMemory.wrap(bytes);
        }
        memory.putByte(sizeBytes, kind);
        int at = Varint.putInt(memory, sizeBytes + 1, keyLength);
        at = Varint.putInt(memory, at, valueLength);
        sizeBytes = at + keyLength + valueLength;
        count++;
        hasMerges |= kind == ValueKind.MERGE;
        return at;
    }

    /** Walks the writes of a batch, or of the same bytes read back from a log; of one thread. */
    static final class Cursor {
        private OffHeapMemory memory = OffHeapMemory.wrap(new byte[0]);
        private int at;
        private int limit;
        private byte kind;
        private int keyOffset;
        private int keyLength;
        private int valueLength;

        void wrap(OffHeapMemory memory, int offset, int length) {
            this.memory = memory;
            at = offset;
            limit = offset + length;
        }

        /**
         * Moves to the next write.
         *
         * @return false at the end
         * @throws Varint.MalformedVarintException or {@link IndexOutOfBoundsException} if the bytes
         *     are no batch
         */
        boolean next() {
            if (at >= limit) {
                return false;
            }
            kind = memory.getByte(at);
            long read = Varint.getInt(memory, at + 1, limit);
            keyLength = Varint.value(read);
            read = Varint.getInt(memory, Varint.end(read), limit);
            valueLength = Varint.value(read);
            keyOffset = Varint.end(read);
            if (keyLength < 0
                    || valueLength < 0
                    || (long) keyLength + valueLength > limit - keyOffset) {
                throw new IndexOutOfBoundsException(
                        "write exceeds the batch: keyLength="
                                + keyLength
                                + " valueLength="
                                + valueLength
                                + " left="
                                + (limit - keyOffset));
            }
            at = keyOffset + keyLength + valueLength;
            return true;
        }

        OffHeapMemory memory() {
            return memory;
        }

        byte kind() {
            return kind;
        }

        int keyOffset() {
            return keyOffset;
        }

        int keyLength() {
            return keyLength;
        }

        int valueOffset() {
            return keyOffset + keyLength;
        }

        int valueLength() {
            return valueLength;
        }
    }
}
