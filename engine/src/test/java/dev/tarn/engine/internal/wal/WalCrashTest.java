package dev.tarn.engine.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.testing.CrashPoints;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.FaultyFileSystem.Crash;
import dev.tarn.testing.FileCall.Operation;
import dev.tarn.testing.FileFault;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WalCrashTest {
    private final MemoryAccountant accountant = MemoryAccountant.unlimited();

    @AfterEach
    void memoryIsGivenBack() {
        assertThat(accountant.reservedBytes()).isZero();
    }

    /** What a run has been told, for the checks after its crash. */
    private static final class Told {
        final List<String> written = new ArrayList<>();
        int acknowledged;
        int durable;
    }

    @Test
    void everyAcknowledgedWriteSurvivesACrashAtAnyCall() {
        crashEverywhere(WalOptions.everyWrite(), 3);
    }

    @Test
    void intervalLosesAnEndOnly() {
        crashEverywhere(WalOptions.interval(5), 10);
    }

    @Test
    void withoutSyncsAnEndIsLostOnly() {
        crashEverywhere(WalOptions.never(), 10);
    }

    private void crashEverywhere(WalOptions options, int tornCount) {
        Seeds.run(
                2,
                random -> {
                    long seed = random.nextLong();
                    Told told = new Told();
                    long points =
                            CrashPoints.forEach(
                                    random.split(),
                                    tornCount,
                                    files -> {
                                        told.written.clear();
                                        told.acknowledged = 0;
                                        told.durable = 0;
                                        scenario(files, options, seed, told);
                                    },
                                    (survivors, completed) -> check(survivors, told));
                    assertThat(points).isGreaterThan(30);
                });
    }

    private void scenario(FileSystem files, WalOptions options, long seed, Told told)
            throws IOException {
        RandomSource random = new RandomSource(seed);
        AtomicLong sequence = new AtomicLong();
        AtomicLong nanos = new AtomicLong();
        TestBatch batch = new TestBatch();
        try (WalWriter writer =
                new WalWriter(files, options, 1, 0, accountant, nanos::incrementAndGet, sequence)) {
            for (int i = 0; i < 40; i++) {
                String[] keys = new String[random.between(1, 5)];
                for (int k = 0; k < keys.length; k++) {
                    // Longer than a sector, at times.
                    keys[k] = "key" + i + "-" + k + "x".repeat(random.skewed(600));
                }
                told.written.add((sequence.get() + 1) + ":" + String.join(",", keys));
                writer.append(batch.of(keys));
                told.acknowledged = told.written.size();
                if (options.sync() == WalOptions.Sync.EVERY_WRITE) {
                    told.durable = told.acknowledged;
                }
                if (random.oneIn(8)) {
                    writer.rotate();
                }
                if (random.oneIn(12)) {
                    writer.sync();
                    told.durable = told.acknowledged;
                }
            }
        }
    }

    private void check(FaultyFileSystem survivors, Told told) throws IOException {
        List<String> read = new ArrayList<>();
        WalReplay.Result result =
                WalReplay.replay(
                        survivors, 1, accountant, batch -> read.add(TestBatch.show(batch)));
        assertThat(read.size()).isBetween(told.durable, told.written.size());
        assertThat(read).isEqualTo(told.written.subList(0, read.size()));
        assertNextStartGoesOn(survivors, read, result);
    }

    /** What was read once is there for good, and new logs come behind it. */
    private void assertNextStartGoesOn(
            FaultyFileSystem survivors, List<String> read, WalReplay.Result result)
            throws IOException {
        try (WalWriter writer =
                new WalWriter(
                        survivors,
                        WalOptions.everyWrite(),
                        result.nextLogNumber(),
                        result.appendedBatches(),
                        accountant,
                        () -> 0,
                        new AtomicLong(result.lastSequence()))) {
            writer.append(new TestBatch().of("afterwards"));
        }
        FaultyFileSystem again = survivors.crash(Crash.UNSYNCED_LOST, new RandomSource(1));
        List<String> expected = new ArrayList<>(read);
        expected.add((result.lastSequence() + 1) + ":afterwards");
        assertThat(TestBatch.replay(again, accountant)).isEqualTo(expected);
    }

    /**
     * Each write or sync may fail, at times for good; no durable batch is lost by it, and what an
     * interval loses is not taken for damage.
     */
    @Test
    void failuresAndRotationsLoseNothingThatWasAcknowledged() {
        Seeds.run(
                200,
                random -> {
                    FaultyFileSystem files = new FaultyFileSystem();
                    List<String> acknowledged = new ArrayList<>();
                    List<String> uncertain = new ArrayList<>();
                    boolean everyWrite = random.nextBoolean();
                    AtomicLong nanos = new AtomicLong();
                    try (WalWriter writer =
                            new WalWriter(
                                    files,
                                    everyWrite ? WalOptions.everyWrite() : WalOptions.interval(6),
                                    1,
                                    0,
                                    accountant,
                                    nanos::incrementAndGet,
                                    new AtomicLong())) {
                        files.fail(
                                call -> call.operation() == Operation.SYNC && random.oneIn(10),
                                FileFault.failedSyncThatDrops());
                        files.fail(
                                call -> call.operation() == Operation.WRITE && random.oneIn(20),
                                FileFault.failure());
                        for (int i = 0; i < 100; i++) {
                            String name = "key" + i;
                            WriteBatchBuffer batch = new TestBatch().of(name);
                            try {
                                acknowledged.add(writer.append(batch) + ":" + name);
                            } catch (IOException e) {
                                uncertain.add(batch.firstSequence() + ":" + name);
                                tryRotate(writer);
                            }
                        }
                        files.heal();
                    } catch (IOException e) {
                        // The last rotation may have failed: then closing says so.
                        assertThat(e).hasStackTraceContaining("injected");
                    }
                    List<String> read =
                            TestBatch.replay(files.crash(Crash.UNSYNCED_TORN, random), accountant);
                    if (everyWrite) {
                        assertThat(read).containsSubsequence(acknowledged);
                    }
                    read.removeAll(acknowledged);
                    assertThat(uncertain).containsAll(read);
                });
    }

    private static void tryRotate(WalWriter writer) {
        try {
            writer.rotate();
        } catch (IOException e) {
            assertThat(e).hasStackTraceContaining("injected");
        }
    }

    /** Many threads, a crash at some call: the same promises. */
    @Test
    void acknowledgedWritesOfManyThreadsSurvive() {
        Seeds.run(
                40,
                random -> {
                    FaultyFileSystem files = new FaultyFileSystem();
                    files.crashAtChange(random.between(3, 150));
                    List<String> acknowledged = Collections.synchronizedList(new ArrayList<>());
                    List<Thread> threads = new ArrayList<>();
                    WalWriter writer =
                            new WalWriter(
                                    files,
                                    new WalOptions(WalOptions.Sync.EVERY_WRITE, 0, 500),
                                    1,
                                    0,
                                    accountant,
                                    () -> 0,
                                    new AtomicLong());
                    for (int t = 0; t < 6; t++) {
                        int thread = t;
                        threads.add(
                                new Thread(() -> writeUntilCrash(writer, thread, acknowledged)));
                    }
                    threads.forEach(Thread::start);
                    for (Thread thread : threads) {
                        thread.join();
                    }
                    assertThat(files.isCrashed()).isTrue();
                    assertThatThrownBy(writer::close).isInstanceOf(IOException.class);
                    List<String> read =
                            TestBatch.replay(files.crash(Crash.UNSYNCED_TORN, random), accountant);
                    assertThat(read).containsAll(acknowledged);
                });
    }

    private void writeUntilCrash(WalWriter writer, int thread, List<String> acknowledged) {
        TestBatch batch = new TestBatch();
        try {
            for (int i = 0; ; i++) {
                String key = thread + "-" + i;
                long first = writer.append(batch.of(key, key + "b"));
                acknowledged.add(first + ":" + key + "," + key + "b");
                if (i % 10 == 9 && thread == 0) {
                    writer.rotate();
                }
            }
        } catch (IOException e) {
            assertThat(e).hasStackTraceContaining("crashed");
        }
    }

    @Test
    void missingDurableBatchesAreDamage() throws IOException {
        FaultyFileSystem files = new FaultyFileSystem();
        TestBatch batch = new TestBatch();
        try (WalWriter writer =
                new WalWriter(
                        files,
                        WalOptions.everyWrite(),
                        1,
                        0,
                        accountant,
                        () -> 0,
                        new AtomicLong())) {
            writer.append(batch.of("a"));
            writer.rotate();
            writer.append(batch.of("b"));
            writer.rotate();
            writer.append(batch.of("c"));
        }
        files.delete(WalFiles.name(2));
        assertThatThrownBy(() -> TestBatch.replay(files, accountant))
                .isInstanceOf(CorruptDataException.class)
                .hasMessageContaining("wal-000003.log")
                .hasMessageContaining("durableBatches=2 foundBatches=1");
    }
}
