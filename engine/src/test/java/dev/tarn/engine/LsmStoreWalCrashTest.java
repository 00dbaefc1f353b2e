package dev.tarn.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.io.FileSystem;
import dev.tarn.memory.BytesView;
import dev.tarn.testing.CrashPoints;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.FaultyFileSystem.Crash;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a crash leaves of a store with a write-ahead log, at every call and in every sync mode. */
@Timeout(180)
class LsmStoreWalCrashTest {
    /** Shared by all stores of a test: thousands are opened. */
    private final StoreResources resources = StoreResources.builder().build();

    @AfterEach
    void closeResources() {
        resources.close();
    }

    private static StoreOptions options(String sync, boolean isLogged) {
        return StoreOptions.builder()
                .option("write-buffer-size", "64 kb")
                .option("num-sorted-run.compaction-trigger", "3")
                .option("num-sorted-run.stop-trigger", "100")
                .option("write-ahead-log.enabled", Boolean.toString(isLogged))
                .option("write-ahead-log.sync", sync)
                // The timer must not add calls of its own: what it does is tested elsewhere.
                .option("write-ahead-log.sync-interval", "1 h")
                .mergeOperator(LsmStoreModelTest.APPEND)
                .build();
    }

    /** The states that a run went through, and what it was told of them. */
    private static final class History {
        private final List<Map<String, String>> states = new ArrayList<>();
        private int acknowledged;
        private int flushed;

        private History() {
            states.add(new TreeMap<>());
        }

        private Map<String, String> last() {
            return states.get(states.size() - 1);
        }

        private void check(Map<String, String> found, int oldest, String what) {
            assertThat(states.subList(oldest, states.size())).as(what).contains(found);
        }
    }

    @Test
    void everyAcknowledgedWriteSurvivesACrashAtAnyCall() {
        StoreOptions options = options("every-write", true);
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
                                        run(files, options, new RandomSource(seed), history[0]);
                                    },
                                    (survivors, completed) ->
                                            checkReopens(
                                                    survivors,
                                                    options,
                                                    random,
                                                    history[0],
                                                    history[0].acknowledged));
                    assertThat(points).isGreaterThan(100);
                });
    }

    /** A killed process loses nothing that was acknowledged; a power cut loses an end only. */
    @Test
    void withoutSyncsAPowerCutLosesAnEndOnly() {
        crashEverywhere(options("never", true));
    }

    @Test
    void withAnIntervalAPowerCutLosesAnEndOnly() {
        crashEverywhere(options("interval", true));
    }

    private void crashEverywhere(StoreOptions options) {
        Seeds.run(
                1,
                random -> {
                    long seed = random.nextLong();
                    boolean isOver = false;
                    for (long change = 0; !isOver; change++) {
                        FaultyFileSystem files = new FaultyFileSystem();
                        files.crashAtChange(change);
                        History history = new History();
                        try {
                            run(files, options, new RandomSource(seed), history);
                        } catch (Exception e) {
                            assertThat(files.isCrashed()).as("failed by itself: %s", e).isTrue();
                        }
                        isOver = !files.isCrashed();
                        for (Crash mode : Crash.values()) {
                            int oldest =
                                    mode == Crash.PROCESS_KILLED
                                            ? history.acknowledged
                                            : history.flushed;
                            checkReopens(
                                    files.crash(mode, random), options, random, history, oldest);
                        }
                    }
                });
    }

    private void run(FileSystem files, StoreOptions options, RandomSource random, History history)
            throws Exception {
        try (LsmStore store = LsmStore.open(resources, files, options)) {
            for (int round = 0; round < 4; round++) {
                for (int i = random.between(1, 8); i > 0; i--) {
                    write(store, random, history);
                    history.acknowledged = history.states.size() - 1;
                }
                if (round == 2) {
                    store.compact();
                } else {
                    store.flush();
                }
                history.flushed = history.states.size() - 1;
                store.awaitQuiescence();
            }
            write(store, random, history);
            history.acknowledged = history.states.size() - 1;
        }
        history.flushed = history.states.size() - 1;
    }

    private static void write(LsmStore store, RandomSource random, History history) {
        Map<String, String> next = new TreeMap<>(history.last());
        history.states.add(next);
        String key = "k" + random.nextInt(6);
        String value = "v" + random.nextInt(1000);
        switch (random.nextInt(4)) {
            case 0 -> {
                next.remove(key);
                store.delete(bytes(key));
            }
            case 1 -> {
                next.merge(key, value, String::concat);
                store.merge(bytes(key), bytes(value));
            }
            case 2 -> {
                WriteBatch batch = new WriteBatch();
                for (int i = 0; i < 4; i++) {
                    next.merge("k" + i, value, String::concat);
                    batch.merge(bytes("k" + i), bytes(value));
                }
                store.write(batch);
            }
            default -> {
                next.put(key, value);
                store.put(BytesView.of(bytes(key)), BytesView.of(bytes(value)));
            }
        }
    }

    /** Opens with and without the log, writes on, and is killed again. */
    private void checkReopens(
            FaultyFileSystem survivors,
            StoreOptions options,
            RandomSource random,
            History history,
            int oldest)
            throws Exception {
        boolean isLogged = random.oneIn(2);
        Map<String, String> found;
        FaultyFileSystem again;
        LsmStore store =
                LsmStore.open(
                        resources, survivors, isLogged ? options : options(options, isLogged));
        try {
            found = contents(store);
            history.check(found, oldest, "first start");
            if (isLogged) {
                store.merge(bytes("k1"), bytes("after"));
                found.merge("k1", "after", String::concat);
            }
            again = survivors.crash(Crash.PROCESS_KILLED, random);
        } finally {
            abandon(store);
        }
        try (LsmStore last = LsmStore.open(resources, again, options)) {
            assertThat(contents(last)).as("second start, isLogged=%s", isLogged).isEqualTo(found);
            last.put(bytes("end"), bytes("1"));
        }
        assertThat(again.list("")).as("after a clean close").noneMatch(n -> n.startsWith("wal-"));
        try (LsmStore last = LsmStore.open(resources, again, options)) {
            found.put("end", "1");
            assertThat(contents(last)).isEqualTo(found);
        }
    }

    private static StoreOptions options(StoreOptions options, boolean isLogged) {
        String sync =
                switch (options.walSync()) {
                    case EVERY_WRITE -> "every-write";
                    case INTERVAL -> "interval";
                    case NEVER -> "never";
                };
        return options(sync, isLogged);
    }

    /** Gives the memory of a store back whose file system has crashed. */
    static void abandon(LsmStore store) throws Exception {
        try {
            store.close();
        } catch (WritesStoppedException | java.io.IOException e) {
            assertThat(e).hasStackTraceContaining("crashed");
        }
    }

    static Map<String, String> contents(LsmStore store) throws Exception {
        Map<String, String> contents = new TreeMap<>();
        try (StoreIterator iterator = store.iterator()) {
            for (boolean found = iterator.seekToFirst(); found; found = iterator.next()) {
                contents.put(
                        text(iterator.key().toByteArray()), text(iterator.value().toByteArray()));
            }
        }
        return contents;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
