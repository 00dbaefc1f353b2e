package dev.tarn.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.io.LocalFileSystem;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A child process writes to a store on the disk until it is killed with SIGKILL, again and again:
 * what it has told of must be there, and of each batch all or nothing.
 */
class LsmStoreKillTest {
    private static final int THREAD_COUNT = 3;

    /** A JVM may wait long for its turn on a busy machine. */
    private static final long HANG_SECONDS = 60;

    @TempDir Path directory;

    private static StoreOptions options(String sync) {
        return StoreOptions.builder()
                .option("write-buffer-size", "128 kb")
                .option("write-ahead-log.enabled", "true")
                .option("write-ahead-log.sync", sync)
                .mergeOperator(LsmStoreModelTest.APPEND)
                .build();
    }

    /** The child: each thread counts in two keys at once, and tells of each step it has made. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws Exception {
            LsmStore store =
                    LsmStore.open(new LocalFileSystem(arguments[0]), options(arguments[1]));
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < THREAD_COUNT; t++) {
                int thread = t;
                threads.add(new Thread(() -> count(store, thread)));
            }
            threads.forEach(Thread::start);
        }

        private static void count(LsmStore store, int thread) {
            byte[] padding = new byte[500];
            for (int step = value(store, "a" + thread) + 1; ; step++) {
                byte[] text = bytes(Integer.toString(step));
                store.write(
                        new WriteBatch()
                                .put(bytes("a" + thread), text)
                                .put(bytes("padding" + step % 300), padding)
                                .merge(bytes("steps" + thread), bytes("."))
                                .put(bytes("b" + thread), text));
                // One write, so that lines of threads do not mix.
                System.out.println(thread + " " + step);
                if (step % 7 == 0) {
                    store.put(bytes("c" + thread), text);
                }
            }
        }
    }

    @Test
    @Timeout(240)
    void killedProcessLosesNothingThatItHasToldOf() {
        Seeds.run(1, random -> killRepeatedly(random, 4));
    }

    @Test
    @Tag("long")
    void killedManyTimesLosesNothingThatItHasToldOf() {
        Seeds.run(3, random -> killRepeatedly(random, 40));
    }

    private void killRepeatedly(RandomSource random, int killCount) throws Exception {
        Path root = Files.createTempDirectory(directory, "store");
        int[] told = new int[THREAD_COUNT];
        for (int i = 0; i < killCount; i++) {
            String sync = random.pick("every-write", "interval", "never");
            runAndKill(root, sync, random.between(1, 3000), told);
            check(root, sync, told);
        }
    }

    private static void runAndKill(Path root, String sync, int lineCount, int[] told)
            throws IOException, InterruptedException {
        Process child =
                new ProcessBuilder(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-Xmx256m",
                                "-cp",
                                System.getProperty(
                                        "surefire.test.class.path",
                                        System.getProperty("java.class.path")),
                                Child.class.getName(),
                                root.toString(),
                                sync)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            assertThat(line).as("the child has told of a step").isNotNull();
            for (int i = 0; line != null; i++) {
                if (i == lineCount) {
                    // Unlike the process, its handle leaves the pipe open.
                    child.toHandle().destroyForcibly();
                }
                // What was in the pipe when it was killed counts as well; the last may be cut.
                note(line, told);
                line = lines.readLine();
            }
        } finally {
            child.destroyForcibly();
            assertThat(child.waitFor(HANG_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void note(String line, int[] told) {
        int space = line.indexOf(' ');
        if (space < 0 || space == line.length() - 1) {
            return;
        }
        // A cut line has fewer digits, so a smaller number.
        int thread = Integer.parseInt(line.substring(0, space));
        told[thread] = Math.max(told[thread], Integer.parseInt(line.substring(space + 1)));
    }

    /** Opens what was left and closes it in order. */
    private static void check(Path root, String sync, int[] told) throws IOException {
        try (LsmStore store = LsmStore.open(new LocalFileSystem(root.toString()), options(sync))) {
            for (int thread = 0; thread < THREAD_COUNT; thread++) {
                int found = value(store, "a" + thread);
                assertThat(found)
                        .as("thread %s", thread)
                        .isBetween(told[thread], told[thread] + 1_000_000);
                assertThat(value(store, "b" + thread)).as("whole batches").isEqualTo(found);
                assertThat(length(store, "steps" + thread)).as("once each").isEqualTo(found);
                // Written after step 7, 14, ..., and acknowledged before the next step was told.
                assertThat(value(store, "c" + thread)).isGreaterThanOrEqualTo(found - 7);
            }
        }
    }

    private static int value(LsmStore store, String key) {
        try {
            byte[] value = store.get(bytes(key));
            return value == null
                    ? 0
                    : Integer.parseInt(new String(value, StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static int length(LsmStore store, String key) throws IOException {
        byte[] value = store.get(bytes(key));
        return value == null ? 0 : value.length;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
