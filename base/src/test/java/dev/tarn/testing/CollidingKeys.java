package dev.tarn.testing;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Keys of one {@code Hash64}. The hash folds pairs of longs, and a fold does not see which of its
 * two factors came first; so each pair can be swapped without a trace.
 *
 * <p>It repeats the constants and the long-key loop of docs/formats/hash.md.
 */
final class CollidingKeys implements KeyGenerator {
    private static final long SEED = 0x9e3779b97f4a7c15L ^ 0xa0761d6478bd642fL;
    private static final long[] MULTIPLIERS = {
        0xe7037ed1a0b428dbL, 0x8ebc6af09c88c6e3L, 0x589965cc75374cc3L
    };
    private static final int ROUNDS = 4;
    private static final int TAIL_LENGTH = 16;
    private static final int KEY_LENGTH = ROUNDS * MULTIPLIERS.length * 16 + TAIL_LENGTH;

    private final RandomSource random;

    /** The two factors of each fold, in either order; then the tail. */
    private final long[] left = new long[ROUNDS * MULTIPLIERS.length];

    private final long[] right = new long[ROUNDS * MULTIPLIERS.length];
    private final byte[] tail;

    CollidingKeys(RandomSource random) {
        this.random = random;
        for (int i = 0; i < left.length; i++) {
            left[i] = random.nextLong();
            right[i] = random.nextLong();
        }
        this.tail = random.bytes(TAIL_LENGTH);
    }

    @Override
    public byte[] next() {
        ByteBuffer key = ByteBuffer.allocate(KEY_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        long[] seeds = {SEED, SEED, SEED};
        for (int i = 0; i < left.length; i++) {
            int lane = i % MULTIPLIERS.length;
            boolean swapped = random.nextBoolean();
            long first = swapped ? right[i] : left[i];
            long second = swapped ? left[i] : right[i];
            key.putLong(first ^ MULTIPLIERS[lane]).putLong(second ^ seeds[lane]);
            seeds[lane] = fold(first, second);
        }
        return key.put(tail).array();
    }

    private static long fold(long a, long b) {
        long high = Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
        return a ^ (a * b) ^ b ^ high;
    }
}
