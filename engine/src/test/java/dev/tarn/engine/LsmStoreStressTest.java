package dev.tarn.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.Seeds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads at once: what readers see is always one state. */
class LsmStoreStressTest {
    private static final int ACCOUNT_COUNT = 64;
    private static final long OPENING_BALANCE = 1000;

    private static final StoreOptions OPTIONS =
            StoreOptions.builder()
                    .option("write-buffer-size", "64 kb")
                    .option("num-sorted-run.compaction-trigger", "3")
                    .option("target-file-size", "64 kb")
                    .build();

    @Test
    @Timeout(120)
    void everyReadSeesWholeBatches() throws Exception {
        long transfers = Seeds.iterations(20_000);
        FaultyFileSystem files = new FaultyFileSystem();
        ExecutorService threads = Executors.newFixedThreadPool(5);
        AtomicBoolean done = new AtomicBoolean();
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            WriteBatch opening = new WriteBatch();
            for (int account = 0; account < ACCOUNT_COUNT; account++) {
                opening.put(key(account), balance(OPENING_BALANCE));
            }
            store.write(opening);
            List<Future<Long>> results = new ArrayList<>();
            // Each writer moves money among accounts of its own, so that nothing is lost between
            // its reads and its write.
            for (int writer = 0; writer < 2; writer++) {
                int first = writer * ACCOUNT_COUNT / 2;
                results.add(threads.submit(() -> transfer(store, first, transfers)));
            }
            List<Future<Long>> checks = new ArrayList<>();
            for (int reader = 0; reader < 2; reader++) {
                checks.add(threads.submit(checkTotals(store, done)));
            }
            checks.add(threads.submit(checkSessions(store, done)));
            for (Future<Long> result : results) {
                assertThat(result.get()).isEqualTo(transfers);
            }
            done.set(true);
            for (Future<Long> check : checks) {
                assertThat(check.get()).isPositive();
            }
            store.compact();
            assertThat(total(store, null)).isEqualTo(ACCOUNT_COUNT * OPENING_BALANCE);
        } finally {
            threads.shutdownNow();
            assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        }
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            assertThat(total(store, null)).isEqualTo(ACCOUNT_COUNT * OPENING_BALANCE);
        }
    }

    private static long transfer(LsmStore store, int first, long transfers) throws Exception {
        SplittableRandom random = new SplittableRandom(first);
        long done = 0;
        for (; done < transfers; done++) {
            int source = first + random.nextInt(ACCOUNT_COUNT / 2);
            int target = first + random.nextInt(ACCOUNT_COUNT / 2);
            if (source == target) {
                continue;
            }
            long amount = random.nextInt(10);
            store.write(
                    new WriteBatch()
                            .put(key(source), balance(read(store, source) - amount))
                            .put(key(target), balance(read(store, target) + amount)));
        }
        return done;
    }

    private static Callable<Long> checkTotals(LsmStore store, AtomicBoolean done) {
        return () -> {
            long checks = 0;
            do {
                try (Snapshot snapshot = store.snapshot()) {
                    assertThat(total(store, snapshot)).isEqualTo(ACCOUNT_COUNT * OPENING_BALANCE);
                    // The same again: nothing of it was compacted away meanwhile.
                    assertThat(total(store, snapshot)).isEqualTo(ACCOUNT_COUNT * OPENING_BALANCE);
                }
                checks++;
            } while (!done.get());
            return checks;
        };
    }

    private static Callable<Long> checkSessions(LsmStore store, AtomicBoolean done) {
        return () -> {
            BytesView value = new BytesView();
            long checks = 0;
            do {
                long total = 0;
                try (ReadSession session = store.openReadSession()) {
                    for (int account = 0; account < ACCOUNT_COUNT; account++) {
                        assertThat(session.get(BytesView.of(key(account)), value)).isTrue();
                        total += ByteBuffer.wrap(value.toByteArray()).getLong();
                    }
                }
                assertThat(total).isEqualTo(ACCOUNT_COUNT * OPENING_BALANCE);
                checks++;
            } while (!done.get());
            return checks;
        };
    }

    private static long total(LsmStore store, @org.jspecify.annotations.Nullable Snapshot snapshot)
            throws Exception {
        long total = 0;
        int count = 0;
        try (StoreIterator iterator = store.iterator(null, null, snapshot)) {
            for (boolean found = iterator.seekToFirst(); found; found = iterator.next()) {
                total += ByteBuffer.wrap(iterator.value().toByteArray()).getLong();
                count++;
            }
        }
        assertThat(count).isEqualTo(ACCOUNT_COUNT);
        return total;
    }

    private static long read(LsmStore store, int account) throws Exception {
        byte[] value = store.get(key(account));
        assertThat(value).isNotNull();
        return ByteBuffer.wrap(value == null ? new byte[8] : value).getLong();
    }

    private static byte[] key(int account) {
        return new byte[] {(byte) account};
    }

    private static byte[] balance(long amount) {
        return ByteBuffer.allocate(Long.BYTES).putLong(amount).array();
    }

    @Test
    @Timeout(120)
    void manyStoresShareOneBudget() throws Exception {
        try (StoreResources resources =
                StoreResources.builder()
                        .memoryBudgetBytes(64 << 20)
                        .memtableBudgetBytes(8 << 20)
                        .blockCacheBytes(8 << 20)
                        .build()) {
            List<LsmStore> stores = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                stores.add(LsmStore.open(resources, new FaultyFileSystem(), OPTIONS));
            }
            byte[] value = new byte[700];
            for (int round = 0; round < 100; round++) {
                for (int i = 0; i < stores.size(); i++) {
                    stores.get(i).put(key(round), value);
                }
            }
            assertThat(resources.accountant().reservedBytes(MemoryPurpose.MEMTABLE))
                    .isLessThanOrEqualTo(8 << 20);
            for (LsmStore store : stores) {
                assertThat(store.get(key(0))).isEqualTo(value);
                store.close();
            }
        }
    }

    @Test
    @Timeout(60)
    void openingAndClosingLeavesNothingBehind() throws Exception {
        try (StoreResources resources = StoreResources.builder().build()) {
            FaultyFileSystem files = new FaultyFileSystem();
            long before = -1;
            for (int i = 0; i < Seeds.iterations(300); i++) {
                try (LsmStore store = LsmStore.open(resources, files, OPTIONS)) {
                    store.put(key(i % 100), balance(i));
                    assertThat(read(store, i % 100)).isEqualTo(i);
                }
                resources.accountant().report();
                if (i == 10) {
                    before = filterAndIndexBytes(resources);
                }
            }
            assertThat(filterAndIndexBytes(resources)).isEqualTo(before).isZero();
        }
    }

    private static long filterAndIndexBytes(StoreResources resources) {
        return resources.accountant().reservedBytes(MemoryPurpose.FILTER)
                + resources.accountant().reservedBytes(MemoryPurpose.INDEX);
    }

    @Test
    void misuseIsRefused() throws Exception {
        FaultyFileSystem files = new FaultyFileSystem();
        LsmStore store = LsmStore.open(files, OPTIONS);
        assertThatThrownBy(() -> LsmStore.open(files, OPTIONS))
                .isInstanceOf(dev.tarn.io.LockedException.class)
                .hasMessageContaining("pid " + ProcessHandle.current().pid());
        assertThatThrownBy(() -> store.merge(key(1), key(2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("merge operator");
        assertThatThrownBy(() -> store.put(new byte[65_536], key(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keyLength=65536");
        WriteBatch large = new WriteBatch().put(key(1), new byte[100_000]);
        assertThatThrownBy(() -> store.write(large))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("larger than a memtable");
        StoreIterator iterator = store.iterator();
        assertThatThrownBy(store::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("openIteratorCount=1");
        iterator.close();
        store.close();
        assertThatThrownBy(() -> store.get(key(1)))
                .isInstanceOf(dev.tarn.memory.ClosedException.class);
        assertThatThrownBy(
                        () ->
                                LsmStore.open(
                                        files,
                                        StoreOptions.builder().option("num-levels", "9").build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("stored=4 given=9");
    }
}
