package dev.tarn.engine.internal.wal;

import dev.tarn.codec.ValueKind;
import dev.tarn.engine.internal.io.RecordBuffer;
import dev.tarn.engine.internal.io.RecordLayout;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Entries that are written together or not at all, encoded as the log stores them; and the place
 * where a thread waits for the log. A thread keeps one and uses it again.
 *
 * <p>Owner: owns its memory; whoever created it closes it, once.
 *
 * <p>Threads: belongs to one thread, and to the log while {@link WalWriter#append} runs.
 *
 * <p>Errors: {@link IllegalArgumentException} if the batch would exceed {@link #LENGTH_MAX}; it
 * then has to be cleared.
 */
public final class WriteBatchBuffer implements AutoCloseable {
    /** The most that a batch's entries may take, with their lengths. */
    public static final int LENGTH_MAX = RecordLayout.LENGTH_MAX - WalLayout.BATCH_HEADER_SIZE;

    private static final int KEPT_CAPACITY = 1 << 20;

    /** What the log is asked to do. */
    enum Command {
        APPEND,
        SYNC,
        ROTATE,
        CLOSE
    }

    private final RecordBuffer entries;
    private int entryCount;

    // Between the waiting thread and the one that leads: written before the queue's release, read
    // behind its acquire; the failure is published by the volatile store to done.
    Command command = Command.APPEND;
    @Nullable Thread waiter;
    long firstSequence;
    @Nullable IOException failure;
    volatile boolean done = true;

    public WriteBatchBuffer(MemoryAccountant accountant) {
        entries = new RecordBuffer(accountant);
    }

    /** Makes the batch empty. */
    public WriteBatchBuffer clear() {
        entries.clear(KEPT_CAPACITY);
        entryCount = 0;
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
        if (!ValueKind.isValid(kindByte)) {
            throw new IllegalArgumentException("kind byte is not valid: kindByte=" + kindByte);
        }
        entries.putByte(kindByte)
                .putVarint(keyLength)
                .putVarint(valueLength)
                .putBytes(keyMemory, keyOffset, keyLength)
                .putBytes(valueMemory, valueOffset, valueLength);
        checkLength();
        entryCount++;
        return this;
    }

    private void checkLength() {
        if (entries.length() > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "batch exceeds its maximum: lengthMax="
                            + LENGTH_MAX
                            + " length="
                            + entries.length());
        }
    }

    /**
     * Appends entries that are encoded as those of the log are, copying their bytes.
     *
     * @param count how many they are
     */
    public WriteBatchBuffer addEncoded(OffHeapMemory memory, int offset, int length, int count) {
        entries.putBytes(memory, offset, length);
        checkLength();
        entryCount += count;
        return this;
    }

    public int entryCount() {
        return entryCount;
    }

    /** The memory of the encoded entries. */
    public OffHeapMemory memory() {
        return entries.memory();
    }

    /** The first encoded entry's first byte in {@link #memory()}. */
    public int offset() {
        return entries.offset();
    }

    /** The length of all encoded entries. */
    public int length() {
        return entries.length();
    }

    @Override
    public void close() {
        entries.close();
    }
}
