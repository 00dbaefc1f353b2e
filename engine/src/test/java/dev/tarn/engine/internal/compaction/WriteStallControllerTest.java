package dev.tarn.engine.internal.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.engine.WritesStoppedException;
import dev.tarn.engine.internal.compaction.WriteStallController.State;
import dev.tarn.memory.ClosedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WriteStallControllerTest {
    private static final long MEMTABLE = 1 << 20;
    private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(30);
    private static final WriteStallOptions OPTIONS =
            new WriteStallOptions(5, 8, MEMTABLE, 512L << 20, 8L << 20, TIMEOUT);

    private final ManualTime time = new ManualTime();
    private final WriteStallController controller = new WriteStallController(OPTIONS, time);

    @Test
    void fewRunsHoldNobodyBack() {
        long start = time.nanoTime();
        controller.update(2, 2);
        controller.beforeWrite(1L << 40);
        assertThat(controller.state()).isEqualTo(State.FREE);
        assertThat(time.nanoTime()).isEqualTo(start);
    }

    @Test
    void sealedMemtablesCountAsTheRunsTheyBecome() {
        controller.update(3, 2);
        assertThat(controller.state()).isEqualTo(State.DELAYED);
        controller.update(3, 5);
        assertThat(controller.state()).isEqualTo(State.STOPPED);
        controller.update(3, 1);
        assertThat(controller.state()).isEqualTo(State.FREE);
    }

    @Test
    void delayGrowsSmoothlyUpToTheStop() {
        double previous = 0;
        for (int runs = 5; runs < 8; runs++) {
            controller.update(runs, 0);
            for (int i = 0; i <= 16; i++) {
                double delay = controller.delayNanosPerByte();
                assertThat(delay).isGreaterThanOrEqualTo(previous * 0.9999);
                if (previous != 0) {
                    assertThat(delay).as("no cliff").isLessThan(previous * 1.2);
                }
                previous = delay;
                if (i < 16) {
                    controller.beforeWrite(MEMTABLE / 16);
                }
            }
        }
        assertThat(previous).as("the smallest rate").isBetween(1e9 / (9 << 20), 1e9 / (8 << 20));
    }

    @Test
    void delaysAreSleptInShortQuanta() {
        controller.update(7, 0);
        long start = time.nanoTime();
        for (int i = 0; i < 1000; i++) {
            controller.beforeWrite(1000);
        }
        double rate = 1_000_000 / ((time.nanoTime() - start) / 1e9);
        assertThat(rate).isBetween((double) (8 << 20), (double) (40 << 20));
        assertThat(time.parksNanos())
                .isNotEmpty()
                .allMatch(nanos -> nanos <= WriteStallController.QUANTUM_NANOS);
        assertThat(controller.delayedNanos()).isEqualTo(time.nanoTime() - start);
    }

    @Test
    void delayEndsWhenItsCauseDoes() {
        controller.update(7, 0);
        time.onWait(() -> controller.update(1, 0));
        controller.beforeWrite(1L << 30);
        assertThat(time.parksNanos()).hasSize(1);
        assertThat(controller.state()).isEqualTo(State.FREE);
    }

    @Test
    void oversleepingIsGivenBack() {
        controller.update(6, 0);
        time.onWait(() -> time.advance(100_000));
        long start = time.nanoTime();
        for (int i = 0; i < 1000; i++) {
            controller.beforeWrite(100_000);
            controller.update(6, 0);
        }
        double exact = 1000 * 100_000 * controller.delayNanosPerByte();
        assertThat((double) (time.nanoTime() - start)).isLessThan(exact * 1.3);
    }

    @Test
    void stoppedWriterGoesOnWithFewerRuns() {
        controller.update(8, 0);
        int[] waits = {0};
        time.onWait(
                () -> {
                    if (++waits[0] == 3) {
                        controller.update(4, 0);
                    } else {
                        controller.noteProgress();
                    }
                });
        controller.beforeWrite(1);
        assertThat(waits[0]).isEqualTo(3);
        assertThat(controller.stopCount()).isEqualTo(1);
        assertThat(controller.stoppedNanos()).isPositive();
    }

    @Test
    void failedCompactionReachesTheWaitingWriterAsTheCause() {
        controller.update(8, 0);
        IOException cause = new IOException("disk is gone");
        time.onWait(() -> controller.fail(cause));
        assertThatThrownBy(() -> controller.beforeWrite(1))
                .isInstanceOf(WritesStoppedException.class)
                .hasMessageContaining("disk is gone")
                .hasCause(cause);
        assertThatThrownBy(() -> controller.beforeWrite(1)).hasCause(cause);
    }

    @Test
    void failureStopsWritersEvenWithFewRuns() {
        controller.update(1, 0);
        controller.fail(new IOException("first"));
        controller.fail(new IOException("second"));
        assertThatThrownBy(() -> controller.beforeWrite(1)).hasMessageContaining("first");
        controller.clearFailure();
        controller.beforeWrite(1);
        assertThat(controller.state()).isEqualTo(State.FREE);
    }

    @Test
    void noProgressWithinTheTimeoutIsAnError() {
        controller.update(8, 0);
        long start = time.nanoTime();
        assertThatThrownBy(() -> controller.beforeWrite(1))
                .isInstanceOf(WritesStoppedException.class)
                .hasMessageContaining("no progress")
                .hasMessageContaining("runCount=8 stopTrigger=8");
        assertThat(time.nanoTime() - start).isEqualTo(TIMEOUT);
    }

    @Test
    void closeReleasesStoppedWriters() {
        controller.update(8, 0);
        time.onWait(controller::close);
        assertThatThrownBy(() -> controller.beforeWrite(1)).isInstanceOf(ClosedException.class);
    }

    @Test
    void interruptReleasesStoppedWriterAndStaysSet() throws InterruptedException {
        WriteStallController real = new WriteStallController(OPTIONS, TimeSource.SYSTEM);
        real.update(8, 0);
        boolean[] interrupted = {false};
        @Nullable Throwable[] thrown = {null};
        Thread writer =
                new Thread(
                        () -> {
                            try {
                                real.beforeWrite(1);
                            } catch (WritesStoppedException e) {
                                thrown[0] = e;
                                interrupted[0] = Thread.currentThread().isInterrupted();
                            }
                        });
        writer.start();
        while (real.stopCount() == 0) {
            Thread.onSpinWait();
        }
        writer.interrupt();
        writer.join();
        assertThat(thrown[0]).isInstanceOf(WritesStoppedException.class);
        assertThat(interrupted[0]).isTrue();
    }

    @Test
    void allStoppedThreadsAreReleasedTogether() throws InterruptedException {
        WriteStallController real = new WriteStallController(OPTIONS, TimeSource.SYSTEM);
        real.update(8, 0);
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            writers.add(new Thread(() -> real.beforeWrite(1)));
        }
        writers.forEach(Thread::start);
        while (real.stopCount() < writers.size()) {
            Thread.onSpinWait();
        }
        real.update(4, 0);
        for (Thread writer : writers) {
            writer.join();
        }
    }

    @Test
    void equalTriggersLeaveRoomForTheRunThatStartsTheCompaction() {
        WriteStallOptions options =
                new WriteStallOptions(5, 5, MEMTABLE, 512L << 20, 8L << 20, TIMEOUT);
        assertThat(options.stopTrigger()).isEqualTo(6);
    }

    /**
     * Writer, flushes and compactions in random order: the runs never exceed the stop trigger, and
     * whenever the writer is stopped there is something to flush or to pick, so it never hangs.
     */
    @Test
    void stopTriggerIsNeverExceededAndNeverHangs() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            new Simulation(random, "seed=" + seed + " round=" + round).run();
        }
    }

    private static final class Simulation {
        private final Random random;
        private final String context;
        private final ManualTime time = new ManualTime();
        private final UniversalCompactionOptions options;
        private final UniversalCompactionPicker picker;
        private final WriteStallController controller;
        private final List<RunSize> runs = new ArrayList<>();
        private int sealedCount;

        Simulation(Random random, String context) {
            this.random = random;
            this.context = context;
            options =
                    UniversalCompactionOptions.builder()
                            .compactionTrigger(1 + random.nextInt(8))
                            .stopTrigger(random.nextInt(14))
                            .sizeRatio(random.nextInt(50))
                            .build();
            picker = new UniversalCompactionPicker(options, time::nanoTime, () -> 0);
            controller = new WriteStallController(WriteStallOptions.of(options, MEMTABLE), time);
            time.onWait(this::work);
        }

        void run() {
            int stop = Math.max(options.stopTrigger(), options.compactionTrigger() + 1);
            for (int i = 0; i < 200; i++) {
                controller.beforeWrite(MEMTABLE);
                sealedCount++;
                update();
                assertThat(runs.size() + sealedCount).as(context).isLessThanOrEqualTo(stop);
                if (random.nextInt(3) == 0) {
                    work();
                }
            }
        }

        private void work() {
            if (sealedCount > 0 && random.nextBoolean()) {
                sealedCount--;
                runs.add(0, new RunSize(0, 1 + random.nextInt((int) MEMTABLE)));
            } else {
                CompactionPick pick = picker.pick(runs);
                if (pick == null) {
                    assertThat(controller.state() == State.STOPPED && sealedCount == 0)
                            .as("%s: stopped for ever: %s", context, runs)
                            .isFalse();
                    return;
                }
                List<RunSize> inputs = runs.subList(0, pick.runCount());
                long bytes = inputs.stream().mapToLong(RunSize::sizeBytes).sum();
                inputs.clear();
                runs.add(0, new RunSize(pick.outputLevel(), bytes));
            }
            update();
        }

        private void update() {
            controller.update(runs.size(), sealedCount);
        }
    }
}
