package dev.tarn.memtable;

/** The expected outcomes of a write. */
public enum PutStatus {
    /** The entry is in the memtable and visible to readers. */
    OK,
    /**
     * The memory budget has no room for the entry now: seal, flush and write to the next memtable.
     */
    FULL,
    /** The memtable is sealed: write to the next one. */
    SEALED
}
