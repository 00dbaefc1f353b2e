package dev.tarn.engine;

import static dev.tarn.engine.LsmStoreWalCrashTest.abandon;
import static dev.tarn.engine.LsmStoreWalCrashTest.bytes;
import static dev.tarn.engine.LsmStoreWalCrashTest.contents;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.io.OutOfSpaceException;
import dev.tarn.memory.BytesView;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.FaultyFileSystem.Crash;
import dev.tarn.testing.FileCall;
import dev.tarn.testing.FileCall.Operation;
import dev.tarn.testing.FileFault;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store with a write-ahead log: failures of the log, many writers, which logs there are. */
@Timeout(120)
class LsmStoreWalTest {
    private final FaultyFileSystem files = new FaultyFileSystem();

    private static StoreOptions.Builder builder() {
        return StoreOptions.builder()
                .option("write-buffer-size", "64 kb")
                .option("write-ahead-log.enabled", "true")
                .mergeOperator(LsmStoreModelTest.APPEND);
    }

    private static final StoreOptions OPTIONS = builder().build();

    private List<String> logs() throws Exception {
        return files.list("").stream().filter(name -> name.startsWith("wal-")).toList();
    }

    private static boolean isLog(FileCall call) {
        return call.name().startsWith("wal-");
    }

    @Test
    void storeWithoutLogNeverTouchesOne() throws Exception {
        files.startTrace();
        StoreOptions options = StoreOptions.builder().build();
        for (int i = 0; i < 2; i++) {
            try (LsmStore store = LsmStore.open(files, options)) {
                store.put(bytes("a"), bytes("1"));
                store.write(new WriteBatch().put(bytes("b"), bytes("2")));
                store.flush();
            }
        }
        assertThat(files.trace()).isNotEmpty().noneMatch(LsmStoreWalTest::isLog);
    }

    @Test
    void putWithoutLogAllocatesNothing() throws Exception {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        BytesView key = BytesView.of(bytes("key"));
        BytesView value = BytesView.of(bytes("value"));
        try (LsmStore store = LsmStore.open(files, StoreOptions.builder().build())) {
            long allocatedBytes = Long.MAX_VALUE;
            for (int round = 0; round < 50 && allocatedBytes > 0; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 1000; i++) {
                    store.put(key, value);
                }
                allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertThat(allocatedBytes).isZero();
        }
    }

    @Test
    void flushDeletesTheLogsThatItMakesUnneeded() throws Exception {
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            assertThat(logs()).containsExactly("wal-000001.log");
            store.put(bytes("a"), bytes("1"));
            store.flush();
            assertThat(logs()).containsExactly("wal-000002.log");
            store.put(bytes("b"), bytes("2"));
        }
        assertThat(logs()).isEmpty();
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            assertThat(contents(store)).isEqualTo(Map.of("a", "1", "b", "2"));
            assertThat(logs()).as("numbers are not used again").containsExactly("wal-000003.log");
        }
        assertThat(logs()).as("after a close without writes").isEmpty();
    }

    @Test
    void failedSyncStopsWritersAndIsNeverVisible() throws Exception {
        LsmStore store = LsmStore.open(files, OPTIONS);
        store.merge(bytes("k"), bytes("a"));
        files.fail(
                call -> isLog(call) && call.operation() == Operation.SYNC,
                FileFault.failedSyncThatDrops());
        assertThatThrownBy(() -> store.merge(bytes("k"), bytes("b")))
                .isInstanceOf(WritesStoppedException.class)
                .hasStackTraceContaining("injected sync fault");
        assertThatThrownBy(() -> store.write(new WriteBatch().merge(bytes("k"), bytes("c"))))
                .isInstanceOf(WritesStoppedException.class)
                .hasStackTraceContaining("injected sync fault");
        assertThat(store.get(bytes("k"))).as("reads go on").isEqualTo(bytes("a"));
        files.heal();
        // Begins a new log, and puts what was written before into a table.
        store.flush();
        assertThat(store.get(bytes("k"))).isEqualTo(bytes("a"));
        store.merge(bytes("k"), bytes("d"));
        FaultyFileSystem survivors = files.crash(Crash.UNSYNCED_LOST, new RandomSource(1));
        abandon(store);
        try (LsmStore again = LsmStore.open(survivors, OPTIONS)) {
            assertThat(again.get(bytes("k"))).isEqualTo(bytes("ad"));
        }
    }

    /** The failed batch is in the file all the same: it must not come back once writers go on. */
    @Test
    void batchWhoseSyncFailedDoesNotComeBackAfterwards() throws Exception {
        LsmStore store = LsmStore.open(files, OPTIONS);
        files.fail(call -> isLog(call) && call.operation() == Operation.SYNC, FileFault.failure());
        assertThatThrownBy(() -> store.merge(bytes("k"), bytes("failed")))
                .isInstanceOf(WritesStoppedException.class);
        files.heal();
        store.resume();
        store.flush();
        store.merge(bytes("k"), bytes("ok"));
        FaultyFileSystem survivors = files.crash(Crash.PROCESS_KILLED, new RandomSource(1));
        abandon(store);
        try (LsmStore again = LsmStore.open(survivors, OPTIONS)) {
            assertThat(again.get(bytes("k"))).isEqualTo(bytes("ok"));
        }
    }

    /** Nothing that was acknowledged without a sync is behind what is durable. */
    @Test
    void whatAFailedLogMayHaveLostIsInTablesBeforeWritersGoOn() throws Exception {
        StoreOptions options = builder().option("write-ahead-log.sync", "never").build();
        LsmStore store = LsmStore.open(files, options);
        store.put(bytes("a"), bytes("1"));
        files.fail(
                1, call -> isLog(call) && call.operation() == Operation.WRITE, FileFault.failure());
        files.fail(call -> call.is(Operation.SYNC, ".sst"), FileFault.failure());
        assertThatThrownBy(() -> store.put(bytes("b"), bytes("2")))
                .isInstanceOf(WritesStoppedException.class);
        assertThatThrownBy(store::flush).isInstanceOf(WritesStoppedException.class);
        assertThat(logs()).as("a new log has begun").contains("wal-000002.log");
        assertThatThrownBy(() -> store.put(bytes("b"), bytes("2")))
                .as("the table is not there yet")
                .isInstanceOf(WritesStoppedException.class);
        files.heal();
        store.flush();
        store.put(bytes("c"), bytes("3"));
        FaultyFileSystem survivors = files.crash(Crash.UNSYNCED_LOST, new RandomSource(1));
        abandon(store);
        try (LsmStore again = LsmStore.open(survivors, options)) {
            assertThat(contents(again)).isEqualTo(Map.of("a", "1"));
        }
    }

    @Test
    void writersGoOnByThemselvesWhenTheDeviceWorksAgain() throws Exception {
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            store.put(bytes("a"), bytes("1"));
            files.limitSpace(files.usedBytes() + 10);
            assertThatThrownBy(() -> store.put(bytes("b"), new byte[1000]))
                    .isInstanceOf(WritesStoppedException.class)
                    .hasRootCauseInstanceOf(OutOfSpaceException.class);
            files.limitSpace(Long.MAX_VALUE);
            boolean isWritten = false;
            while (!isWritten) {
                try {
                    store.put(bytes("b"), bytes("2"));
                    isWritten = true;
                } catch (WritesStoppedException e) {
                    Thread.onSpinWait();
                }
            }
            assertThat(contents(store)).isEqualTo(Map.of("a", "1", "b", "2"));
        }
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            assertThat(contents(store)).isEqualTo(Map.of("a", "1", "b", "2"));
        }
    }

    @Test
    void logThatCannotBeChangedStopsTheNextWriteButNotTheOneThatFilledTheMemtable()
            throws Exception {
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            files.fail(
                    call -> isLog(call) && call.operation() == Operation.CREATE,
                    FileFault.failure());
            Map<String, String> written = new TreeMap<>();
            try {
                for (int i = 0; i < 1000; i++) {
                    store.put(bytes("k" + i), new byte[5000]);
                    written.put("k" + i, "");
                }
            } catch (WritesStoppedException e) {
                assertThat(e).hasStackTraceContaining("injected");
            }
            assertThat(written.size()).isBetween(5, 900);
            assertThat(contents(store).keySet()).isEqualTo(written.keySet());
            files.heal();
            store.flush();
            store.put(bytes("more"), bytes("1"));
            written.put("more", "");
            assertThat(contents(store).keySet()).isEqualTo(written.keySet());
        }
    }

    /** Memtables are sealed all the time, so a write that came twice would be seen. */
    @Test
    void operandsOfManyThreadsAreThereOnceEach() {
        Seeds.run(
                3,
                random -> {
                    FaultyFileSystem disk = new FaultyFileSystem();
                    disk.crashAtChange(random.between(200, 2000));
                    LsmStore store = LsmStore.open(disk, OPTIONS);
                    List<String> acknowledged = Collections.synchronizedList(new ArrayList<>());
                    List<Throwable> ends = Collections.synchronizedList(new ArrayList<>());
                    CountDownLatch started = new CountDownLatch(4);
                    List<Thread> threads = new ArrayList<>();
                    for (int t = 0; t < 4; t++) {
                        int thread = t;
                        threads.add(
                                new Thread(
                                        () -> {
                                            try {
                                                merge(store, thread, started, acknowledged);
                                            } catch (Throwable e) {
                                                ends.add(e);
                                            }
                                        }));
                    }
                    threads.forEach(Thread::start);
                    for (Thread thread : threads) {
                        thread.join();
                    }
                    assertThat(acknowledged).isNotEmpty();
                    assertThat(ends)
                            .hasSize(4)
                            .allSatisfy(
                                    end ->
                                            assertThat(end)
                                                    .isInstanceOf(WritesStoppedException.class)
                                                    .hasStackTraceContaining("crashed"));
                    FaultyFileSystem survivors = disk.crash(Crash.UNSYNCED_TORN, random);
                    abandon(store);
                    try (LsmStore again = LsmStore.open(survivors, OPTIONS)) {
                        List<String> found = new ArrayList<>();
                        for (String value : contents(again).values()) {
                            for (String operand : value.split("[ .]+", -1)) {
                                if (!operand.isEmpty()) {
                                    found.add(operand);
                                }
                            }
                        }
                        assertThat(found).doesNotHaveDuplicates().containsAll(acknowledged);
                        // Of each thread at most the write that was not acknowledged.
                        found.removeAll(acknowledged);
                        assertThat(found).hasSizeLessThanOrEqualTo(8);
                    }
                });
    }

    private static void merge(
            LsmStore store, int thread, CountDownLatch started, List<String> acknowledged)
            throws InterruptedException {
        started.countDown();
        started.await();
        String padding = ".".repeat(700);
        for (int i = 0; ; i++) {
            String operand = thread + "-" + i;
            byte[] bytes = bytes(operand + padding + " ");
            if (i % 3 == 0) {
                String second = operand + "b";
                store.write(
                        new WriteBatch()
                                .merge(bytes("k" + i % 5), bytes)
                                .merge(bytes("batch" + thread), bytes(second + " ")));
                acknowledged.add(second);
            } else {
                store.merge(bytes("k" + i % 5), bytes);
            }
            acknowledged.add(operand);
        }
    }

    /** An open whose memtables are smaller than the log flushes while it replays. */
    @Test
    void whatWasFlushedDuringAReplayIsNotReplayedAgain() throws Exception {
        FaultyFileSystem disk = files;
        LsmStore store = LsmStore.open(disk, builder().option("write-buffer-size", "8 mb").build());
        byte[] operand = new byte[2000];
        for (int i = 0; i < 400; i++) {
            store.merge(bytes("k" + i % 10), operand);
        }
        for (int i = 0; i < 3; i++) {
            FaultyFileSystem survivors = disk.crash(Crash.UNSYNCED_LOST, new RandomSource(i));
            abandon(store);
            disk = survivors;
            store = LsmStore.open(disk, OPTIONS);
            store.awaitQuiescence();
            assertThat(store.statistics().tableCount()).isPositive();
            for (int k = 0; k < 10; k++) {
                assertThat(store.get(bytes("k" + k))).hasSize(40 * operand.length);
            }
        }
        store.close();
    }

    @Test
    void intervalMakesTheLastWritesDurableWithoutAnotherWrite() throws Exception {
        StoreOptions options =
                builder()
                        .option("write-ahead-log.sync", "interval")
                        .option("write-ahead-log.sync-interval", "200 ms")
                        .build();
        try (LsmStore store = LsmStore.open(files, options)) {
            files.startTrace();
            store.put(bytes("a"), bytes("1"));
            List<Operation> calls;
            do {
                Thread.onSpinWait();
                calls =
                        files.trace().stream()
                                .filter(LsmStoreWalTest::isLog)
                                .map(FileCall::operation)
                                .toList();
            } while (calls.lastIndexOf(Operation.SYNC) < calls.lastIndexOf(Operation.WRITE));
            assertThat(calls).containsExactly(Operation.WRITE, Operation.SYNC);
        }
    }
}
