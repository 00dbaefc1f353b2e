package dev.tarn.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.memory.BytesView;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.FaultyFileSystem.Crash;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random operations, flushes, compactions and reopens against a sorted map with snapshots. */
class LsmStoreModelTest {
    /** Appends operands, which is neither commutative nor does it forget anything. */
    static final MergeOperator APPEND =
            new MergeOperator() {
                @Override
                public String name() {
                    return "append";
                }

                @Override
                public byte[] merge(BytesView key, byte @Nullable [] oldValue, BytesView operand) {
                    byte[] added = operand.toByteArray();
                    if (oldValue == null) {
                        return added;
                    }
                    byte[] merged = Arrays.copyOf(oldValue, oldValue.length + added.length);
                    System.arraycopy(added, 0, merged, oldValue.length, added.length);
                    return merged;
                }
            };

    private static final class Taken {
        private final Snapshot snapshot;
        private final NavigableMap<byte[], byte[]> state;

        private Taken(Snapshot snapshot, NavigableMap<byte[], byte[]> state) {
            this.snapshot = snapshot;
            this.state = state;
        }
    }

    private final TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    private final List<Taken> taken = new ArrayList<>();
    private FaultyFileSystem files = new FaultyFileSystem();

    @Test
    void behavesLikeASortedMap() {
        Seeds.run(
                12,
                random -> {
                    model.clear();
                    taken.clear();
                    files = new FaultyFileSystem();
                    StoreOptions options = options(random);
                    LsmStore store = LsmStore.open(files, options);
                    int keyCount = random.between(1, 400);
                    int operations = 1500;
                    try {
                        for (int i = 0; i < operations; i++) {
                            store = step(random, store, options, keyCount);
                        }
                        checkAll(store, null, model);
                        checkSnapshots(store);
                    } finally {
                        closeSnapshots();
                        store.close();
                    }
                });
    }

    private static StoreOptions options(RandomSource random) {
        return StoreOptions.builder()
                .option("write-buffer-size", random.pick("64 kb", "128 kb", "1 mb"))
                .option("memtable.writers", random.pick("single", "multi"))
                .option("num-sorted-run.compaction-trigger", random.pick("2", "3", "5"))
                .option("num-sorted-run.stop-trigger", random.pick("6", "9", "100"))
                .option("num-levels", random.pick("2", "4", "6"))
                .option("target-file-size", random.pick("64 kb", "256 kb"))
                .option("file.block-size", random.pick("512", "4 kb"))
                .option("file.compression", random.pick("none", "lz4"))
                .option("filter.bits-per-key", random.pick("0", "10"))
                .option("write-ahead-log.enabled", random.pick("false", "true"))
                .option("write-ahead-log.sync", random.pick("every-write", "interval", "never"))
                .option("write-ahead-log.sync-interval", random.pick("1 ms", "100 ms", "1 h"))
                .mergeOperator(APPEND)
                .build();
    }

    private LsmStore step(RandomSource random, LsmStore store, StoreOptions options, int keyCount)
            throws Exception {
        byte[] key = key(random.nextInt(keyCount));
        switch (random.nextInt(40)) {
            case 0 -> store.flush();
            case 1 -> {
                if (random.oneIn(4)) {
                    store.compact();
                }
            }
            case 2 -> {
                if (random.oneIn(4)) {
                    return reopen(random, store, options);
                }
            }
            case 3 -> {
                TreeMap<byte[], byte[]> state = new TreeMap<>(Arrays::compareUnsigned);
                state.putAll(model);
                taken.add(new Taken(store.snapshot(), state));
            }
            case 4 -> {
                if (!taken.isEmpty()) {
                    taken.remove(random.nextInt(taken.size())).snapshot.close();
                }
            }
            case 5 -> checkRange(random, store, keyCount);
            case 6 -> writeBatch(random, store, keyCount);
            case 7, 8, 9, 10 -> {
                store.delete(key);
                model.remove(key);
            }
            case 11, 12, 13 -> {
                byte[] operand = random.bytes(random.nextInt(8));
                store.merge(key, operand);
                model.put(
                        key,
                        APPEND.merge(BytesView.of(key), model.get(key), BytesView.of(operand)));
            }
            case 14 -> checkBatch(random, store, keyCount);
            case 15, 16, 17, 18, 19, 20, 21 -> {
                assertThat(store.get(key)).isEqualTo(model.get(key));
            }
            case 22 -> {
                if (!taken.isEmpty()) {
                    Taken old = random.pick(taken);
                    assertThat(store.get(key, old.snapshot)).isEqualTo(old.state.get(key));
                }
            }
            default -> {
                byte[] value = random.bytes(random.skewed(6000));
                store.put(key, value);
                model.put(key, value);
            }
        }
        return store;
    }

    /** Closes, or with a log may only end the process or, if each write is synced, the power. */
    private LsmStore reopen(RandomSource random, LsmStore store, StoreOptions options)
            throws Exception {
        closeSnapshots();
        if (!options.walEnabled() || random.nextBoolean()) {
            store.close();
        } else {
            Crash crash =
                    options.walSync() == StoreOptions.WalSync.EVERY_WRITE
                            ? random.pick(Crash.values())
                            : Crash.PROCESS_KILLED;
            FaultyFileSystem survivors = files.crash(crash, random);
            LsmStoreWalCrashTest.abandon(store);
            files = survivors;
        }
        return LsmStore.open(files, options);
    }

    private void writeBatch(RandomSource random, LsmStore store, int keyCount) {
        WriteBatch batch = new WriteBatch();
        for (int i = random.nextInt(20); i > 0; i--) {
            byte[] key = key(random.nextInt(keyCount));
            if (random.oneIn(3)) {
                batch.delete(key);
                model.remove(key);
            } else {
                byte[] value = random.bytes(random.nextInt(500));
                batch.put(key, value);
                model.put(key, value);
            }
        }
        store.write(batch);
    }

    private void checkBatch(RandomSource random, LsmStore store, int keyCount) throws Exception {
        BytesView value = new BytesView();
        try (LookupBatch batch = store.newLookupBatch(80)) {
            for (int round = 0; round < 2; round++) {
                batch.clear();
                List<byte[]> keys = new ArrayList<>();
                for (int i = random.nextInt(81); i > 0; i--) {
                    byte[] key = key(random.nextInt(keyCount + 50));
                    keys.add(key);
                    batch.add(key);
                }
                Taken old = taken.isEmpty() || random.nextBoolean() ? null : random.pick(taken);
                store.multiGet(batch, old == null ? null : old.snapshot);
                for (int i = 0; i < keys.size(); i++) {
                    byte @Nullable [] expected = (old == null ? model : old.state).get(keys.get(i));
                    assertThat(batch.value(i, value)).isEqualTo(expected != null);
                    if (expected != null) {
                        assertThat(value.toByteArray()).isEqualTo(expected);
                    }
                }
            }
        }
    }

    private void checkRange(RandomSource random, LsmStore store, int keyCount) throws Exception {
        byte @Nullable [] lower = random.nextBoolean() ? key(random.nextInt(keyCount)) : null;
        byte @Nullable [] upper = random.nextBoolean() ? key(random.nextInt(keyCount)) : null;
        NavigableMap<byte[], byte[]> range = range(model, lower, upper);
        try (StoreIterator iterator = store.iterator(lower, upper, null)) {
            boolean found = random.nextBoolean() ? iterator.seekToFirst() : iterator.seekToLast();
            assertThat(found).isEqualTo(!range.isEmpty());
            for (int i = 0; i < 30 && iterator.isValid(); i++) {
                byte[] key = iterator.key().toByteArray();
                assertThat(iterator.value().toByteArray()).isEqualTo(range.get(key));
                byte @Nullable [] expected;
                switch (random.nextInt(4)) {
                    case 0 -> {
                        byte[] target = key(random.nextInt(keyCount));
                        iterator.seek(BytesView.of(target));
                        expected = range.ceilingKey(target);
                    }
                    case 1 -> {
                        byte[] target = key(random.nextInt(keyCount));
                        iterator.seekForPrevious(BytesView.of(target));
                        expected = range.floorKey(target);
                    }
                    case 2 -> {
                        iterator.previous();
                        expected = range.lowerKey(key);
                    }
                    default -> {
                        iterator.next();
                        expected = range.higherKey(key);
                    }
                }
                assertThat(iterator.isValid()).isEqualTo(expected != null);
                if (expected != null) {
                    assertThat(iterator.key().toByteArray()).isEqualTo(expected);
                }
            }
        }
    }

    private static NavigableMap<byte[], byte[]> range(
            NavigableMap<byte[], byte[]> map, byte @Nullable [] lower, byte @Nullable [] upper) {
        if (lower != null && upper != null && Arrays.compareUnsigned(lower, upper) >= 0) {
            return new TreeMap<>(Arrays::compareUnsigned);
        }
        NavigableMap<byte[], byte[]> range = map;
        if (lower != null) {
            range = range.tailMap(lower, true);
        }
        return upper == null ? range : range.headMap(upper, false);
    }

    private void checkSnapshots(LsmStore store) throws Exception {
        for (Taken old : taken) {
            checkAll(store, old.snapshot, old.state);
        }
    }

    private static void checkAll(
            LsmStore store, @Nullable Snapshot snapshot, NavigableMap<byte[], byte[]> expected)
            throws Exception {
        try (StoreIterator iterator = store.iterator(null, null, snapshot)) {
            iterator.seekToFirst();
            for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
                assertThat(iterator.isValid()).isTrue();
                assertThat(iterator.key().toByteArray()).isEqualTo(entry.getKey());
                assertThat(iterator.value().toByteArray()).isEqualTo(entry.getValue());
                assertThat(store.get(entry.getKey(), snapshot)).isEqualTo(entry.getValue());
                iterator.next();
            }
            assertThat(iterator.isValid()).isFalse();
            iterator.seekToLast();
            for (byte[] key : expected.descendingKeySet()) {
                assertThat(iterator.key().toByteArray()).isEqualTo(key);
                iterator.previous();
            }
            assertThat(iterator.isValid()).isFalse();
        }
    }

    private void closeSnapshots() {
        taken.forEach(old -> old.snapshot.close());
        taken.clear();
    }

    private static byte[] key(int number) {
        // Of different lengths, some a prefix of others.
        return ("key" + number).getBytes(StandardCharsets.US_ASCII);
    }
}
