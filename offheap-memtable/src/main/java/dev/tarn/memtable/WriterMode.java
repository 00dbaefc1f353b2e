package dev.tarn.memtable;

/** How many threads may write to a memtable; fixed when it is created. */
public enum WriterMode {
    /**
     * One thread at a time: entries are published by a release store. A second thread is refused
     * until the writer hands over, see {@link Memtable#releaseWriter()}.
     */
    SINGLE,
    /** Any number of threads at once: entries are published by compare-and-set, without locks. */
    MULTI
}
