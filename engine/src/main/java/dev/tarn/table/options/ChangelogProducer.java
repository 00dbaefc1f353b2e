package dev.tarn.table.options;

/** Where a table's changelog comes from; option {@code changelog-producer}. */
public enum ChangelogProducer {
    /** There is none; a reader sees each commit's writes. */
    NONE,
    /** The records as they were written. */
    INPUT,
    /** State before and after each commit, found while flushing. */
    LOOKUP,
    /** State before and after each full compaction. */
    FULL_COMPACTION
}
