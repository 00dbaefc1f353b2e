package dev.tarn.engine.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.FaultyFileSystem.Crash;
import dev.tarn.testing.FileCall.Operation;
import dev.tarn.testing.FileFault;
import dev.tarn.testing.RandomSource;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WalWriterTest {
    private final MemoryAccountant accountant = MemoryAccountant.unlimited();
    private final FaultyFileSystem files = new FaultyFileSystem();
    private final AtomicLong sequence = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();

    @AfterEach
    void memoryIsGivenBack() {
        assertThat(accountant.reservedBytes()).isZero();
    }

    private WalWriter open(WalOptions options) throws IOException {
        return new WalWriter(files, options, 1, 0, accountant, nanos::get, sequence);
    }

    @Test
    void batchesComeBackInOrderWithTheirSequenceNumbers() throws IOException {
        TestBatch batch = new TestBatch();
        try (WalWriter writer = open(WalOptions.everyWrite())) {
            assertThat(writer.append(batch.of("a", "b", "c"))).isEqualTo(1);
            assertThat(writer.append(batch.of("d"))).isEqualTo(4);
            assertThat(writer.lastSequence()).isEqualTo(4);
        }
        assertThat(TestBatch.replay(files, accountant)).containsExactly("1:a,b,c", "4:d");
    }

    @Test
    void oneSyncServesAllThatWaitedForIt() throws Exception {
        CountDownLatch syncing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        files.fail(
                1,
                call -> call.operation() == Operation.SYNC,
                call -> {
                    syncing.countDown();
                    await(goOn);
                });
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        try (WalWriter writer = open(WalOptions.everyWrite())) {
            List<Thread> threads = new ArrayList<>();
            threads.add(appender(writer, "first", failures));
            syncing.await();
            for (int i = 0; i < 8; i++) {
                threads.add(appender(writer, "waiting" + i, failures));
            }
            for (Thread thread : threads) {
                while (thread.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
            }
            goOn.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            assertThat(writer.batchCount()).isEqualTo(9);
            assertThat(writer.groupCount()).isEqualTo(2);
            assertThat(writer.syncCount()).isEqualTo(2);
        }
        assertThat(TestBatch.replay(files, accountant)).hasSize(9);
    }

    private Thread appender(WalWriter writer, String key, List<Throwable> failures) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                writer.append(new TestBatch().of(key));
                            } catch (IOException | RuntimeException e) {
                                failures.add(e);
                            }
                        });
        thread.start();
        return thread;
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void failedSyncIsNeverRetriedAndEndsWithANewLog() throws IOException {
        TestBatch batch = new TestBatch();
        try (WalWriter writer = open(WalOptions.everyWrite())) {
            writer.append(batch.of("kept"));
            files.fail(
                    1, call -> call.operation() == Operation.SYNC, FileFault.failedSyncThatDrops());
            assertThatThrownBy(() -> writer.append(batch.of("lost")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("wal-000001.log")
                    .hasStackTraceContaining("injected sync fault");
            long calls = files.callCount();
            assertThatThrownBy(() -> writer.append(batch.of("refused")))
                    .hasStackTraceContaining("injected sync fault");
            assertThatThrownBy(writer::sync).hasStackTraceContaining("injected sync fault");
            assertThat(files.callCount()).as("no call is made").isEqualTo(calls);
            assertThat(writer.rotate()).isEqualTo(new WalWriter.Rotation(1, 1));
            assertThat(writer.logNumber()).isEqualTo(2);
            writer.append(batch.of("new"));
        }
        FaultyFileSystem survivors = files.crash(Crash.UNSYNCED_LOST, new RandomSource(1));
        assertThat(TestBatch.replay(survivors, accountant)).containsExactly("1:kept", "3:new");
    }

    @Test
    void fullDeviceFailsEverybodyUntilThereIsSpaceForANewLog() throws IOException {
        TestBatch batch = new TestBatch();
        try (WalWriter writer = open(WalOptions.everyWrite())) {
            writer.append(batch.of("kept"));
            files.limitSpace(files.usedBytes() + 10);
            assertThatThrownBy(() -> writer.append(batch.of("lost")))
                    .hasStackTraceContaining("OutOfSpaceException");
            assertThatThrownBy(writer::rotate).hasStackTraceContaining("OutOfSpaceException");
            assertThatThrownBy(() -> writer.append(batch.of("lost")))
                    .hasStackTraceContaining("OutOfSpaceException");
            files.limitSpace(1 << 20);
            writer.rotate();
            writer.append(batch.of("new"));
        }
        assertThat(TestBatch.replay(files, accountant).stream().map(b -> b.replaceAll(".*:", "")))
                .containsExactly("kept", "new");
    }

    @Test
    void intervalSyncsWhenItIsOver() throws IOException {
        TestBatch batch = new TestBatch();
        try (WalWriter writer = open(WalOptions.interval(100))) {
            writer.append(batch.of("a"));
            assertThat(writer.syncCount()).isZero();
            nanos.addAndGet(100);
            writer.append(batch.of("b"));
            assertThat(writer.syncCount()).isEqualTo(1);
            writer.syncPending();
            assertThat(writer.syncCount()).as("nothing to do").isEqualTo(1);
            writer.append(batch.of("c"));
            assertThat(writer.syncCount()).as("not yet").isEqualTo(1);
            writer.syncPending();
            assertThat(writer.syncCount()).isEqualTo(2);
        }
    }

    @Test
    void neverSyncsNeverButOnRequest() throws IOException {
        TestBatch batch = new TestBatch();
        try (WalWriter writer = open(WalOptions.never())) {
            files.startTrace();
            writer.append(batch.of("a"));
            writer.rotate();
            writer.append(batch.of("b"));
            assertThat(files.trace()).noneMatch(call -> call.operation() == Operation.SYNC);
            writer.sync();
            assertThat(files.trace()).anyMatch(call -> call.operation() == Operation.SYNC);
        }
    }

    @Test
    void closedLogRefusesEverything() throws IOException {
        WalWriter writer = open(WalOptions.everyWrite());
        writer.close();
        assertThatThrownBy(() -> writer.append(new TestBatch().of("a")))
                .isInstanceOf(ClosedException.class);
        assertThatThrownBy(writer::rotate).isInstanceOf(ClosedException.class);
        assertThatThrownBy(writer::close).isInstanceOf(ClosedException.class);
    }

    @Test
    void interruptDoesNotEndTheWaitAndStaysSet() throws Exception {
        CountDownLatch syncing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        files.fail(
                1,
                call -> call.operation() == Operation.SYNC,
                call -> {
                    syncing.countDown();
                    await(goOn);
                });
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        try (WalWriter writer = open(WalOptions.everyWrite())) {
            Thread leader = appender(writer, "leader", failures);
            syncing.await();
            boolean[] interrupted = {false};
            Thread waiting =
                    new Thread(
                            () -> {
                                try {
                                    Thread.currentThread().interrupt();
                                    writer.append(new TestBatch().of("interrupted"));
                                    interrupted[0] = Thread.currentThread().isInterrupted();
                                } catch (IOException | RuntimeException e) {
                                    failures.add(e);
                                }
                            });
            waiting.start();
            while (waiting.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            goOn.countDown();
            leader.join();
            waiting.join();
            assertThat(failures).isEmpty();
            assertThat(interrupted[0]).isTrue();
        }
        assertThat(TestBatch.replay(files, accountant)).hasSize(2);
    }

    /** What the file system allocates is not the log's: the in-memory one copies. */
    @Test
    void appendAllocatesNothingOfItsOwn() throws IOException {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (WalWriter writer =
                new WalWriter(
                        new NullFileSystem(),
                        WalOptions.everyWrite(),
                        1,
                        0,
                        accountant,
                        nanos::get,
                        sequence)) {
            WriteBatchBuffer entries = new TestBatch().of("key");
            long allocatedBytes = Long.MAX_VALUE;
            for (int round = 0; round < 50 && allocatedBytes > 0; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 1000; i++) {
                    writer.append(entries);
                }
                allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertThat(allocatedBytes).isZero();
        }
    }
}
