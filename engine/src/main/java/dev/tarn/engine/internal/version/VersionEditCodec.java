package dev.tarn.engine.internal.version;

import dev.tarn.codec.Varint;
import dev.tarn.engine.internal.io.RecordBuffer;
import dev.tarn.engine.internal.io.RecordReader;
import dev.tarn.engine.internal.version.TableMetadata.EntryCounts;
import dev.tarn.engine.internal.version.TableMetadata.Garbage;
import dev.tarn.memory.OffHeapMemory;
import java.nio.charset.StandardCharsets;

/**
 * The bytes of an edit: fields, each a tag byte and varints, in any order and number.
 *
 * <pre>
 * tag  field         contents (varints, unless said otherwise)
 * 1    added table   id, level, sizeBytes, puts, deletes, merges, rangeDeletes, smallestSequence,
 *                    largestSequence, creationTimeMillis (zigzag), garbageEntryCount,
 *                    garbageSizeBytes; then length and bytes of name (ASCII), smallestKey,
 *                    largestKey
 * 2    removed       id
 * 3    moved         id, level
 * 4    garbage       id, entryCount, sizeBytes
 * 5    nextTableId   id
 * 6    lastSequence  sequence number
 * 7    logNumber     number
 * </pre>
 */
final class VersionEditCodec {
    private static final int ADDED = 1;
    private static final int REMOVED = 2;
    private static final int MOVED = 3;
    private static final int GARBAGE = 4;
    private static final int NEXT_TABLE_ID = 5;
    private static final int LAST_SEQUENCE = 6;
    private static final int LOG_NUMBER = 7;

    private VersionEditCodec() {}

    static void encode(VersionEdit edit, RecordBuffer target) {
        edit.nextTableId().ifPresent(id -> target.putByte(NEXT_TABLE_ID).putVarint(id));
        edit.lastSequence().ifPresent(last -> target.putByte(LAST_SEQUENCE).putVarint(last));
        edit.logNumber().ifPresent(number -> target.putByte(LOG_NUMBER).putVarint(number));
        for (long id : edit.removed()) {
            target.putByte(REMOVED).putVarint(id);
        }
        for (VersionEdit.Move move : edit.moved()) {
            target.putByte(MOVED).putVarint(move.tableId()).putVarint(move.level());
        }
        for (VersionEdit.AddedGarbage more : edit.garbage()) {
            target.putByte(GARBAGE)
                    .putVarint(more.tableId())
                    .putVarint(more.garbage().entryCount())
                    .putVarint(more.garbage().sizeBytes());
        }
        for (TableMetadata table : edit.added()) {
            encode(table, target.putByte(ADDED));
        }
    }

    private static void encode(TableMetadata table, RecordBuffer target) {
        EntryCounts counts = table.entryCounts();
        target.putVarint(table.id())
                .putVarint(table.level())
                .putVarint(table.sizeBytes())
                .putVarint(counts.puts())
                .putVarint(counts.deletes())
                .putVarint(counts.merges())
                .putVarint(counts.rangeDeletes())
                .putVarint(table.smallestSequence())
                .putVarint(table.largestSequence())
                .putVarint(Varint.zigzag(table.creationTimeMillis()))
                .putVarint(table.garbage().entryCount())
                .putVarint(table.garbage().sizeBytes())
                .putBytesWithLength(table.name().getBytes(StandardCharsets.US_ASCII))
                .putBytesWithLength(table.smallestKey())
                .putBytesWithLength(table.largestKey());
    }

    /**
     * Decodes the record a reader stands on.
     *
     * @throws dev.tarn.codec.CorruptDataException if the bytes are no edit
     */
    static VersionEdit decode(RecordReader record) {
        Cursor cursor = new Cursor(record.memory(), record.offset(), record.length());
        try {
            VersionEdit.Builder edit = VersionEdit.builder();
            while (cursor.hasMore()) {
                decodeField(cursor, edit);
            }
            return edit.build();
        } catch (Varint.MalformedVarintException | IllegalArgumentException e) {
            throw record.corrupt(String.valueOf(e.getMessage()), e);
        }
    }

    private static void decodeField(Cursor cursor, VersionEdit.Builder edit) {
        int tag = cursor.unsignedByte();
        switch (tag) {
            case ADDED -> edit.add(decodeTable(cursor));
            case REMOVED -> edit.remove(cursor.number());
            case MOVED -> edit.move(cursor.number(), cursor.smallNumber());
            case GARBAGE ->
                    edit.addGarbage(cursor.number(), new Garbage(cursor.number(), cursor.number()));
            case NEXT_TABLE_ID -> edit.nextTableId(cursor.number());
            case LAST_SEQUENCE -> edit.lastSequence(cursor.number());
            case LOG_NUMBER -> edit.logNumber(cursor.number());
            default -> throw new IllegalArgumentException("unknown tag: tag=" + tag);
        }
    }

    private static TableMetadata decodeTable(Cursor cursor) {
        long id = cursor.number();
        int level = cursor.smallNumber();
        long sizeBytes = cursor.number();
        EntryCounts counts =
                new EntryCounts(cursor.number(), cursor.number(), cursor.number(), cursor.number());
        long smallestSequence = cursor.number();
        long largestSequence = cursor.number();
        long creationTimeMillis = Varint.unzigzag(cursor.anyNumber());
        Garbage garbage = new Garbage(cursor.number(), cursor.number());
        String name = new String(cursor.bytes(), StandardCharsets.US_ASCII);
        return TableMetadata.builder(id, name)
                .level(level)
                .sizeBytes(sizeBytes)
                .entryCounts(counts)
                .sequences(smallestSequence, largestSequence)
                .creationTimeMillis(creationTimeMillis)
                .garbage(garbage)
                .keyRange(cursor.bytes(), cursor.bytes())
                .build();
    }

    /** Reads numbers and bytes one after the other, within the record. */
    private static final class Cursor {
        private final OffHeapMemory memory;
        private final int limit;
        private int offset;

        Cursor(OffHeapMemory memory, int offset, int length) {
            this.memory = memory;
            this.offset = offset;
            this.limit = offset + length;
        }

        boolean hasMore() {
            return offset < limit;
        }

        int unsignedByte() {
            return memory.getUnsignedByte(offset++);
        }

        long anyNumber() {
            long value = Varint.getLong(memory, offset, limit);
            offset += Varint.length(value);
            return value;
        }

        long number() {
            long value = anyNumber();
            if (value < 0) {
                throw new IllegalArgumentException("number exceeds 63 bits");
            }
            return value;
        }

        int smallNumber() {
            long value = number();
            if (value > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("number exceeds 31 bits: value=" + value);
            }
            return (int) value;
        }

        byte[] bytes() {
            int length = smallNumber();
            if (length > limit - offset) {
                throw new IllegalArgumentException(
                        "bytes are cut off: length=" + length + " available=" + (limit - offset));
            }
            byte[] bytes = new byte[length];
            memory.getBytes(offset, bytes, 0, length);
            offset += length;
            return bytes;
        }
    }
}
