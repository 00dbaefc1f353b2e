package dev.tarn.row;

import dev.tarn.type.DataType;
import dev.tarn.type.Field;
import dev.tarn.type.RowSchema;
import dev.tarn.type.TypeWidening;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the fields of a reader are in rows of one stored schema. */
final class RowMapping {
    /** The layout of the stored rows. */
    final StructLayout stored;

    /** The index of each field in the stored row; -1 for those it does not have. */
    final int[] storedIndexes;

    final SlotKind[] storedKinds;
    final int[] slotOffsets;
    final boolean hasMissing;

    private RowMapping(StructLayout stored, int[] storedIndexes) {
        this.stored = stored;
        this.storedIndexes = storedIndexes;
        storedKinds = new SlotKind[storedIndexes.length];
        slotOffsets = new int[storedIndexes.length];
        boolean missing = false;
        for (int i = 0; i < storedIndexes.length; i++) {
            int index = storedIndexes[i];
            if (index < 0) {
                missing = true;
                storedKinds[i] = SlotKind.BOOLEAN;
            } else {
                storedKinds[i] = stored.kinds[index];
                slotOffsets[i] = stored.slotOffsets[index];
            }
        }
        hasMissing = missing;
    }

    /** Maps each field onto itself. */
    static RowMapping identity(StructLayout layout) {
        int[] indexes = new int[layout.types.length];
        for (int i = 0; i < indexes.length; i++) {
            indexes[i] = i;
        }
        return new RowMapping(layout, indexes);
    }

    /**
     * Finds fields by their ids.
     *
     * @throws IllegalArgumentException if a stored type cannot be read as the field's
     */
    static RowMapping of(List<Field> fields, RowSchema schema) {
        int[] indexes = new int[fields.size()];
        for (int i = 0; i < indexes.length; i++) {
            Field field = fields.get(i);
            indexes[i] = schema.indexOfId(field.id());
            if (indexes[i] >= 0) {
                DataType from = schema.field(indexes[i]).type().withNullable(true);
                if (!TypeWidening.isAllowed(from, field.type().withNullable(true))) {
                    throw new IllegalArgumentException(
                            "stored type cannot be read: field="
                                    + field.name()
                                    + " stored="
                                    + from
                                    + " read="
                                    + field.type()
                                    + " storedSchemaId="
                                    + schema.id());
                }
            }
        }
        StructLayout layout = new StructLayout(schema.types(), StructLayout.HEADER_LENGTH);
        return new RowMapping(layout, indexes);
    }

    @Nullable DataType storedType(int index) {
        return storedIndexes[index] < 0 ? null : stored.types[storedIndexes[index]];
    }
}
