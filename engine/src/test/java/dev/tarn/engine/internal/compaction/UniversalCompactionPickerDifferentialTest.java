package dev.tarn.engine.internal.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.paimon.mergetree.compact.OffPeakHours;
import org.apache.paimon.mergetree.compact.PaimonPicker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The picker beside the one of Paimon 1.3.1, on random trees and options. */
class UniversalCompactionPickerDifferentialTest {
    private static final int TREES_DEFAULT = 2_000;
    private static final int PICKS_PER_TREE = 60;

    private final long seed = Long.getLong("test.seed", System.nanoTime());
    private final int trees = Integer.getInteger("test.iterations", TREES_DEFAULT);

    /** Flushes of random size; what is picked is merged, so that the trees are those of use. */
    @Test
    void everyDecisionOnGrowingTreesIsPaimons() {
        Random random = new Random(seed);
        int pickCount = 0;
        for (int tree = 0; tree < trees; tree++) {
            Pair pair = new Pair(random);
            List<RunSize> runs = new ArrayList<>();
            long unit = 1L << random.nextInt(40);
            for (int step = 0; step < PICKS_PER_TREE; step++) {
                if (random.nextInt(4) != 0) {
                    runs.add(0, new RunSize(0, 1 + (long) (unit * random.nextDouble())));
                }
                CompactionPick pick = pair.pick(runs, "seed=" + seed + " tree=" + tree);
                // Mostly the compaction is done at once; at times it lags behind.
                if (pick != null && random.nextInt(5) != 0) {
                    merge(runs, pick, random);
                    pickCount++;
                }
            }
        }
        assertThat(pickCount).as("the trees do compact").isGreaterThan(trees);
    }

    /** Trees as no sequence of flushes and compactions makes them. */
    @Test
    void everyDecisionOnArbitraryTreesIsPaimons() {
        Random random = new Random(seed + 1);
        for (int tree = 0; tree < trees * 5; tree++) {
            Pair pair = new Pair(random);
            for (int step = 0; step < 5; step++) {
                List<RunSize> runs = arbitraryRuns(random, pair.options.maxLevel());
                String context = "seed=" + seed + " tree=" + tree;
                pair.pick(runs, context);
                pair.pickFull(runs, random.nextBoolean(), context);
            }
        }
    }

    @Test
    void everyHourOfEveryOffpeakWindowIsPaimons() {
        for (int start = -1; start < 24; start++) {
            for (int end = -1; end <= 24; end++) {
                OffPeakHours paimon = OffPeakHours.create(start, end, 7);
                UniversalCompactionOptions options =
                        UniversalCompactionOptions.builder().offpeak(start, end, 7).build();
                for (int hour = 0; hour < 24; hour++) {
                    int expected = 1 + (paimon == null ? 0 : paimon.currentRatio(hour));
                    assertThat(options.sizeRatio(hour))
                            .as("[%d, %d) at %d", start, end, hour)
                            .isEqualTo(expected);
                }
            }
        }
    }

    private static List<RunSize> arbitraryRuns(Random random, int maxLevel) {
        List<RunSize> runs = new ArrayList<>();
        int bits = 1 + random.nextInt(45);
        for (int i = random.nextInt(12); i > 0; i--) {
            runs.add(new RunSize(0, random.nextLong(1L << bits)));
        }
        for (int level = 1; level <= maxLevel; level++) {
            if (random.nextInt(3) == 0) {
                runs.add(new RunSize(level, random.nextLong(1L << bits)));
            }
        }
        return runs;
    }

    private static void merge(List<RunSize> runs, CompactionPick pick, Random random) {
        List<RunSize> inputs = runs.subList(0, pick.runCount());
        long bytes = inputs.stream().mapToLong(RunSize::sizeBytes).sum();
        // Merging drops what is overwritten.
        long left = Math.max(1, (long) (bytes * (0.5 + random.nextDouble() / 2)));
        inputs.clear();
        runs.add(0, new RunSize(pick.outputLevel(), left));
    }

    /** Our picker and Paimon's, under the same random options and the same clock. */
    private static final class Pair {
        private final UniversalCompactionOptions options;
        private final UniversalCompactionPicker ours;
        private final PaimonPicker paimons;
        private final AtomicLong nowMillis = new AtomicLong();
        private final Random random;

        Pair(Random random) {
            this.random = random;
            UniversalCompactionOptions.Builder builder = UniversalCompactionOptions.builder();
            if (random.nextBoolean()) {
                builder.compactionTrigger(1 + random.nextInt(10));
            }
            if (random.nextInt(3) == 0) {
                builder.numLevels(2 + random.nextInt(8));
            }
            if (random.nextBoolean()) {
                builder.maxSizeAmplificationPercent(random.nextInt(400));
            }
            int sizeRatio = random.nextBoolean() ? 1 : random.nextInt(120);
            builder.sizeRatio(sizeRatio);
            int offpeakRatio = random.nextInt(3) == 0 ? random.nextInt(50) : 0;
            if (offpeakRatio != 0) {
                builder.offpeak(0, 24, offpeakRatio);
            }
            if (random.nextInt(4) == 0) {
                builder.optimizationIntervalMillis(random.nextInt(100));
            }
            if (random.nextInt(4) == 0) {
                builder.totalSizeThresholdBytes(random.nextLong(1L << random.nextInt(1, 40)));
            }
            builder.forceUpLevel0(random.nextBoolean());
            if (random.nextBoolean()) {
                builder.forceUpMaxInterval(random.nextInt(12));
            }
            options = builder.build();
            ours = new UniversalCompactionPicker(options, nowMillis::get, () -> 12);
            paimons =
                    new PaimonPicker(
                            options.maxSizeAmplificationPercent(),
                            sizeRatio,
                            options.compactionTrigger(),
                            options.numLevels(),
                            orNull(options.optimizationIntervalMillis()),
                            orNull(options.totalSizeThresholdBytes()),
                            offpeakRatio == 0 ? null : OffPeakHours.create(0, 24, offpeakRatio),
                            options.forceUpLevel0(),
                            options.forceUpMaxInterval() == UniversalCompactionOptions.OFF
                                    ? null
                                    : options.forceUpMaxInterval());
        }

        @Nullable CompactionPick pick(List<RunSize> runs, String context) {
            nowMillis.addAndGet(random.nextInt(50));
            paimons.setNowMillis(nowMillis.get());
            CompactionPick pick = ours.pick(runs);
            assertThat(decision(pick))
                    .as("%s%nruns=%s%n%s", context, runs, options)
                    .isEqualTo(paimons.pick(convert(runs)).orElse(null));
            checkInvariants(runs, pick);
            return pick;
        }

        void pickFull(List<RunSize> runs, boolean rewrite, String context) {
            CompactionPick pick = ours.pickFull(runs, rewrite);
            assertThat(decision(pick))
                    .as("%s%nruns=%s%n%s", context, runs, options)
                    .isEqualTo(paimons.pickFull(convert(runs), rewrite).orElse(null));
        }

        private void checkInvariants(List<RunSize> runs, @Nullable CompactionPick pick) {
            if (pick == null) {
                return;
            }
            assertThat(pick.isFull()).isEqualTo(pick.runCount() == runs.size());
            assertThat(pick.outputLevel()).isBetween(1, options.maxLevel());
            assertThat(runs.get(pick.runCount() - 1).level())
                    .isLessThanOrEqualTo(pick.outputLevel());
            if (!pick.isFull()) {
                assertThat(runs.get(pick.runCount()).level()).isGreaterThan(pick.outputLevel());
            }
        }

        private static PaimonPicker.@Nullable Decision decision(@Nullable CompactionPick pick) {
            return pick == null
                    ? null
                    : new PaimonPicker.Decision(pick.runCount(), pick.outputLevel());
        }

        private static List<PaimonPicker.Run> convert(List<RunSize> runs) {
            return runs.stream()
                    .map(run -> new PaimonPicker.Run(run.level(), run.sizeBytes()))
                    .toList();
        }

        private static @Nullable Long orNull(long value) {
            return value == UniversalCompactionOptions.OFF ? null : value;
        }
    }
}
