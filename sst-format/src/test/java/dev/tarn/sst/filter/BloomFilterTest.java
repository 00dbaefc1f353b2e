package dev.tarn.sst.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tarn.codec.Hash64;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class BloomFilterTest {
    private static final int KEY_COUNT = 500_000;

    private static long hash(long number, OffHeapMemory scratch) {
        scratch.putLong(0, number);
        return Hash64.hash(scratch, 0, Long.BYTES);
    }

    /** The probes' own error is 3 % at most, so 10 % leaves room for nothing but the formula. */
    @ParameterizedTest
    @ValueSource(doubles = {4, 8, 10, 12.5, 14})
    void measuredRateIsThatOfTheFormula(double bitsPerKey) {
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        try (BloomFilterBuilder builder =
                        new BloomFilterBuilder(accountant, bitsPerKey, Integer.MAX_VALUE);
                MemoryRegion scratchRegion =
                        MemoryRegion.allocate(accountant, MemoryPurpose.IO_BUFFER, 8, 8)) {
            OffHeapMemory scratch = scratchRegion.memory();
            for (int i = 0; i < KEY_COUNT; i++) {
                assertThat(builder.reserve(1)).isTrue();
                builder.add(hash(i, scratch));
            }
            int lineCount = builder.lineCount();
            try (MemoryRegion region =
                    MemoryRegion.allocate(
                            accountant,
                            MemoryPurpose.FILTER,
                            (long) lineCount * BloomFilterMath.LINE_BYTES,
                            64)) {
                builder.finish(region.memory(), 0);
                BloomFilterReader filter =
                        new BloomFilterReader(region.memory(), lineCount, builder.probeCount());
                for (int i = 0; i < KEY_COUNT; i++) {
                    if (!filter.mayContain(hash(i, scratch))) {
                        throw new AssertionError("filter denies a key: number=" + i);
                    }
                }
                double expected =
                        BloomFilterMath.falsePositiveRate(bitsPerKey, builder.probeCount());
                long probes = (long) (1200 / expected);
                long positives = 0;
                for (long i = 0; i < probes; i++) {
                    if (filter.mayContain(hash(KEY_COUNT + i, scratch))) {
                        positives++;
                    }
                }
                assertThat(positives / (double) probes).isBetween(expected * 0.9, expected * 1.1);
            }
        }
    }

    /** Values computed apart from this code. */
    @ParameterizedTest
    @CsvSource({"8, 5, 0.0231", "10, 6, 0.00957", "12, 8, 0.00407", "16, 9, 0.00083"})
    void formulaGivesKnownRates(double bitsPerKey, int probeCount, double rate) {
        assertThat(BloomFilterMath.falsePositiveRate(bitsPerKey, probeCount))
                .isCloseTo(rate, within(rate * 0.01));
    }

    @Test
    void probeCountIsTheBest() {
        for (double bits = 2; bits <= 24; bits += 0.5) {
            int best = BloomFilterMath.probeCount(bits);
            double rate = BloomFilterMath.falsePositiveRate(bits, best);
            for (int other = 1; other <= BloomFilterMath.PROBE_COUNT_MAX; other++) {
                assertThat(BloomFilterMath.falsePositiveRate(bits, other))
                        .isGreaterThanOrEqualTo(rate);
            }
        }
    }

    @Test
    void bitsPerKeyAreTheFewestForARate() {
        double bits = BloomFilterMath.bitsPerKey(0.01, 32);
        assertThat(bits).isEqualTo(10);
        assertThat(BloomFilterMath.bitsPerKey(1e-9, 32)).isEqualTo(32);
    }

    @Test
    void fullBuilderAsksToBeWritten() {
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        try (BloomFilterBuilder builder = new BloomFilterBuilder(accountant, 10, 3)) {
            for (int i = 0; i < 3; i++) {
                assertThat(builder.reserve(1)).isTrue();
                builder.add(i);
            }
            assertThat(builder.reserve(1)).isFalse();
            byte[] lines = new byte[builder.lineCount() * BloomFilterMath.LINE_BYTES];
            builder.finish(OffHeapMemory.wrap(lines), 0);
            assertThat(builder.keyCount()).isZero();
            // An empty builder takes even more than it should hold.
            assertThat(builder.reserve(10)).isTrue();
        }
    }

    @Test
    void shortBudgetEndsTheFilterEarly() {
        MemoryAccountant accountant = new MemoryAccountant(600_000);
        try (BloomFilterBuilder builder = new BloomFilterBuilder(accountant, 10, 1 << 20)) {
            int added = 0;
            while (builder.reserve(1)) {
                builder.add(added++);
            }
            assertThat(added).isEqualTo(1 << 16);
        }
        assertThat(accountant.reservedBytes()).isZero();
    }
}
