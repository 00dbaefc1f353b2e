package dev.tarn.table.merge;

import dev.tarn.memory.BytesView;
import dev.tarn.row.RowKind;

/**
 * Folds the records of one key, in the order of their arrival, onto the key's state.
 *
 * <p>Use: {@link #begin}, {@link #apply} for each record, {@link #end}; then the next key.
 *
 * <p>Owner: none of the views is copied unless the engine has to. Lifetime: state and records given
 * must stay where they are until {@link #end} has returned and its result was used; the result is
 * valid until the next {@link #begin}. Threads: belongs to one thread.
 */
public interface KeyFold extends AutoCloseable {
    /** Starts with the state of a key; {@code before} itself is not retained, its bytes are. */
    void begin(KeyState before);

    /**
     * Applies a record that {@link RecordRules} has accepted.
     *
     * @param row a row of any schema of the table
     * @throws MergeException if state and record do not go together: an overflow, say
     */
    void apply(RowKind kind, BytesView row);

    /**
     * Tells the state after the records.
     *
     * @param after points at a record's or the old state's bytes, or at memory of this fold
     */
    void end(KeyState after);

    @Override
    void close();
}
