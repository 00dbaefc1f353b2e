package dev.tarn.jmh.memtable;

import dev.tarn.jmh.data.Records;

/**
 * A memtable under test. Each peer takes keys in the form it is fastest with, and hands values out
 * as its own users would read them.
 *
 * <p>Threads: sessions of several threads run at once, if the peer is made for it; {@link #seal},
 * {@link #scan} and {@link #close} by one thread, when no session works.
 */
interface MemtablePeer extends AutoCloseable {
    /** What {@link #offHeapBytes} says of a peer that lives on the Java heap. */
    long ON_HEAP = -1;

    /** Opens what one thread needs: scratch for keys and values. */
    Session newSession();

    /** Ends writing and brings the entries in the order a flush wants; by the only writer. */
    void seal();

    /** Reads all entries in key order and returns the sum of their values' {@link Records#sum}. */
    long scan();

    /** Returns the bytes held outside the heap, or {@link #ON_HEAP}: then the heap is measured. */
    long offHeapBytes();

    @Override
    void close();

    /** One thread's access. */
    interface Session {
        void put(long prefix);

        /** Returns the value's {@link Records#sum}, or {@link Records#ABSENT}. */
        long get(long prefix);

        /**
         * Looks up {@code count} keys together and returns the sum of what {@link #get} returns.
         */
        default long multiGet(long[] prefixes, int from, int count) {
            long sum = 0;
            for (int i = from; i < from + count; i++) {
                sum += get(prefixes[i]);
            }
            return sum;
        }
    }
}
