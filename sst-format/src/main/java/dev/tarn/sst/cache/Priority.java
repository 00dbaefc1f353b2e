package dev.tarn.sst.cache;

/** How much a block is worth to the cache, told by whoever loads it. */
public enum Priority {
    /** Index partitions and filters: kept before all others up to their share of the cache. */
    HIGH,
    /** Data blocks of point lookups: kept once they are asked for a second time. */
    NORMAL,
    /** Blocks of scans, compactions and other single passes: confined to a small share. */
    LOW
}
