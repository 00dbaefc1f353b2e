package dev.tarn.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.io.FileSystem;
import dev.tarn.io.OutOfSpaceException;
import dev.tarn.testing.CrashPoints;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.FileCall;
import dev.tarn.testing.FileFault;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a crash, a failing device and a full one leave of a store. */
class LsmStoreCrashTest {
    private static final StoreOptions OPTIONS =
            StoreOptions.builder()
                    .option("write-buffer-size", "64 kb")
                    .option("num-sorted-run.compaction-trigger", "3")
                    .option("num-sorted-run.stop-trigger", "100")
                    .mergeOperator(LsmStoreModelTest.APPEND)
                    .build();

    /** The states that a run went through, as text, and which of them is durable for sure. */
    private static final class History {
        private final List<Map<String, String>> states = new ArrayList<>();
        private int durableIndex;

        private History() {
            states.add(new TreeMap<>());
        }

        private void change(String key, String value) {
            Map<String, String> next = new TreeMap<>(states.get(states.size() - 1));
            if (value.isEmpty()) {
                next.remove(key);
            } else {
                next.put(key, value);
            }
            states.add(next);
        }

        private void allIsDurable() {
            durableIndex = states.size() - 1;
        }
    }

    @Test
    void reopensInAStateThatIsNotOlderThanTheLastFlush() {
        Seeds.run(
                2,
                random -> {
                    long seed = random.nextLong();
                    History[] history = new History[1];
                    long points =
                            CrashPoints.forEach(
                                    random,
                                    2,
                                    files -> {
                                        history[0] = new History();
                                        run(files, new RandomSource(seed), history[0]);
                                    },
                                    (survivors, completed) ->
                                            check(survivors, history[0], completed));
                    assertThat(points).isGreaterThan(40);
                });
    }

    private static void run(FileSystem files, RandomSource random, History history)
            throws Exception {
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            for (int round = 0; round < 5; round++) {
                for (int i = random.between(1, 15); i > 0; i--) {
                    String key = "k" + random.nextInt(12);
                    String value = random.oneIn(4) ? "" : "v" + random.nextInt(1000);
                    if (value.isEmpty()) {
                        store.delete(bytes(key));
                    } else {
                        store.put(bytes(key), bytes(value));
                    }
                    history.change(key, value);
                }
                if (round == 3) {
                    store.compact();
                } else {
                    store.flush();
                }
                history.allIsDurable();
                store.awaitQuiescence();
            }
            history.change("last", "not flushed");
            store.put(bytes("last"), bytes("not flushed"));
        }
        history.allIsDurable();
    }

    private static void check(FaultyFileSystem survivors, History history, boolean completed)
            throws Exception {
        try (LsmStore store = LsmStore.open(survivors, OPTIONS)) {
            Map<String, String> found = contents(store);
            assertThat(history.states.subList(history.durableIndex, history.states.size()))
                    .as("completed=%s", completed)
                    .contains(found);
            store.put(bytes("after"), bytes("crash"));
            store.flush();
            assertThat(store.get(bytes("after"))).isEqualTo(bytes("crash"));
        }
        for (String name : survivors.list("")) {
            assertThat(name).as("left behind").doesNotEndWith(".tmp");
        }
    }

    @Test
    void failingFlushStopsWritesButNotReadsAndIsRetried() throws Exception {
        FaultyFileSystem files = new FaultyFileSystem();
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            store.put(bytes("a"), bytes("1"));
            store.flush();
            store.put(bytes("b"), bytes("2"));
            files.fail(LsmStoreCrashTest::syncsTable, FileFault.failure());
            assertThatThrownBy(store::flush)
                    .isInstanceOf(WritesStoppedException.class)
                    .hasMessageContaining("flush failed");
            assertThatThrownBy(() -> store.put(bytes("c"), bytes("3")))
                    .isInstanceOf(WritesStoppedException.class)
                    .hasRootCauseInstanceOf(java.io.IOException.class);
            assertThat(store.get(bytes("a"))).isEqualTo(bytes("1"));
            assertThat(store.get(bytes("b"))).isEqualTo(bytes("2"));
            files.heal();
            store.resume();
            store.flush();
            store.put(bytes("c"), bytes("3"));
            assertThat(store.get(bytes("c"))).isEqualTo(bytes("3"));
        }
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            assertThat(contents(store))
                    .isEqualTo(new TreeMap<>(Map.of("a", "1", "b", "2", "c", "3")));
        }
    }

    @Test
    void fullDiskIsAnErrorUntilThereIsSpace() throws Exception {
        FaultyFileSystem files = new FaultyFileSystem();
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            store.put(bytes("a"), new byte[20_000]);
            store.flush();
            files.limitSpace(files.usedBytes() + 5_000);
            store.put(bytes("b"), new byte[20_000]);
            assertThatThrownBy(store::flush)
                    .isInstanceOf(WritesStoppedException.class)
                    .hasRootCauseInstanceOf(OutOfSpaceException.class);
            assertThat(store.get(bytes("b"))).hasSize(20_000);
            files.limitSpace(Long.MAX_VALUE);
            store.resume();
            store.flush();
            assertThat(store.statistics().tableCount()).isEqualTo(2);
        }
    }

    @Test
    void failingCompactionLeavesReadsAndWritesAloneAndIsRetried() throws Exception {
        FaultyFileSystem files = new FaultyFileSystem();
        try (LsmStore store = LsmStore.open(files, OPTIONS)) {
            for (int i = 0; i < 2; i++) {
                store.put(bytes("k"), bytes("v" + i));
                store.flush();
            }
            files.fail(LsmStoreCrashTest::syncsTable, FileFault.failure());
            assertThatThrownBy(store::compact).isInstanceOf(WritesStoppedException.class);
            assertThat(store.get(bytes("k"))).isEqualTo(bytes("v1"));
            store.put(bytes("k"), bytes("v2"));
            files.heal();
            store.compact();
            assertThat(store.statistics().runCount()).isEqualTo(1);
            assertThat(store.get(bytes("k"))).isEqualTo(bytes("v2"));
        }
    }

    private static boolean syncsTable(FileCall call) {
        return call.is(FileCall.Operation.SYNC, ".sst");
    }

    private static Map<String, String> contents(LsmStore store) throws Exception {
        Map<String, String> contents = new TreeMap<>();
        try (StoreIterator iterator = store.iterator()) {
            for (boolean found = iterator.seekToFirst(); found; found = iterator.next()) {
                contents.put(
                        text(iterator.key().toByteArray()), text(iterator.value().toByteArray()));
            }
        }
        for (String key : contents.keySet()) {
            assertThat(text(store.get(bytes(key)))).isEqualTo(contents.get(key));
        }
        return contents;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte @org.jspecify.annotations.Nullable [] bytes) {
        return bytes == null ? "absent" : new String(bytes, StandardCharsets.UTF_8);
    }
}
