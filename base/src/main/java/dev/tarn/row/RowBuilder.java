package dev.tarn.row;

import dev.tarn.memory.OffHeapMemory;
import dev.tarn.type.DataType;
import dev.tarn.type.RowSchema;
import dev.tarn.type.RowType;

/**
 * Writes rows of one schema, or of a nested type, straight into off-heap memory.
 *
 * <p>Use: {@code begin}, setters in any order, {@code finish}; fields that are not set are NULL. If
 * {@code finish} returns a negative length, the row did not fit: find that much room and write it
 * again, or begin with a {@link RowTarget}, which grows.
 */
public final class RowBuilder extends SlotWriter<RowBuilder> {
    private final StructLayout layout;

    /** The id that the header names; -1 for nested rows, which have none. */
    private final int schemaId;

    /** The bits of the fields that must not be NULL, as in the NULL bitmap. */
    private final byte[] notNull;

    /** Creates a builder for rows of a table. */
    public RowBuilder(RowSchema schema) {
        this(new StructLayout(schema.types(), StructLayout.HEADER_LENGTH), schema.id());
    }

    private RowBuilder(StructLayout layout, int schemaId) {
        this.layout = layout;
        this.schemaId = schemaId;
        this.notNull = new byte[layout.nullsLength];
        for (int i = 0; i < layout.types.length; i++) {
            if (!layout.types[i].nullable()) {
                notNull[i >>> 3] |= (byte) (1 << (i & 7));
            }
        }
    }

    /** Creates a builder for values of a ROW column or of elements of that type. */
    public static RowBuilder nested(RowType type) {
        return new RowBuilder(new StructLayout(type.types(), 0), -1);
    }

    /**
     * Starts a row at {@code offset}; it must end at or before {@code limit}.
     *
     * <p>Retains {@code memory} until the next begin.
     */
    public RowBuilder begin(OffHeapMemory memory, int offset, int limit) {
        start(memory, offset, limit);
        return beginSlots();
    }

    /** Starts a row in memory that grows; retains {@code target} until the next begin. */
    public RowBuilder begin(RowTarget target) {
        start(target);
        return beginSlots();
    }

    private RowBuilder beginSlots() {
        if (startSlots(layout.nullsOffset, layout.types.length, layout.fixedLength)
                && schemaId >= 0) {
            memory().putByte(
                            startOffset() + StructLayout.FORMAT_VERSION_OFFSET,
                            StructLayout.FORMAT_VERSION);
            memory().putShort(startOffset() + StructLayout.SCHEMA_ID_OFFSET, (short) schemaId);
        }
        return this;
    }

    /**
     * Ends the row and checks that all NOT NULL fields are set.
     *
     * @return its length, or the negated length that it needs if that exceeds the room
     * @throws IllegalArgumentException if a NOT NULL field is missing
     */
    public int finish() {
        int length = finishPartial();
        for (int i = 0; length >= 0 && i < notNull.length; i++) {
            int missing =
                    memory().getByte(startOffset() + layout.nullsOffset + i) & notNull[i] & 0xff;
            if (missing != 0) {
                int index = 8 * i + Integer.numberOfTrailingZeros(missing);
                throw new IllegalArgumentException(
                        "field must not be NULL: index=" + index + " type=" + layout.types[index]);
            }
        }
        return length;
    }

    /**
     * As {@link #finish}, but NOT NULL fields may be missing, as in a delete that has only its key.
     */
    public int finishPartial() {
        return finishLength();
    }

    @Override
    RowBuilder self() {
        return this;
    }

    @Override
    SlotKind kind(int index) {
        return layout.kinds[index];
    }

    @Override
    DataType type(int index) {
        return layout.types[index];
    }

    @Override
    int slotOffset(int index) {
        return layout.slotOffsets[index];
    }
}
