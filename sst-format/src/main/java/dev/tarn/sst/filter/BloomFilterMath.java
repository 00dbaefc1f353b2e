package dev.tarn.sst.filter;

/**
 * Sizes and false positive rates of Bloom filters whose bits for one key lie in one 512-bit line.
 *
 * <p>The keys of a line are Poisson distributed, so the rate is {@code sum over i of Poisson(i;
 * 512/b) * (1 - (1 - 1/512)^(k*i))^k} for b bits a key and k probes.
 */
public final class BloomFilterMath {
    public static final int LINE_BITS = 512;
    public static final int LINE_BYTES = LINE_BITS / Byte.SIZE;
    public static final int PROBE_COUNT_MAX = 16;

    private static final double BITS_PER_KEY_STEP = 0.25;

    private BloomFilterMath() {}

    /** Returns the expected false positive rate. */
    public static double falsePositiveRate(double bitsPerKey, int probeCount) {
        double mean = LINE_BITS / bitsPerKey;
        int last = (int) (mean + 12 * Math.sqrt(mean)) + 16;
        double probability = Math.exp(-mean);
        double rate = 0;
        for (int keys = 1; keys <= last; keys++) {
            probability *= mean / keys;
            double set = 1 - Math.pow(1 - 1.0 / LINE_BITS, (double) probeCount * keys);
            rate += probability * Math.pow(set, probeCount);
        }
        return rate;
    }

    /** Returns the number of probes with the lowest rate. */
    public static int probeCount(double bitsPerKey) {
        int best = 1;
        double bestRate = falsePositiveRate(bitsPerKey, 1);
        for (int probeCount = 2; probeCount <= PROBE_COUNT_MAX; probeCount++) {
            double rate = falsePositiveRate(bitsPerKey, probeCount);
            if (rate < bestRate) {
                best = probeCount;
                bestRate = rate;
            }
        }
        return best;
    }

    /** Returns the fewest bits per key, up to {@code max}, whose rate is at most this one. */
    public static double bitsPerKey(double falsePositiveRate, double max) {
        double bitsPerKey = 2;
        while (bitsPerKey < max
                && falsePositiveRate(bitsPerKey, probeCount(bitsPerKey)) > falsePositiveRate) {
            bitsPerKey += BITS_PER_KEY_STEP;
        }
        return Math.min(bitsPerKey, max);
    }

    /** Returns the number of lines for this many keys, at least one. */
    public static long lineCount(long keyCount, double bitsPerKey) {
        return Math.max(1, (long) Math.ceil(keyCount * bitsPerKey / LINE_BITS));
    }
}
