package dev.tarn.testing;

import org.jspecify.annotations.Nullable;

/**
 * Runs random tests so that every failure can be repeated.
 *
 * <p>Each iteration has a seed of its own; a failure names it. {@code -Dtest.seed=N} runs the
 * iteration of that seed alone, {@code -Dtest.iterations=N} sets how many there are, for longer
 * runs; both together run as many, from that seed on.
 */
public final class Seeds {
    private static final String SEED = "test.seed";
    private static final String ITERATIONS = "test.iterations";

    private Seeds() {}

    /** A test body that takes all its randomness from its argument. */
    @FunctionalInterface
    public interface RandomTest {
        void run(RandomSource random) throws Exception;
    }

    /**
     * Runs a body several times.
     *
     * @param iterationsDefault how often, unless {@code -Dtest.iterations} or {@code -Dtest.seed}
     *     says otherwise
     * @throws AssertionError if an iteration fails, with its seed in the message
     */
    public static void run(int iterationsDefault, RandomTest body) {
        Long first = property(SEED);
        long start = first == null ? new java.util.SplittableRandom().nextLong() : first;
        long iterations = iterations(first == null ? iterationsDefault : 1);
        for (long i = 0; i < iterations; i++) {
            runOnce(i == 0 ? start : mix(start + i), body);
        }
    }

    /**
     * Returns {@code -Dtest.iterations}, or the default; for tests that count something else than
     * bodies, such as the operations of one long run.
     */
    public static long iterations(long iterationsDefault) {
        Long asked = property(ITERATIONS);
        return asked == null ? iterationsDefault : asked;
    }

    private static void runOnce(long seed, RandomTest body) {
        try {
            body.run(new RandomSource(seed));
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Exception | Error e) {
            if (e instanceof org.opentest4j.TestAbortedException aborted) {
                throw aborted;
            }
            throw new AssertionError(
                    "failed with seed "
                            + seed
                            + ", repeat with -Dtest.seed="
                            + seed
                            + ": "
                            + e.getMessage(),
                    e);
        }
    }

    /** Spreads neighbouring numbers, so that iterations share nothing. */
    private static long mix(long value) {
        return new java.util.SplittableRandom(value).nextLong();
    }

    /** The build hands on an empty text where nobody set a value. */
    private static @Nullable Long property(String name) {
        String text = System.getProperty(name, "").trim();
        return text.isEmpty() ? null : Long.decode(text);
    }
}
