package dev.tarn.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.codec.Hash64;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyGeneratorTest {
    @Test
    void collidingKeysDifferAndShareOneHash() {
        KeyGenerator keys = KeyGenerator.collidingHashes(new RandomSource(1));
        Set<ByteBuffer> distinct = new HashSet<>();
        Set<Long> hashes = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            byte[] key = keys.next();
            distinct.add(ByteBuffer.wrap(key));
            hashes.add(Hash64.hash(key, 0, key.length));
        }
        assertThat(distinct.size()).isGreaterThan(80);
        assertThat(hashes).hasSize(1);
    }

    @Test
    void adversarialKeysCoverEmptyLongestAndRuns() {
        KeyGenerator keys = KeyGenerator.adversarial(new RandomSource(2), 1 << 16);
        Set<ByteBuffer> seen = new HashSet<>();
        int longest = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] key = keys.next();
            longest = Math.max(longest, key.length);
            if (key.length <= 20) {
                seen.add(ByteBuffer.wrap(key));
            }
        }
        assertThat(longest).isEqualTo(1 << 16);
        assertThat(seen)
                .contains(
                        ByteBuffer.wrap(new byte[0]),
                        ByteBuffer.wrap(new byte[8]),
                        ByteBuffer.wrap(new byte[9]),
                        ByteBuffer.allocate(8).putLong(0, -1L));
    }

    @Test
    void zipfDrawsFewKeysOften() {
        KeyGenerator keys = KeyGenerator.zipf(new RandomSource(3), 1000, 1.0, 12);
        Map<ByteBuffer, Integer> counts = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            counts.merge(ByteBuffer.wrap(keys.next()), 1, Integer::sum);
        }
        // The first of 1000 has 1 / H(1000), 13.4 percent.
        int most = counts.values().stream().mapToInt(i -> i).max().orElse(0);
        assertThat(most).isBetween(2200, 3200);
        assertThat(counts.size()).isBetween(700, 1000);
    }

    @Test
    void equalPrefixesAreEqualAndSuffixesVary() {
        KeyGenerator keys = KeyGenerator.equalPrefix8(new RandomSource(4), 10);
        Set<Long> prefixes = new HashSet<>();
        Set<ByteBuffer> distinct = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            byte[] key = keys.next();
            assertThat(key.length).isBetween(8, 18);
            prefixes.add(ByteBuffer.wrap(key).getLong());
            distinct.add(ByteBuffer.wrap(key));
        }
        assertThat(prefixes).hasSize(1);
        assertThat(distinct.size()).isGreaterThan(500);
    }
}
