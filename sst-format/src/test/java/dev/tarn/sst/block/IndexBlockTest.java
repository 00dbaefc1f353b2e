package dev.tarn.sst.block;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.KeyGenerator;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class IndexBlockTest {
    @Test
    void searchesAgreeWithALinearOneWithAndWithoutModel() {
        Seeds.run(300, IndexBlockTest::check);
    }

    private static void check(RandomSource random) {
        List<byte[]> separators = new ArrayList<>();
        KeyGenerator keys =
                switch (random.between(0, 5)) {
                    case 0 -> KeyGenerator.fixedLength(random, 8);
                    case 1 -> KeyGenerator.ascending();
                    case 2 -> KeyGenerator.variable(random, 0, 4);
                    case 3 -> KeyGenerator.equalPrefix8(random, 4);
                    default -> KeyGenerator.sharedPrefixes(random, 3, 12, 10);
                };
        int count = 1 + random.skewed(600);
        for (int i = 0; i < count; i++) {
            separators.add(keys.next());
        }
        separators.sort(Arrays::compareUnsigned);
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        try (IndexBlockBuilder builder = new IndexBlockBuilder(accountant);
                ScratchBuffer target = new ScratchBuffer(accountant, MemoryPurpose.INDEX, 64)) {
            for (int i = 0; i < count; i++) {
                byte[] separator = separators.get(i);
                builder.add(
                        7 + i,
                        1000L + 100L * i,
                        100,
                        200 + i,
                        OffHeapMemory.wrap(separator),
                        0,
                        separator.length);
            }
            int length = builder.finish(target, 0);
            assertThat(IndexBlock.check(target.memory(), 0, length)).isNull();
            IndexBlock plain = new IndexBlock().wrap(target.memory(), 0);
            IndexBlock modelled = new IndexBlock().wrap(target.memory(), 0).fitModel();
            assertThat(plain.blockCount()).isEqualTo(count);
            assertThat(plain.storedLength(count - 1)).isEqualTo(100);
            checkSearches(random, separators, keys, plain, modelled);
        }
    }

    private static void checkSearches(
            RandomSource random,
            List<byte[]> separators,
            KeyGenerator keys,
            IndexBlock plain,
            IndexBlock modelled) {
        List<byte[]> targets = new ArrayList<>(separators);
        for (int i = 0; i < 200; i++) {
            targets.add(keys.next());
            targets.add(random.bytes(random.between(0, 20)));
        }
        targets.sort(Arrays::compareUnsigned);
        int finger = 0;
        for (byte[] target : targets) {
            int expected = 0;
            while (expected < separators.size()
                    && Arrays.compareUnsigned(separators.get(expected), target) < 0) {
                expected++;
            }
            OffHeapMemory key = OffHeapMemory.wrap(target);
            assertThat(plain.find(key, 0, target.length)).isEqualTo(expected);
            assertThat(modelled.find(key, 0, target.length)).isEqualTo(expected);
            assertThat(plain.findFrom(finger, key, 0, target.length)).isEqualTo(expected);
            assertThat(modelled.findFrom(finger, key, 0, target.length)).isEqualTo(expected);
            if (expected < separators.size()) {
                assertThat(plain.separatorEquals(expected, key, 0, target.length))
                        .isEqualTo(Arrays.equals(separators.get(expected), target));
            }
            if (random.oneIn(3)) {
                finger = expected;
            }
        }
    }
}
