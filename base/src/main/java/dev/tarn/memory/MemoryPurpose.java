package dev.tarn.memory;

/** What off-heap memory is used for; the budget is reported, and may be limited, by purpose. */
public enum MemoryPurpose {
    MEMTABLE,
    BLOCK_CACHE,
    FILTER,
    INDEX,
    IO_BUFFER
}
