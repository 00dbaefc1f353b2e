package dev.tarn.testing;

import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Random values that follow from one seed.
 *
 * <p>Threads: belongs to one thread; {@link #split} gives another thread its own, and is called in
 * a fixed order to stay repeatable.
 */
public final class RandomSource implements RandomGenerator {
    private final long seed;
    private final SplittableRandom random;

    /** Creates a source whose values depend on {@code seed} alone. */
    public RandomSource(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
    }

    /** Returns the seed that repeats this source from its start. */
    public long seed() {
        return seed;
    }

    /** Returns a source that is independent of what this one still returns. */
    public RandomSource split() {
        return new RandomSource(random.nextLong());
    }

    @Override
    public long nextLong() {
        return random.nextLong();
    }

    /** Returns a number in [{@code lower}, {@code upper}). */
    public int between(int lower, int upper) {
        return random.nextInt(lower, upper);
    }

    /** Returns a number in [{@code lower}, {@code upper}). */
    public long between(long lower, long upper) {
        return random.nextLong(lower, upper);
    }

    /** Returns true once in {@code n} times. */
    public boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    /** Returns random bytes. */
    public byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /**
     * Returns a number in [0, {@code bound}) whose size varies: as often below 10 as between half
     * of the bound and the bound, as far as the bound allows.
     */
    public int skewed(int bound) {
        int bits = 32 - Integer.numberOfLeadingZeros(Math.max(0, bound - 1));
        int limit = (int) Math.min(bound, 1L << random.nextInt(bits + 1));
        return random.nextInt(limit);
    }

    /** Returns one of the elements. */
    public <T> T pick(List<T> elements) {
        return elements.get(random.nextInt(elements.size()));
    }

    /** Returns one of the elements. */
    @SafeVarargs
    public final <T> T pick(T... elements) {
        return elements[random.nextInt(elements.length)];
    }

    /** Brings the elements into a random order, in place. */
    public void shuffle(List<?> elements) {
        java.util.Collections.shuffle(elements, new java.util.Random(random.nextLong()));
    }

    /** Shows the seed. */
    @Override
    public String toString() {
        return "RandomSource[seed=" + seed + "]";
    }
}
