package dev.tarn.table.options;

/** What becomes of several records of one key; option {@code merge-engine}. */
public enum MergeEngine {
    /** The last record is the row. */
    DEDUPLICATE,
    /** The columns that a record has replace those of the row. */
    PARTIAL_UPDATE,
    /** A function per column combines the row and the record. */
    AGGREGATION,
    /** The first record is the row. */
    FIRST_ROW
}
