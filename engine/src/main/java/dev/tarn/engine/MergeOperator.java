package dev.tarn.engine;

import dev.tarn.memory.BytesView;
import org.jspecify.annotations.Nullable;

/**
 * Folds the MERGE entries of a key onto what it had before.
 *
 * <p>The store folds one operand at a time, oldest first, exactly in the order they were written,
 * so a result never depends on flushes and compactions. A DELETE is a barrier: the operand after it
 * meets no old value.
 *
 * <p>Threads: called by readers and by compaction at once; implementations are stateless or
 * synchronise.
 *
 * <p>Errors: what it throws surfaces from the read, or fails the compaction, which keeps its
 * inputs.
 */
public interface MergeOperator {
    /** A name that is written beside the data, so that a store is not opened with another one. */
    String name();

    /**
     * Returns the value after one operand.
     *
     * @param key valid during the call
     * @param oldValue null if the key is absent; valid during the call
     * @param operand valid during the call
     */
    byte[] merge(BytesView key, byte @Nullable [] oldValue, BytesView operand);
}
