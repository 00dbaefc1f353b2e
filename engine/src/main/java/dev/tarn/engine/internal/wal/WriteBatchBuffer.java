package dev.tarn.engine.internal.wal;

import dev.tarn.codec.ValueKind;
import dev.tarn.codec.Varint;
import dev.tarn.engine.internal.io.RecordLayout;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Entries that are written together or not at all, encoded as the log stores them; and the place
 * where a thread waits for the log.
 *
 * <p>The encoding is that of an entry in docs/formats/wal.md; {@link WriteBatchCursor} reads it.
 * The bytes are on the Java heap, so that a batch needs no close; they are copied once, to the
 * log's group.
 *
 * <p>Threads: belongs to one thread, and to the log while {@link WalWriter#append} runs.
 *
 * <p>Errors: {@link IllegalArgumentException} if the batch would exceed {@link #LENGTH_MAX}; it is
 * as it was then.
 */
public final class WriteBatchBuffer {
    /** The most that a batch's entries may take, with their lengths. */
    public static final int LENGTH_MAX = RecordLayout.LENGTH_MAX - WalLayout.BATCH_HEADER_SIZE;

    private static final int CAPACITY_MIN = 256;
    private static final int KEPT_CAPACITY = 1 << 20;
    private static final int HEADER_LENGTH_MAX = 1 + 2 * Varint.INT_LENGTH_MAX;

    /** What the log is asked to do. */
    enum Command {
        APPEND,
        SYNC,
        ROTATE,
        CLOSE
    }

    private byte[] bytes = new byte[CAPACITY_MIN];
    private OffHeapMemory memory = OffHeapMemory.wrap(bytes);
    private int length;
    private int entryCount;
    private final WriteBatchCursor cursor = new WriteBatchCursor();

    // Between the waiting thread and the one that leads: written before the queue's release, read
    // behind its acquire; sequence number and failure are published by the volatile store to done.
    Command command = Command.APPEND;
    @Nullable Thread waiter;
    long firstSequence;
    @Nullable IOException failure;
    volatile boolean done = true;

    public WriteBatchBuffer() {}

    /** Makes the batch empty; gives memory back if it had grown large. */
    public WriteBatchBuffer clear() {
        length = 0;
        entryCount = 0;
        if (bytes.length > KEPT_CAPACITY) {
            bytes = new byte[CAPACITY_MIN];
            memory = OffHeapMemory.wrap(bytes);
        }
        return this;
    }

    /**
     * Appends an entry, copying its bytes.
     *
     * @param kindByte see {@link ValueKind}
     */
    public WriteBatchBuffer add(
            byte kindByte,
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            OffHeapMemory valueMemory,
            int valueOffset,
            int valueLength) {
        int at = begin(kindByte, keyLength, valueLength);
        keyMemory.copyTo(keyOffset, memory, at, keyLength);
        valueMemory.copyTo(valueOffset, memory, at + keyLength, valueLength);
        end(at + keyLength + valueLength);
        return this;
    }

    /** As the other {@code add}, from the heap. */
    public WriteBatchBuffer add(byte kindByte, byte[] key, byte[] value) {
        int at = begin(kindByte, key.length, value.length);
        memory.putBytes(at, key, 0, key.length);
        memory.putBytes(at + key.length, value, 0, value.length);
        end(at + key.length + value.length);
        return this;
    }

    /** Writes the header and returns where the key belongs. */
    private int begin(byte kindByte, int keyLength, int valueLength) {
        if (!ValueKind.isValid(kindByte)) {
            throw new IllegalArgumentException("kind byte is not valid: kindByte=" + kindByte);
        }
        long needed = (long) length + HEADER_LENGTH_MAX + keyLength + valueLength;
        if (needed > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "write batch exceeds its maximum: lengthMax="
                            + LENGTH_MAX
                            + " length="
                            + needed
                            + "; write it in parts");
        }
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.max(needed, 2L * bytes.length));
            memory = OffHeapMemory.wrap(bytes);
        }
        memory.putByte(length, kindByte);
        int at = Varint.putInt(memory, length + 1, keyLength);
        return Varint.putInt(memory, at, valueLength);
    }

    private void end(int newLength) {
        length = newLength;
        entryCount++;
    }

    public int entryCount() {
        return entryCount;
    }

    /** Returns the batch's only cursor, before the first entry. */
    public WriteBatchCursor cursor() {
        return cursor.wrap(memory, 0, length);
    }

    /** The memory of the encoded entries, the first at offset 0; replaced when the batch grows. */
    public OffHeapMemory memory() {
        return memory;
    }

    /** The length of all encoded entries. */
    public int length() {
        return length;
    }

    /**
     * The sequence number that the log gave the first entry; 0 if it refused the batch before that.
     */
    public long firstSequence() {
        return firstSequence;
    }

    /** Says that the log has not seen the batch. */
    public void forgetSequence() {
        firstSequence = 0;
    }

    /** The sequence number of the last entry, once the first has one. */
    public long lastSequence() {
        return firstSequence + entryCount - 1;
    }
}
