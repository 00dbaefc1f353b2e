package dev.tarn.memtable;

/**
 * Reading ahead by hand, since Java has no prefetch: a loop that only reads one word for each of
 * many addresses is short enough for the processor to overlap their cache misses; the loop that
 * then works on them finds them in the cache.
 */
final class CacheTouch {
    /** As many addresses as the first-level cache holds easily, each with two or three lines. */
    static final int GROUP = 64;

    private static final long UNLIKELY_SUM = 0x5f3759df1bd11bdaL;

    private CacheTouch() {}

    /** Takes the sum of all words read ahead, so that the JIT cannot leave the reads out. */
    static void consume(long touched) {
        if (touched == UNLIKELY_SUM) {
            Thread.onSpinWait();
        }
    }
}
