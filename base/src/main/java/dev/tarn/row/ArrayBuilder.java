package dev.tarn.row;

import dev.tarn.memory.OffHeapMemory;
import dev.tarn.type.DataType;
import java.util.Objects;

/**
 * Writes arrays, and the keys and values of maps: {@code begin} with the number of elements,
 * setters by index in any order, {@code finish}. Elements that are not set are NULL.
 */
public final class ArrayBuilder extends SlotWriter<ArrayBuilder> {
    private final DataType elementType;
    private final SlotKind elementKind;
    private int count;
    private int slotsOffset;

    /** Creates a builder for arrays of a type. */
    public ArrayBuilder(DataType elementType) {
        this.elementType = elementType;
        this.elementKind = SlotKind.of(elementType);
    }

    /** Starts an array at {@code offset}; it must end at or before {@code limit}. */
    public ArrayBuilder begin(OffHeapMemory memory, int offset, int limit, int elementCount) {
        start(memory, offset, limit);
        return beginSlots(elementCount);
    }

    /** Starts an array in memory that grows. */
    public ArrayBuilder begin(RowTarget target, int elementCount) {
        start(target);
        return beginSlots(elementCount);
    }

    private ArrayBuilder beginSlots(int elementCount) {
        if (elementCount < 0 || elementCount > StructLayout.LENGTH_MAX / elementKind.length) {
            throw new IllegalArgumentException(
                    "element count is out of range: elementCount=" + elementCount);
        }
        count = elementCount;
        slotsOffset = ArrayFlyweight.slotsOffset(elementCount);
        int fixedLength = slotsOffset + elementCount * elementKind.length;
        if (startSlots(ArrayFlyweight.NULLS_OFFSET, elementCount, fixedLength)) {
            memory().putInt(startOffset(), elementCount);
        }
        return this;
    }

    /**
     * Ends the array.
     *
     * @return its length, or the negated length that it needs if that exceeds the room
     * @throws IllegalArgumentException if elements are NOT NULL and one is missing
     */
    public int finish() {
        int length = finishLength();
        for (int i = 0; length >= 0 && !elementType.nullable() && i < count; i++) {
            int nulls = memory().getByte(startOffset() + ArrayFlyweight.NULLS_OFFSET + (i >>> 3));
            if ((nulls >>> (i & 7) & 1) != 0) {
                throw new IllegalArgumentException(
                        "element must not be NULL: index=" + i + " type=" + elementType);
            }
        }
        return length;
    }

    @Override
    ArrayBuilder self() {
        return this;
    }

    @Override
    SlotKind kind(int index) {
        Objects.checkIndex(index, count);
        return elementKind;
    }

    @Override
    DataType type(int index) {
        Objects.checkIndex(index, count);
        return elementType;
    }

    @Override
    int slotOffset(int index) {
        return slotsOffset + index * elementKind.length;
    }
}
