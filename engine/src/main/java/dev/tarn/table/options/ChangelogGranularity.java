package dev.tarn.table.options;

/** How much a changelog tells; option {@code changelog-producer.granularity}. */
public enum ChangelogGranularity {
    /** One change per key and commit. */
    NET,
    /** One change per record. */
    EVERY
}
