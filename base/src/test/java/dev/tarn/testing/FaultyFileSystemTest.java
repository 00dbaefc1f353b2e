package dev.tarn.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.io.FileSystem;
import dev.tarn.io.OutOfSpaceException;
import dev.tarn.io.ReadableFile;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.FaultyFileSystem.Crash;
import dev.tarn.testing.FaultyFileSystem.CrashedException;
import dev.tarn.testing.FileCall.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class FaultyFileSystemTest {
    private static final RandomSource RANDOM = new RandomSource(1);

    private final FaultyFileSystem files = new FaultyFileSystem();

    private static void append(WritableFile file, byte[] bytes) throws IOException {
        file.append(OffHeapMemory.wrap(bytes), 0, bytes.length);
    }

    private static void write(FileSystem files, String name, byte[] bytes, boolean synced)
            throws IOException {
        try (WritableFile file = files.create(name)) {
            append(file, bytes);
            if (synced) {
                file.sync();
            }
        }
    }

    private static byte[] read(FileSystem files, String name) throws IOException {
        try (ReadableFile file = files.open(name)) {
            byte[] bytes = new byte[(int) file.size()];
            file.read(0, OffHeapMemory.wrap(bytes), 0, bytes.length);
            return bytes;
        }
    }

    @Test
    void syncedFileInSyncedDirectorySurvives() throws IOException {
        files.createDirectories("d");
        write(files, "d/a", new byte[] {1, 2, 3}, true);
        files.syncDirectory("d");
        files.syncDirectory("");
        FaultyFileSystem after = files.crash(Crash.UNSYNCED_LOST, RANDOM);
        assertThat(read(after, "d/a")).containsExactly(1, 2, 3);
    }

    @Test
    void syncedFileInUnsyncedDirectoryIsLost() throws IOException {
        write(files, "a", new byte[] {1, 2, 3}, true);
        assertThat(files.crash(Crash.UNSYNCED_LOST, RANDOM).list("")).isEmpty();
    }

    @Test
    void directoryNeedsTheSyncOfItsOwnDirectory() throws IOException {
        files.createDirectories("d");
        write(files, "d/a", new byte[] {1}, true);
        files.syncDirectory("d");
        assertThat(files.crash(Crash.UNSYNCED_LOST, RANDOM).list("")).isEmpty();
    }

    @Test
    void unsyncedContentIsLostUnderADurableName() throws IOException {
        WritableFile file = files.create("a");
        append(file, new byte[] {1, 2});
        file.sync();
        append(file, new byte[] {3, 4});
        files.syncDirectory("");
        FaultyFileSystem after = files.crash(Crash.UNSYNCED_LOST, RANDOM);
        assertThat(read(after, "a")).containsExactly(1, 2);
    }

    @Test
    void unsyncedRenameAndDeletionAreUndone() throws IOException {
        write(files, "a", new byte[] {1}, true);
        write(files, "b", new byte[] {2}, true);
        write(files, "c", new byte[] {3}, true);
        files.syncDirectory("");
        files.rename("a", "b");
        files.delete("c");
        FaultyFileSystem after = files.crash(Crash.UNSYNCED_LOST, RANDOM);
        assertThat(after.list("")).containsExactly("a", "b", "c");
        assertThat(read(after, "b")).containsExactly(2);
        assertThat(files.crash(Crash.PROCESS_KILLED, RANDOM).list("")).containsExactly("b");
    }

    @Test
    void killedProcessLosesNothingYetMakesNothingDurable() throws IOException {
        write(files, "a", new byte[] {1, 2}, false);
        FaultyFileSystem after = files.crash(Crash.PROCESS_KILLED, RANDOM);
        assertThat(read(after, "a")).containsExactly(1, 2);
        assertThat(after.crash(Crash.UNSYNCED_LOST, RANDOM).list("")).isEmpty();

        FaultyFileSystem again = files.crash(Crash.PROCESS_KILLED, RANDOM);
        again.syncDirectory("");
        again.openForAppend("a").sync();
        assertThat(read(again.crash(Crash.UNSYNCED_LOST, RANDOM), "a")).containsExactly(1, 2);
    }

    @Test
    void tornCrashKeepsAnySetOfNames() throws IOException {
        write(files, "a", new byte[0], true);
        files.syncDirectory("");
        write(files, "b", new byte[0], true);
        files.rename("a", "c");
        Set<List<String>> outcomes = new HashSet<>();
        for (int seed = 0; seed < 100; seed++) {
            outcomes.add(files.crash(Crash.UNSYNCED_TORN, new RandomSource(seed)).list(""));
        }
        assertThat(outcomes)
                .containsExactlyInAnyOrder(
                        List.of("a"), List.of("a", "b"), List.of("c"), List.of("b", "c"));
    }

    @Test
    void renameBetweenDirectoriesNeverLosesTheFile() throws IOException {
        files.createDirectories("s");
        files.createDirectories("t");
        files.syncDirectory("");
        write(files, "s/a", new byte[] {1}, true);
        files.syncDirectory("s");
        files.rename("s/a", "t/a");
        Set<String> outcomes = new TreeSet<>();
        for (int seed = 0; seed < 100; seed++) {
            FaultyFileSystem after = files.crash(Crash.UNSYNCED_TORN, new RandomSource(seed));
            outcomes.add(after.list("s") + " " + after.list("t"));
        }
        assertThat(outcomes).containsExactly("[] [a]", "[a] []", "[a] [a]");

        FaultyFileSystem killed = files.crash(Crash.PROCESS_KILLED, RANDOM);
        killed.syncDirectory("s");
        FaultyFileSystem after = killed.crash(Crash.UNSYNCED_LOST, RANDOM);
        assertThat(after.list("s")).isEmpty();
        assertThat(read(after, "t/a")).containsExactly(1);
    }

    @Test
    void tornCrashKeepsNothingAllAPrefixOrSectors() throws IOException {
        WritableFile file = files.create("a");
        byte[] ones = new byte[2000];
        Arrays.fill(ones, (byte) 1);
        append(file, ones);
        file.sync();
        files.syncDirectory("");
        byte[] twos = new byte[3000];
        Arrays.fill(twos, (byte) 2);
        file.write(1000, OffHeapMemory.wrap(twos), 0, twos.length);

        boolean[] seen = new boolean[5];
        for (int seed = 0; seed < 300; seed++) {
            FaultyFileSystem after = files.crash(Crash.UNSYNCED_TORN, new RandomSource(seed));
            byte[] bytes = read(after, "a");
            assertThat(bytes.length).isBetween(2000, 4000);
            for (int i = 0; i < bytes.length; i++) {
                boolean legal =
                        bytes[i] == 2 ? i >= 1000 : i < 2000 ? bytes[i] == 1 : bytes[i] == 0;
                assertThat(legal).as("byte %s is %s", i, bytes[i]).isTrue();
            }
            int twosLeft = 0;
            boolean zeros = false;
            for (byte value : bytes) {
                twosLeft += value == 2 ? 1 : 0;
                zeros |= value == 0;
            }
            seen[0] |= twosLeft == 0 && bytes.length == 2000;
            seen[1] |= twosLeft == 3000;
            seen[2] |= twosLeft > 0 && twosLeft < 3000 && !zeros;
            seen[3] |= zeros;
            seen[4] |= bytes.length == 4000 && zeros;
        }
        assertThat(seen).containsOnly(true);
    }

    @Test
    void equalSeedsGiveEqualSurvivors() throws IOException {
        for (int i = 0; i < 20; i++) {
            write(files, "f" + i, new byte[5000], i % 2 == 0);
        }
        List<String> first = survivors(7);
        assertThat(survivors(7)).isEqualTo(first);
        assertThat(survivors(8)).isNotEqualTo(first);
    }

    private List<String> survivors(long seed) throws IOException {
        FaultyFileSystem after = files.crash(Crash.UNSYNCED_TORN, new RandomSource(seed));
        List<String> text = new ArrayList<>();
        for (String name : after.list("")) {
            text.add(name + Arrays.hashCode(read(after, name)) + after.size(name));
        }
        return text;
    }

    @Test
    void failedSyncMayDropWhatLaterSyncsDoNotBringBack() throws IOException {
        WritableFile file = files.create("a");
        append(file, new byte[] {1, 1});
        file.sync();
        files.syncDirectory("");
        append(file, new byte[] {2, 2});
        files.fail(1, call -> call.is(Operation.SYNC, "a"), FileFault.failedSyncThatDrops());
        assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
        append(file, new byte[] {3});
        file.sync();
        assertThat(read(files, "a")).containsExactly(1, 1, 2, 2, 3);
        FaultyFileSystem after = files.crash(Crash.UNSYNCED_LOST, RANDOM);
        assertThat(read(after, "a")).containsExactly(1, 1, 0, 0, 3);
    }

    @Test
    void failedSyncMayAlsoBeRepeated() throws IOException {
        WritableFile file = files.create("a");
        files.syncDirectory("");
        append(file, new byte[] {1});
        files.fail(1, call -> call.operation() == Operation.SYNC, FileFault.failure());
        assertThatThrownBy(file::sync).hasMessageContaining("injected");
        file.sync();
        assertThat(read(files.crash(Crash.UNSYNCED_LOST, RANDOM), "a")).containsExactly(1);
    }

    @Test
    void fullDiskKeepsAPartThatDoesNotCount() throws IOException {
        files.limitSpace(10);
        WritableFile file = files.create("a");
        append(file, new byte[] {1, 2, 3, 4, 5, 6});
        assertThatThrownBy(() -> append(file, new byte[] {7, 7, 7, 7, 7}))
                .isInstanceOf(OutOfSpaceException.class)
                .hasMessageContaining("memory:/a");
        assertThat(file.size()).isEqualTo(6);
        assertThat(files.size("a")).isEqualTo(10);
        assertThat(files.usableSpaceBytes("")).isZero();
        // Overwriting needs no space.
        append(file, new byte[] {8, 8, 8, 8});
        files.limitSpace(100);
        append(file, new byte[] {9});
        file.close();
        assertThat(read(files, "a")).containsExactly(1, 2, 3, 4, 5, 6, 8, 8, 8, 8, 9);
    }

    @Test
    void spaceIsFreeWhenNoNameAndNoHandleIsLeft() throws IOException {
        write(files, "a", new byte[100], false);
        files.link("a", "b");
        assertThat(files.usedBytes()).isEqualTo(100);
        files.delete("a");
        ReadableFile open = files.open("b");
        files.delete("b");
        assertThat(files.usedBytes()).isEqualTo(100);
        open.close();
        assertThat(files.usedBytes()).isZero();
        write(files, "c", new byte[7], false);
        write(files, "d", new byte[5], false);
        files.rename("c", "d");
        assertThat(files.usedBytes()).isEqualTo(7);
        assertThat(files.crash(Crash.PROCESS_KILLED, RANDOM).usedBytes()).isEqualTo(7);
    }

    @Test
    void anyCallFailsByIndexWithoutEffect() throws IOException {
        files.startTrace();
        write(files, "a", new byte[] {1}, true);
        assertThat(files.trace())
                .extracting(FileCall::operation)
                .containsExactly(
                        Operation.CREATE, Operation.WRITE, Operation.SYNC, Operation.CLOSE);
        for (int i = 0; i < 4; i++) {
            FaultyFileSystem broken = new FaultyFileSystem();
            long index = i;
            broken.fail(call -> call.index() == index, FileFault.outOfSpace());
            assertThatThrownBy(() -> write(broken, "a", new byte[] {1}, true))
                    .isInstanceOf(OutOfSpaceException.class);
            assertThat(broken.callCount()).isGreaterThan(i);
            assertThat(broken.exists("a")).isEqualTo(i > 0);
            broken.crash(Crash.UNSYNCED_LOST, RANDOM);
        }
    }

    @Test
    void readDamageChangesOneBitAndNotTheFile() throws IOException {
        write(files, "a", new byte[100], true);
        files.flipBitsOnRead(call -> call.is(Operation.READ, "a"), new RandomSource(3));
        byte[] damaged = read(files, "a");
        int bits = 0;
        for (byte value : damaged) {
            bits += Integer.bitCount(value & 0xff);
        }
        assertThat(bits).isEqualTo(1);
        files.heal();
        assertThat(read(files, "a")).isEqualTo(new byte[100]);
    }

    @Test
    void storedDamageSurvivesTheCrash() throws IOException {
        write(files, "a", new byte[4], true);
        files.syncDirectory("");
        files.flipBit("a", 2, 3);
        assertThat(read(files, "a")).containsExactly(0, 0, 8, 0);
        FaultyFileSystem after = files.crash(Crash.UNSYNCED_LOST, RANDOM);
        assertThat(read(after, "a")).containsExactly(0, 0, 8, 0);
        after.resize("a", 3);
        assertThat(read(after, "a")).containsExactly(0, 0, 8);
        assertThat(after.usedBytes()).isEqualTo(3);
    }

    @Test
    void gateHoldsACallWhileOthersPass() throws Exception {
        write(files, "a", new byte[] {1}, true);
        FileGate gate = new FileGate();
        files.fail(1, call -> call.operation() == Operation.READ, gate);
        List<byte[]> results = new ArrayList<>();
        Thread reader =
                new Thread(
                        () -> {
                            try {
                                results.add(read(files, "a"));
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
        reader.start();
        gate.awaitArrival();
        reader.interrupt();
        assertThat(read(files, "a")).containsExactly(1);
        assertThat(reader.isAlive()).isTrue();
        gate.open();
        reader.join();
        assertThat(results).hasSize(1);
    }

    @Test
    void everythingThrowsAfterACrash() throws IOException {
        WritableFile file = files.create("a");
        files.crash(Crash.PROCESS_KILLED, RANDOM);
        assertThatThrownBy(() -> append(file, new byte[1])).isInstanceOf(CrashedException.class);
        assertThatThrownBy(file::close).isInstanceOf(CrashedException.class);
        assertThatThrownBy(() -> files.list("")).isInstanceOf(CrashedException.class);
    }

    /** The usual way to replace a file: the new content, or the old, but never anything else. */
    @Test
    void replacingAFileIsAtomicAtEveryCrashPoint() {
        Seeds.run(
                3,
                random -> {
                    long points =
                            CrashPoints.forEach(
                                    random,
                                    10,
                                    tree -> {
                                        replace(tree, 1, true);
                                        replace(tree, 2, true);
                                    },
                                    (after, completed) -> {
                                        byte value =
                                                after.exists("f") ? single(read(after, "f")) : 0;
                                        assertThat(value).isBetween((byte) 0, (byte) 2);
                                        if (completed) {
                                            assertThat(value).isEqualTo((byte) 2);
                                        }
                                    });
                    assertThat(points).isEqualTo(11);
                });
    }

    /** The same without the sync of the content: the harness must find that it is wrong. */
    @Test
    void missingSyncIsFound() {
        assertThatThrownBy(
                        () ->
                                CrashPoints.forEach(
                                        new RandomSource(5),
                                        10,
                                        tree -> replace(tree, 1, false),
                                        (after, completed) -> {
                                            if (after.exists("f")) {
                                                single(read(after, "f"));
                                            }
                                        }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("crashAtChange=")
                .hasMessageContaining("seed=");
    }

    private static void replace(FileSystem files, int value, boolean synced) throws IOException {
        byte[] bytes = new byte[700];
        Arrays.fill(bytes, (byte) value);
        write(files, "f.tmp", bytes, synced);
        files.rename("f.tmp", "f");
        files.syncDirectory("");
    }

    private static byte single(byte[] bytes) {
        assertThat(bytes).hasSize(700);
        for (byte value : bytes) {
            assertThat(value).isEqualTo(bytes[0]);
        }
        return bytes[0];
    }
}
