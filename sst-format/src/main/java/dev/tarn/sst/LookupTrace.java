package dev.tarn.sst;

/**
 * What one lookup did, for people who want to know why it was slow.
 *
 * <p>Threads: belongs to the thread whose {@link SstLookup} it is attached to; each lookup
 * overwrites it. Tracing reads the clock twice and costs nothing where no trace is attached.
 */
public final class LookupTrace {
    /** What the filter said. */
    public enum FilterVerdict {
        /** There is no filter in memory for the key's range. */
        NO_FILTER,
        /** The key is certainly absent. */
        ABSENT,
        /** The key may be there. */
        MAYBE
    }

    FilterVerdict filterVerdict = FilterVerdict.NO_FILTER;
    int indexPartitionReads;
    int blockHits;
    int blockReads;
    long readBytes;
    int block = -1;
    int result;
    long nanos;

    void clear() {
        filterVerdict = FilterVerdict.NO_FILTER;
        indexPartitionReads = 0;
        blockHits = 0;
        blockReads = 0;
        readBytes = 0;
        block = -1;
        result = SstReader.ABSENT;
        nanos = 0;
    }

    public FilterVerdict filterVerdict() {
        return filterVerdict;
    }

    /** Index partitions that were read from the file. */
    public int indexPartitionReads() {
        return indexPartitionReads;
    }

    /** Data blocks that were in the cache. */
    public int blockHits() {
        return blockHits;
    }

    /** Data blocks that were read from the file. */
    public int blockReads() {
        return blockReads;
    }

    /** Bytes that were read from the file. */
    public long readBytes() {
        return readBytes;
    }

    /** The number of the data block that was searched last; -1 if none was. */
    public int block() {
        return block;
    }

    /** What the lookup returned. */
    public int result() {
        return result;
    }

    /** How long the lookup took. */
    public long nanos() {
        return nanos;
    }

    @Override
    public String toString() {
        return "filterVerdict="
                + filterVerdict
                + " indexPartitionReads="
                + indexPartitionReads
                + " blockHits="
                + blockHits
                + " blockReads="
                + blockReads
                + " readBytes="
                + readBytes
                + " block="
                + block
                + " result="
                + result
                + " nanos="
                + nanos;
    }
}
