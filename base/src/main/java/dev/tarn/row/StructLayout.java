package dev.tarn.row;

import dev.tarn.type.DataType;
import java.util.List;

/**
 * Where the parts of a row are; nested rows have no header. Integers are little-endian.
 *
 * <pre>
 * offset  size              field          notes
 * 0       1                 formatVersion  1; rows of a table only
 * 1       2                 schemaId       rows of a table only
 * 3 or 0  (fieldCount+7)/8  nulls          bit i: field i is NULL; bits beyond are zero
 * then    sum of slots      slots          one per field, in order; zero if NULL
 * then                      variable part  strings and nested values of 8 bytes and more
 * </pre>
 *
 * <p>A slot of variable length has 8 bytes: offset from the row's start and length, 4 bytes each,
 * or up to 7 bytes themselves, zeros, and 0x80 + length as the last byte.
 */
final class StructLayout {
    static final byte FORMAT_VERSION = 1;
    static final int FORMAT_VERSION_OFFSET = 0;
    static final int SCHEMA_ID_OFFSET = 1;
    static final int HEADER_LENGTH = 3;

    /** The longest string that its slot holds. */
    static final int INLINE_LENGTH_MAX = 7;

    static final long INLINE_FLAG = 0x80;

    /** The longest row, array or map: as long as a value may be. */
    static final int LENGTH_MAX = 1 << 28;

    final DataType[] types;
    final SlotKind[] kinds;
    final int[] slotOffsets;
    final int nullsOffset;
    final int nullsLength;
    final int fixedLength;

    StructLayout(List<? extends DataType> fieldTypes, int headerLength) {
        types = fieldTypes.toArray(DataType[]::new);
        kinds = new SlotKind[types.length];
        slotOffsets = new int[types.length];
        nullsOffset = headerLength;
        nullsLength = nullsLength(types.length);
        int offset = headerLength + nullsLength;
        for (int i = 0; i < types.length; i++) {
            kinds[i] = SlotKind.of(types[i]);
            slotOffsets[i] = offset;
            offset += kinds[i].length;
        }
        fixedLength = offset;
    }

    static int nullsLength(int count) {
        return (count + 7) >>> 3;
    }
}
