package dev.tarn.testing;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Makes keys, each time another, possibly an earlier one again.
 *
 * <p>Owner: the caller gets a fresh array. Threads: belongs to one, like the source it draws from.
 */
@FunctionalInterface
public interface KeyGenerator {
    /** Returns a key. */
    byte[] next();

    /** Random bytes of one length. */
    static KeyGenerator fixedLength(RandomSource random, int length) {
        return () -> random.bytes(length);
    }

    /** Random bytes of a length in [{@code lengthMin}, {@code lengthMax}]. */
    static KeyGenerator variable(RandomSource random, int lengthMin, int lengthMax) {
        return () -> random.bytes(random.between(lengthMin, lengthMax + 1));
    }

    /** Numbers 0, 1, 2, ... as eight big-endian bytes, which ascend. */
    static KeyGenerator ascending() {
        long[] next = new long[1];
        return () -> ByteBuffer.allocate(Long.BYTES).putLong(next[0]++).array();
    }

    /** One of a few prefixes, then random bytes of a length in [0, {@code suffixLengthMax}]. */
    static KeyGenerator sharedPrefixes(
            RandomSource random, int prefixCount, int prefixLength, int suffixLengthMax) {
        byte[][] prefixes = new byte[prefixCount][];
        for (int i = 0; i < prefixCount; i++) {
            prefixes[i] = random.bytes(prefixLength);
        }
        return () ->
                concat(random.pick(prefixes), random.bytes(random.between(0, suffixLengthMax + 1)));
    }

    /**
     * Keys whose first eight bytes are all the same, and which differ, if at all, behind them: what
     * is compared by a cached prefix must go on to compare the rest.
     */
    static KeyGenerator equalPrefix8(RandomSource random, int suffixLengthMax) {
        return sharedPrefixes(random, 1, Long.BYTES, suffixLengthMax);
    }

    /**
     * Keys of {@code length} bytes out of {@code keyCount}, the i-th of which comes with a
     * probability proportional to {@code 1 / i^exponent}; which keys are frequent follows from the
     * source, not from their order.
     *
     * @param length at least 8
     */
    static KeyGenerator zipf(RandomSource random, int keyCount, double exponent, int length) {
        double[] cumulated = new double[keyCount];
        double sum = 0;
        for (int i = 0; i < keyCount; i++) {
            sum += 1 / Math.pow(i + 1, exponent);
            cumulated[i] = sum;
        }
        double total = sum;
        long salt = random.nextLong();
        return () -> {
            int found = Arrays.binarySearch(cumulated, random.nextDouble() * total);
            int rank = Math.min(keyCount - 1, found < 0 ? -found - 1 : found);
            // An odd factor permutes the longs, so no two ranks share a key.
            long scattered = (rank + salt) * 0x9e3779b97f4a7c15L;
            return Arrays.copyOf(
                    ByteBuffer.allocate(Long.BYTES).putLong(scattered).array(), length);
        };
    }

    /** Up to 4096 different keys of 208 bytes that all have one {@code Hash64}. */
    static KeyGenerator collidingHashes(RandomSource random) {
        return new CollidingKeys(random);
    }

    /**
     * What breaks code that thinks of usual keys: the empty key, the longest, runs of 0x00 and 0xff
     * up to past every word size, keys that are prefixes of each other, one byte away from each
     * other, or of one hash.
     *
     * @param lengthMax of the longest keys, which come once in 500 times; at least 64
     */
    static KeyGenerator adversarial(RandomSource random, int lengthMax) {
        KeyGenerator colliding = collidingHashes(random);
        byte[] trunk = random.bytes(40);
        IntFunction<byte[]> ofKind =
                kind ->
                        switch (kind) {
                            case 0 -> new byte[0];
                            case 1 -> new byte[random.between(1, 20)];
                            case 2 -> filled(random.between(1, 20), (byte) 0xff);
                            case 3 -> filled(random.between(1, 20), (byte) 0x80);
                            case 4 -> Arrays.copyOf(trunk, random.between(0, trunk.length));
                            case 5 -> touched(trunk, random);
                            case 6 -> concat(filled(8, (byte) 0xff), new byte[random.nextInt(4)]);
                            case 7 -> new byte[] {(byte) random.nextInt(256)};
                            case 8 -> colliding.next();
                            default -> random.bytes(random.between(0, 64));
                        };
        return () -> {
            // Rare, or else they fill the tables of every test.
            if (random.oneIn(500)) {
                byte[] longest = filled(lengthMax - random.nextInt(2), (byte) 0xff);
                longest[longest.length - 1] = (byte) random.nextInt(256);
                return longest;
            }
            return ofKind.apply(random.nextInt(10));
        };
    }

    /** Draws from one of several generators each time. */
    static KeyGenerator mixed(RandomSource random, KeyGenerator... generators) {
        return () -> random.pick(generators).next();
    }

    private static byte[] filled(int length, byte value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, value);
        return bytes;
    }

    private static byte[] touched(byte[] bytes, RandomSource random) {
        byte[] copy = bytes.clone();
        copy[random.nextInt(copy.length)] += (byte) random.between(1, 256);
        return copy;
    }

    private static byte[] concat(byte[] left, byte[] right) {
        byte[] bytes = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, bytes, left.length, right.length);
        return bytes;
    }
}
