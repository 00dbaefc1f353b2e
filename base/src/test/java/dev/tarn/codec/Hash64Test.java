package dev.tarn.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class Hash64Test {
    private static final int LENGTH_MAX = 1024;
    private static final long P1 = 0xe7037ed1a0b428dbL;
    private static final long SEED_STATE = 0x9e3779b97f4a7c15L ^ 0xa0761d6478bd642fL;

    /** How the keys of a collision test follow from a counter. */
    private enum Keys {
        INT_LITTLE_ENDIAN(4),
        INT_BIG_ENDIAN(4),
        LONG_LITTLE_ENDIAN(8),
        LONG_BIG_ENDIAN(8),
        ENCODED_BIGINT(9),
        SIXTEEN_BYTES_COUNTER_FIRST(16),
        SIXTEEN_BYTES_COUNTER_LAST(16),
        MULTIPLES_OF_4096(8),
        THIRTY_BYTES_COUNTER_IN_THE_MIDDLE(30),
        SIXTY_BYTES_COUNTER_FIRST(60),
        DECIMAL_TEXT(12);

        final int length;

        Keys(int length) {
            this.length = length;
        }

        long[] hashes(int count) {
            long[] hashes = new long[count];
            byte[] key = new byte[length];
            for (int i = 0; i < count; i++) {
                write(i, key);
                hashes[i] = Hash64.hash(key, 0, length);
            }
            return hashes;
        }

        private void write(int i, byte[] key) {
            switch (this) {
                case INT_LITTLE_ENDIAN, LONG_LITTLE_ENDIAN, SIXTY_BYTES_COUNTER_FIRST ->
                        putInt(key, 0, i);
                case INT_BIG_ENDIAN -> putInt(key, 0, Integer.reverseBytes(i));
                case LONG_BIG_ENDIAN, SIXTEEN_BYTES_COUNTER_FIRST ->
                        putInt(key, 4, Integer.reverseBytes(i));
                case ENCODED_BIGINT -> {
                    key[0] = 1;
                    key[1] = (byte) 0x80;
                    putInt(key, 5, Integer.reverseBytes(i));
                }
                case SIXTEEN_BYTES_COUNTER_LAST -> putInt(key, 12, Integer.reverseBytes(i));
                case MULTIPLES_OF_4096 -> putInt(key, 1, i << 4);
                case THIRTY_BYTES_COUNTER_IN_THE_MIDDLE -> putInt(key, 14, i);
                case DECIMAL_TEXT -> {
                    int rest = i;
                    for (int at = length - 1; at >= 0; at--) {
                        key[at] = (byte) ('0' + rest % 10);
                        rest /= 10;
                    }
                }
            }
        }

        private static void putInt(byte[] key, int offset, int value) {
            for (int i = 0; i < 4; i++) {
                key[offset + i] = (byte) (value >>> (8 * i));
            }
        }
    }

    @Test
    void documentListsTheHashesOfItsVectors() {
        List<List<String>> rows = FormatDocument.read("hash.md").tableUnder("Test vectors");
        assertThat(rows).hasSizeGreaterThan(40);
        for (List<String> row : rows) {
            byte[] input = vector(Integer.parseInt(row.get(0)));
            assertThat(String.format("0x%016x", Hash64.hash(input, 0, input.length)))
                    .as("length=%s", row.get(0))
                    .isEqualTo(row.get(1));
        }
    }

    @Test
    void documentListsTheHashesOfItsSpecialInputs() {
        List<List<String>> rows = FormatDocument.read("hash.md").tableUnder("Special inputs");
        assertThat(rows).hasSizeGreaterThan(8);
        for (List<String> row : rows) {
            byte[] input = FormatDocument.fromHex(row.get(0));
            assertThat(String.format("0x%016x", Hash64.hash(input, 0, input.length)))
                    .as("input=%s", row.get(0))
                    .isEqualTo(row.get(1));
        }
    }

    @Test
    void equalsTheDefinitionForEachLength() {
        Random random = new Random(1);
        for (int length = 0; length <= LENGTH_MAX; length++) {
            byte[] input = new byte[length];
            random.nextBytes(input);
            assertThat(Hash64.hash(input, 0, length)).isEqualTo(new Definition(input).hash());
        }
    }

    @Test
    void offHeapEqualsHeapForEachLengthAtEachAlignment() {
        Random random = new Random(2);
        byte[] heap = new byte[LENGTH_MAX + 16];
        random.nextBytes(heap);
        OffHeapMemory memory = OffHeapMemory.wrap(ByteBuffer.allocateDirect(heap.length));
        memory.putBytes(0, heap, 0, heap.length);
        BytesView view = new BytesView();
        for (int length = 0; length <= LENGTH_MAX; length++) {
            for (int offset = 0; offset < 16; offset++) {
                long hash = Hash64.hash(heap, offset, length);
                byte[] copy = Arrays.copyOfRange(heap, offset, offset + length);
                assertThat(Hash64.hash(memory, offset, length)).isEqualTo(hash);
                assertThat(Hash64.hash(view.wrap(memory, offset, length))).isEqualTo(hash);
                assertThat(Hash64.hash(copy, 0, length)).isEqualTo(hash);
            }
        }
    }

    @Test
    void rangeOutsideTheBytesIsRefused() {
        byte[] bytes = new byte[8];
        assertThatThrownBy(() -> Hash64.hash(bytes, 1, 8))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Hash64.hash(bytes, 0, -1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        OffHeapMemory memory = OffHeapMemory.wrap(ByteBuffer.allocateDirect(8));
        for (int length : new int[] {1, 4, 8, 17, 49}) {
            assertThatThrownBy(() -> Hash64.hash(memory, 8, length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    /** A factor of zero in a product must not swallow the bytes of the other factor. */
    @Test
    void prefixThatCancelsAFactorKeepsTheRestOfTheKey() {
        for (int length : new int[] {16, 32, 48, 64, 80, 96, 144}) {
            for (long zero : new long[] {P1, SEED_STATE}) {
                for (int at = 0; at + 16 <= length; at += 8) {
                    Set<Long> hashes = new HashSet<>();
                    for (int i = 0; i < 1000; i++) {
                        ByteBuffer key =
                                ByteBuffer.allocate(length)
                                        .order(ByteOrder.LITTLE_ENDIAN)
                                        .putLong(at, zero)
                                        .putLong(at == 0 ? 8 : at - 8, i);
                        hashes.add(Hash64.hash(key.array(), 0, length));
                    }
                    assertThat(hashes).as("length=%s at=%s", length, at).hasSize(1000);
                }
            }
        }
    }

    /** The two factors of an eight-byte key are the key itself under two masks. */
    @Test
    void exchangedFactorsDoNotCollide() {
        Random random = new Random(3);
        for (int i = 0; i < 1000; i++) {
            long key = random.nextLong();
            assertThat(hashOfLongs(key)).isNotEqualTo(hashOfLongs(key ^ P1 ^ SEED_STATE));
            long other = random.nextLong();
            assertThat(hashOfLongs(key, other))
                    .isNotEqualTo(hashOfLongs(other ^ P1 ^ SEED_STATE, key ^ P1 ^ SEED_STATE));
        }
    }

    @Test
    void lengthsOfOneRepeatedByteDiffer() {
        for (int value : new int[] {0, 1, 0x80, 0xff}) {
            byte[] bytes = new byte[4096];
            Arrays.fill(bytes, (byte) value);
            Set<Long> hashes = new HashSet<>();
            for (int length = 0; length <= bytes.length; length++) {
                hashes.add(Hash64.hash(bytes, 0, length));
            }
            assertThat(hashes).hasSize(bytes.length + 1);
        }
    }

    @Test
    void keysOfUpToThreeBytesNeverCollide() {
        long[] hashes = new long[1 + (1 << 8) + (1 << 16) + (1 << 20)];
        int count = 1;
        byte[] key = new byte[3];
        hashes[0] = Hash64.hash(key, 0, 0);
        for (int length = 1; length <= 3; length++) {
            // For three bytes every sixteenth: all 2^24 are too many for a quick test.
            int step = length == 3 ? 16 : 1;
            for (int i = 0; i < 1 << (8 * length); i += step) {
                key[0] = (byte) i;
                key[1] = (byte) (i >>> 8);
                key[2] = (byte) (i >>> 16);
                hashes[count++] = Hash64.hash(key, 0, length);
            }
        }
        assertThat(count).isEqualTo(hashes.length);
        assertThat(duplicates(hashes)).isZero();
    }

    /** Each input bit flips each output bit with a probability of a half. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 32, 33, 48, 49, 64, 97, 150})
    void eachInputBitAvalanches(int length) {
        int samples = 4000;
        Random random = new Random(length);
        int[][] flips = new int[length * 8][64];
        byte[] key = new byte[length];
        for (int sample = 0; sample < samples; sample++) {
            random.nextBytes(key);
            long hash = Hash64.hash(key, 0, length);
            for (int bit = 0; bit < length * 8; bit++) {
                key[bit >>> 3] ^= (byte) (1 << (bit & 7));
                countBits(hash ^ Hash64.hash(key, 0, length), flips[bit]);
                key[bit >>> 3] ^= (byte) (1 << (bit & 7));
            }
        }
        // Of up to 76,800 fair coins none is 6.3 deviations away. One byte has 128 pairs of keys.
        double deviation = 0.5 / Math.sqrt(length == 1 ? 128 : samples);
        double worst = 0;
        for (int[] outputs : flips) {
            for (int count : outputs) {
                worst = Math.max(worst, Math.abs(count / (double) samples - 0.5));
            }
        }
        assertThat(worst).isLessThan(6.3 * deviation);
    }

    @ParameterizedTest
    @EnumSource(Keys.class)
    void countersCollideNoMoreThanRandomNumbers(Keys keys) {
        int count = 1 << 20;
        long[] hashes = keys.hashes(count);
        assertThat(duplicates(hashes)).as("all 64 bits").isZero();
        // n^2 / 2^33 = 128 pairs are expected in 32 bits, with a deviation of 11.3.
        long[] low = Arrays.stream(hashes).map(hash -> hash & 0xffffffffL).toArray();
        assertThat(duplicates(low)).as("low 32 bits").isBetween(60, 200);
        long[] high = Arrays.stream(hashes).map(hash -> hash >>> 32).toArray();
        assertThat(duplicates(high)).as("high 32 bits").isBetween(60, 200);
    }

    @ParameterizedTest
    @EnumSource(Keys.class)
    void countersSpreadEvenlyOverLowAndHighBits(Keys keys) {
        int bits = 20;
        long[] hashes = keys.hashes(1 << 22);
        int[] low = new int[1 << bits];
        int[] high = new int[1 << bits];
        for (long hash : hashes) {
            low[(int) hash & ((1 << bits) - 1)]++;
            high[(int) (hash >>> (64 - bits))]++;
        }
        assertThat(chiSquaredDeviations(low, hashes.length)).as("low bits").isBetween(-6.0, 6.0);
        assertThat(chiSquaredDeviations(high, hashes.length)).as("high bits").isBetween(-6.0, 6.0);
    }

    /** Bucket choice takes the hash modulo small numbers that are no powers of two. */
    @ParameterizedTest
    @ValueSource(ints = {3, 5, 7, 10, 12, 100, 1000})
    void countersSpreadEvenlyOverBuckets(int buckets) {
        for (Keys keys : Keys.values()) {
            long[] hashes = keys.hashes(1 << 18);
            int[] counts = new int[buckets];
            for (long hash : hashes) {
                counts[(int) Long.remainderUnsigned(hash, buckets)]++;
            }
            assertThat(chiSquaredDeviations(counts, hashes.length)).as("%s", keys).isLessThan(6);
        }
    }

    /** Returns how many standard deviations the chi-squared of the counts is off its mean. */
    private static double chiSquaredDeviations(int[] counts, int total) {
        double expected = total / (double) counts.length;
        double chiSquared = 0;
        for (int count : counts) {
            chiSquared += (count - expected) * (count - expected) / expected;
        }
        double freedom = counts.length - 1;
        return (chiSquared - freedom) / Math.sqrt(2 * freedom);
    }

    private static int duplicates(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        int duplicates = 0;
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] == sorted[i - 1]) {
                duplicates++;
            }
        }
        return duplicates;
    }

    private static void countBits(long bits, int[] counts) {
        for (int i = 0; i < 64; i++) {
            counts[i] += (int) (bits >>> i) & 1;
        }
    }

    private static long hashOfLongs(long... values) {
        ByteBuffer key = ByteBuffer.allocate(8 * values.length);
        key.order(ByteOrder.LITTLE_ENDIAN);
        for (long value : values) {
            key.putLong(value);
        }
        return Hash64.hash(key.array(), 0, key.capacity());
    }

    /** Builds the input of a length as the document defines it. */
    private static byte[] vector(int length) {
        byte[] input = new byte[length];
        for (int i = 0; i < length; i++) {
            input[i] = (byte) (7 * i + length);
        }
        return input;
    }

    /** The definition of docs/formats/hash.md word by word, on big integers. */
    private static final class Definition {
        private static final BigInteger M64 = BigInteger.ONE.shiftLeft(64);
        private static final BigInteger[] P = {
            hex("a0761d6478bd642f"),
            hex("e7037ed1a0b428db"),
            hex("8ebc6af09c88c6e3"),
            hex("589965cc75374cc3")
        };

        private final byte[] m;

        Definition(byte[] m) {
            this.m = m;
        }

        long hash() {
            int n = m.length;
            BigInteger s = hex("9e3779b97f4a7c15").xor(P[0]);
            BigInteger a = BigInteger.ZERO;
            BigInteger b = BigInteger.ZERO;
            if (n >= 1 && n <= 3) {
                byte[] packed = {m[n - 1], m[n / 2], m[0]};
                a = number(packed, 0, 3);
            } else if (n >= 4 && n <= 7) {
                a = number(m, 0, 4);
                b = number(m, n - 4, 4);
            } else if (n >= 8 && n <= 16) {
                a = number(m, 0, 8);
                b = number(m, n - 8, 8);
            } else if (n > 16) {
                int at = 0;
                if (n > 48) {
                    BigInteger[] lanes = {s, s, s};
                    for (; n - at > 48; at += 48) {
                        for (int lane = 0; lane < 3; lane++) {
                            lanes[lane] = absorb(at + 16 * lane, P[lane + 1], lanes[lane]);
                        }
                    }
                    s = lanes[0].xor(lanes[1]).xor(lanes[2]);
                }
                for (; n - at > 16; at += 16) {
                    s = absorb(at, P[1], s);
                }
                a = number(m, n - 16, 8);
                b = number(m, n - 8, 8);
            }
            a = a.xor(P[1]);
            b = b.xor(s);
            BigInteger product = a.multiply(b);
            BigInteger low = product.mod(M64).xor(a);
            BigInteger high = product.shiftRight(64).xor(b);
            return fold(low.xor(P[0]).xor(BigInteger.valueOf(n)), high.xor(P[1])).longValue();
        }

        private BigInteger absorb(int at, BigInteger p, BigInteger s) {
            return fold(number(m, at, 8).xor(p), number(m, at + 8, 8).xor(s));
        }

        private static BigInteger fold(BigInteger a, BigInteger b) {
            BigInteger product = a.multiply(b);
            return product.mod(M64).xor(product.shiftRight(64)).xor(a).xor(b);
        }

        private static BigInteger number(byte[] bytes, int at, int length) {
            BigInteger value = BigInteger.ZERO;
            for (int i = length - 1; i >= 0; i--) {
                value = value.shiftLeft(8).or(BigInteger.valueOf(bytes[at + i] & 0xff));
            }
            return value;
        }

        private static BigInteger hex(String digits) {
            return new BigInteger(digits, 16);
        }
    }
}
