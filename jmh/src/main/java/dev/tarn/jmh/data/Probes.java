package dev.tarn.jmh.data;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Sequences of prefixes to look up, drawn at random and long enough that no branch predictor learns
 * them; they are read in order, so that fetching the next probe costs next to nothing.
 */
public final class Probes {
    /** The least number of probes that a branch predictor of today cannot learn. */
    public static final int COUNT = 1 << 20;

    private static final long SEED = 0x7a2eL;

    private Probes() {}

    /** Draws keys that are stored: numbers in [0, entries). */
    public static long[] hits(int count, long entries, int stream) {
        return draw(count, 0, entries, stream);
    }

    /** Draws keys that are not stored. */
    public static long[] misses(int count, long entries, int stream) {
        return draw(count, 1L << 40, entries, stream);
    }

    /** Sorts every batch of {@code batchLength} probes in key order. */
    public static long[] sortedBatches(long[] probes, int batchLength) {
        long[] sorted = probes.clone();
        for (int from = 0; from < sorted.length; from += batchLength) {
            sort(sorted, from, Math.min(sorted.length, from + batchLength));
        }
        return sorted;
    }

    /** Returns the probes in key order without repetition. */
    public static long[] sortedDistinct(long[] probes) {
        long[] sorted = probes.clone();
        sort(sorted, 0, sorted.length);
        int count = 0;
        for (int i = 0; i < sorted.length; i++) {
            if (i == 0 || sorted[i] != sorted[i - 1]) {
                sorted[count++] = sorted[i];
            }
        }
        return Arrays.copyOf(sorted, count);
    }

    /** Returns the prefixes of the records in [0, entries) in key order. */
    public static long[] sortedRecords(int entries) {
        long[] prefixes = new long[entries];
        for (int i = 0; i < entries; i++) {
            prefixes[i] = Records.prefix(i);
        }
        sort(prefixes, 0, entries);
        return prefixes;
    }

    /** Sorts as the keys do, that is unsigned. */
    private static void sort(long[] prefixes, int from, int to) {
        for (int i = from; i < to; i++) {
            prefixes[i] ^= Long.MIN_VALUE;
        }
        Arrays.sort(prefixes, from, to);
        for (int i = from; i < to; i++) {
            prefixes[i] ^= Long.MIN_VALUE;
        }
    }

    private static long[] draw(int count, long first, long bound, int stream) {
        SplittableRandom random = new SplittableRandom(SEED + stream);
        long[] prefixes = new long[count];
        for (int i = 0; i < count; i++) {
            prefixes[i] = Records.prefix(first + random.nextLong(bound));
        }
        return prefixes;
    }
}
