package dev.tarn.engine.internal.wal;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.codec.Varint;
import dev.tarn.engine.internal.io.RecordReader;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;

/**
 * The batches of one log, and the entries of each.
 *
 * <p>A batch is shown whole or not at all: one that a crash tore ends the log, and one whose bytes
 * are no entries is an error before its first entry is shown.
 *
 * <p>Owner: owns the file and its buffer; whoever opened it closes it, once.
 *
 * <p>Lifetime: keys and values are valid until the next call of {@link #nextBatch}.
 *
 * <p>Threads: belongs to one thread.
 *
 * <p>Errors: {@link CorruptDataException} with file and offset for damage; {@link
 * dev.tarn.codec.UnsupportedFormatException} for a later version of the format.
 */
public final class WalReader implements AutoCloseable {
    private final RecordReader records;
    private final boolean hasStart;
    private final long appendedBefore;
    private final long durableBefore;

    private int groupOffset;
    private int groupEnd;

    private long firstSequence;
    private int entryCount;
    private int entryIndex = -1;
    private final WriteBatchCursor entries = new WriteBatchCursor();

    private WalReader(
            RecordReader records, boolean hasStart, long appendedBefore, long durableBefore) {
        this.records = records;
        this.hasStart = hasStart;
        this.appendedBefore = appendedBefore;
        this.durableBefore = durableBefore;
    }

    /** Opens a log and reads its start, of which a crash may have left nothing. */
    public static WalReader open(FileSystem fileSystem, long logNumber, MemoryAccountant accountant)
            throws IOException {
        RecordReader records =
                RecordReader.open(
                        fileSystem,
                        WalFiles.name(logNumber),
                        WalLayout.MAGIC,
                        logNumber,
                        accountant);
        try {
            return start(records);
        } catch (IOException | RuntimeException e) {
            try {
                records.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static WalReader start(RecordReader records) throws IOException {
        if (!records.next()) {
            return new WalReader(records, false, 0, 0);
        }
        if (records.type() != WalLayout.TYPE_START || records.length() != WalLayout.START_LENGTH) {
            throw records.corrupt("log does not begin with its start", null);
        }
        long appended = records.memory().getLong(records.offset());
        long durable = records.memory().getLong(records.offset() + Long.BYTES);
        if (durable < 0 || appended < durable) {
            throw records.corrupt(
                    "counts of batches are not ordered: appended="
                            + appended
                            + " durable="
                            + durable,
                    null);
        }
        return new WalReader(records, true, appended, durable);
    }

    /** Whether the log's start can be read; if not, nothing can. */
    public boolean hasStart() {
        return hasStart;
    }

    /** How many batches were acknowledged in all logs before this one. */
    public long appendedBefore() {
        return appendedBefore;
    }

    /** How many of those were known to be durable when this log was started. */
    public long durableBefore() {
        return durableBefore;
    }

    /** Moves to the next batch, before its first entry; returns false at the end of the log. */
    public boolean nextBatch() throws IOException {
        if (groupOffset == groupEnd) {
            if (!records.next()) {
                return false;
            }
            if (records.type() != WalLayout.TYPE_GROUP || records.length() == 0) {
                throw records.corrupt("record is no group of batches", null);
            }
            groupOffset = records.offset();
            groupEnd = groupOffset + records.length();
        }
        try {
            decodeBatch();
        } catch (Varint.MalformedVarintException | IllegalArgumentException e) {
            throw records.corrupt(String.valueOf(e.getMessage()), e);
        }
        return true;
    }

    private void decodeBatch() {
        OffHeapMemory memory = records.memory();
        check(groupEnd - groupOffset >= WalLayout.BATCH_HEADER_SIZE, "batch header is cut off");
        long first = memory.getLong(groupOffset + WalLayout.FIRST_SEQUENCE_OFFSET);
        int count = memory.getInt(groupOffset + WalLayout.ENTRY_COUNT_OFFSET);
        int length = memory.getInt(groupOffset + WalLayout.LENGTH_OFFSET);
        int start = groupOffset + WalLayout.BATCH_HEADER_SIZE;
        check(length >= 0 && length <= groupEnd - start, "batch is cut off");
        check(count > 0, "batch has no entry");
        check(first > 0 && first <= SequenceNumbers.MAX - count + 1, "sequence number is invalid");
        check(first > lastSequence(), "sequence numbers do not ascend");
        entries.wrap(memory, start, length);
        int found = 0;
        while (entries.next()) {
            found++;
        }
        check(found == count, "batch has another number of entries");
        entries.wrap(memory, start, length);
        firstSequence = first;
        entryCount = count;
        entryIndex = -1;
        groupOffset = start + length;
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException(what);
        }
    }

    /** Moves to the next entry of the batch; returns false behind its last. */
    public boolean nextEntry() {
        if (!entries.next()) {
            return false;
        }
        entryIndex++;
        return true;
    }

    /** The sequence number of the batch's first entry; the others follow. */
    public long firstSequence() {
        return firstSequence;
    }

    public int entryCount() {
        return entryCount;
    }

    /** The sequence number of the batch's last entry. */
    public long lastSequence() {
        return firstSequence + entryCount - 1;
    }

    /** The entry's sequence number. */
    public long sequenceNumber() {
        return firstSequence + entryIndex;
    }

    /** The entry's kind byte, see {@link ValueKind}. */
    public byte kindByte() {
        return entries.kindByte();
    }

    /** The memory of the entry's key and value. */
    public OffHeapMemory memory() {
        return records.memory();
    }

    public int keyOffset() {
        return entries.keyOffset();
    }

    public int keyLength() {
        return entries.keyLength();
    }

    public int valueOffset() {
        return entries.valueOffset();
    }

    public int valueLength() {
        return entries.valueLength();
    }

    /** Points {@code view} at the entry's key. */
    public BytesView key(BytesView view) {
        return view.wrap(memory(), keyOffset(), keyLength());
    }

    /** Points {@code view} at the entry's value. */
    public BytesView value(BytesView view) {
        return view.wrap(memory(), valueOffset(), valueLength());
    }

    /** The position in the file of the record that holds the batch. */
    public long position() {
        return records.position();
    }

    /** Whether the log was ended in order; known at the end. */
    public boolean isSealed() {
        return records.isSealed();
    }

    /** Whether bytes of a torn tail were left out; known at the end. */
    public boolean isTorn() {
        return records.isTorn();
    }

    public String describe() {
        return records.describe();
    }

    @Override
    public void close() throws IOException {
        records.close();
    }
}
