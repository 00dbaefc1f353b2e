package dev.tarn.row;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.memory.BytesView;
import dev.tarn.type.DataType;
import java.util.Objects;

/**
 * Reads arrays, and the keys and values of maps. Integers are little-endian.
 *
 * <pre>
 * offset  size            field          notes
 * 0       4               count          of elements
 * 4       (count+7)/8     nulls          bit i: element i is NULL; bits beyond are zero
 * then    count*slot      slots          as in a row, all of one length
 * then                    variable part  as in a row; offsets from the array's start
 * </pre>
 */
public final class ArrayFlyweight extends SlotReader {
    static final int NULLS_OFFSET = Integer.BYTES;

    private final DataType elementType;
    private final SlotKind elementKind;
    private final BytesView bytes = new BytesView();
    private int count;
    private int slotsOffset;

    /** Creates a flyweight for arrays of a type; it has no elements until it is wrapped. */
    public ArrayFlyweight(DataType elementType) {
        this.elementType = elementType;
        this.elementKind = SlotKind.of(elementType);
    }

    static int slotsOffset(int count) {
        return NULLS_OFFSET + StructLayout.nullsLength(count);
    }

    /** Points at an array that an {@link ArrayBuilder} wrote. */
    public ArrayFlyweight wrap(BytesView array) {
        bytes.wrap(array);
        wrapBytes();
        return this;
    }

    BytesView bytes() {
        return bytes;
    }

    void wrapBytes() {
        point(bytes.memory(), bytes.offset(), bytes.length());
        int stored = length() < Integer.BYTES ? -1 : memory().getInt(startOffset());
        long fixedLength = NULLS_OFFSET + (stored + 7L) / 8 + (long) stored * elementKind.length;
        if (stored < 0 || fixedLength > length()) {
            throw corrupt("has more elements than bytes: count=" + stored);
        }
        count = stored;
        slotsOffset = slotsOffset(stored);
        if ((stored & 7) != 0) {
            int last = memory().getUnsignedByte(startOffset() + slotsOffset - 1);
            if (last >>> (stored & 7) != 0) {
                throw corrupt("has NULL bits beyond its elements: count=" + stored);
            }
        }
    }

    /** Returns the number of elements. */
    public int count() {
        return count;
    }

    @Override
    public boolean isNull(int index) {
        Objects.checkIndex(index, count);
        byte nulls = memory().getByte(startOffset() + NULLS_OFFSET + (index >>> 3));
        return (nulls >>> (index & 7) & 1) != 0;
    }

    @Override
    SlotReader source(int index) {
        return this;
    }

    @Override
    DataType type(int index) {
        return elementType;
    }

    @Override
    SlotKind kind(int index) {
        Objects.checkIndex(index, count);
        return elementKind;
    }

    @Override
    DataType storedType(int index) {
        return elementType;
    }

    @Override
    SlotKind storedKind(int index) {
        return elementKind;
    }

    @Override
    int slotOffset(int index) {
        return slotsOffset + index * elementKind.length;
    }

    @Override
    int fixedLength() {
        return slotsOffset + count * elementKind.length;
    }

    private CorruptDataException corrupt(String problem) {
        return new CorruptDataException(
                "array " + problem + " length=" + length() + " elementType=" + elementType);
    }
}
