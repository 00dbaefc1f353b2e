package dev.tarn.sst.block;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class KeyPrefixTest {
    private static byte[] shortKey(RandomSource random) {
        byte[] key = new byte[random.between(0, 12)];
        for (int i = 0; i < key.length; i++) {
            key[i] = random.pick((byte) 0, (byte) 1, (byte) 0x7f, (byte) 0xfe, (byte) 0xff);
        }
        return key;
    }

    @Test
    void prefixesOrderAsKeysDo() {
        Seeds.run(
                2000,
                random -> {
                    byte[] a = shortKey(random);
                    byte[] b = shortKey(random);
                    int skipped = Math.min(random.between(0, 4), Arrays.mismatch(a, b));
                    if (skipped < 0) {
                        return;
                    }
                    long prefixA = KeyPrefix.at(OffHeapMemory.wrap(a), 0, a.length, skipped);
                    long prefixB = KeyPrefix.at(OffHeapMemory.wrap(b), 0, b.length, skipped);
                    if (Arrays.compareUnsigned(a, b) < 0) {
                        assertThat(Long.compareUnsigned(prefixA, prefixB)).isLessThanOrEqualTo(0);
                    } else {
                        assertThat(Long.compareUnsigned(prefixA, prefixB))
                                .isGreaterThanOrEqualTo(0);
                    }
                });
    }

    @Test
    void separatorLiesBetweenAndIsNoLonger() {
        Seeds.run(
                5000,
                random -> {
                    byte[] lower = shortKey(random);
                    byte[] upper = shortKey(random);
                    if (Arrays.compareUnsigned(lower, upper) >= 0) {
                        return;
                    }
                    byte[] spoilt = lower.clone();
                    int length =
                            KeyPrefix.shortenSeparator(
                                    OffHeapMemory.wrap(spoilt),
                                    0,
                                    spoilt.length,
                                    OffHeapMemory.wrap(upper),
                                    0,
                                    upper.length);
                    byte[] separator = Arrays.copyOf(spoilt, length);
                    assertThat(length).isLessThanOrEqualTo(lower.length);
                    assertThat(Arrays.compareUnsigned(separator, lower)).isGreaterThanOrEqualTo(0);
                    assertThat(Arrays.compareUnsigned(separator, upper)).isLessThan(0);
                });
    }
}
