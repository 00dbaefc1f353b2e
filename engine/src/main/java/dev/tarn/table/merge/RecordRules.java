package dev.tarn.table.merge;

import dev.tarn.row.RowFlyweight;
import dev.tarn.row.RowKind;

/**
 * Decides at the time of the write what becomes of a record, so that nothing unusable is buffered.
 *
 * <p>Threads: belongs to one thread.
 */
public interface RecordRules {
    /**
     * Returns the kind under which to keep a record, or null if it is to be ignored.
     *
     * @param kind as written; {@code rowkind.field} may say otherwise
     * @throws IllegalArgumentException if the table cannot apply such a record; names the table,
     *     the field, the row kind and the option to set
     */
    @org.jspecify.annotations.Nullable
    RowKind accept(RowKind kind, RowFlyweight row);
}
