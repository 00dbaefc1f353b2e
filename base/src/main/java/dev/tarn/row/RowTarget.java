package dev.tarn.row;

import dev.tarn.memory.OffHeapMemory;

/**
 * Where a row is written, when it may move to find more room.
 *
 * <p>Threads: as the builder that uses it.
 */
public interface RowTarget {
    /** The memory that the row is written to now. */
    OffHeapMemory memory();

    /** Where the row starts in {@link #memory()}. */
    int offset();

    /** Where the room for the row ends in {@link #memory()}. */
    int limit();

    /**
     * Makes room for {@code lengthNeeded} bytes from {@link #offset()} on, and keeps the first
     * {@code lengthWritten}; memory, offset and limit may be others afterwards.
     *
     * @return false if there is no such room; then the row does not fit
     */
    boolean grow(int lengthWritten, int lengthNeeded);
}
