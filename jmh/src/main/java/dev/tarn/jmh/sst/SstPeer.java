package dev.tarn.jmh.sst;

import dev.tarn.jmh.data.Records;

/**
 * A store of sorted files under test. Each peer takes keys in the form it is fastest with, and
 * hands values out as its own users would read them.
 *
 * <p>Lifetime: {@link #build}, then {@link #open} and {@link #close}, which may be repeated:
 * opening starts with the peer's own caches empty.
 *
 * <p>Threads: belongs to one thread.
 */
interface SstPeer {
    /**
     * Writes the files.
     *
     * @param prefixesByFile the records of each file in key order; the files' ranges overlap
     */
    void build(long[][] prefixesByFile) throws Exception;

    void open() throws Exception;

    /** Returns the value's {@link Records#sum}, or {@link Records#ABSENT}. */
    long get(long prefix) throws Exception;

    /** Looks up sorted keys together and returns the sum of what {@link #get} returns. */
    default long multiGet(long[] prefixes, int from, int count) throws Exception {
        long sum = 0;
        for (int i = from; i < from + count; i++) {
            sum += get(prefixes[i]);
        }
        return sum;
    }

    /** Looks up very many sorted keys in the peer's best way; returns as {@link #multiGet}. */
    default long getSorted(long[] prefixes) throws Exception {
        long sum = 0;
        for (int from = 0; from < prefixes.length; from += SstShootout.BATCH_LENGTH) {
            int count = Math.min(SstShootout.BATCH_LENGTH, prefixes.length - from);
            sum += multiGet(prefixes, from, count);
        }
        return sum;
    }

    /** Whether the peer can read all entries in key order. */
    default boolean canScan() {
        return true;
    }

    /** Reads all entries in key order and returns the sum of their values' {@link Records#sum}. */
    long scan() throws Exception;

    void close() throws Exception;
}
