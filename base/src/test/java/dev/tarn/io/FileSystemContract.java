package dev.tarn.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.memory.ClosedException;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.Seeds;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link FileSystem} promises, as cases that every implementation passes. */
abstract class FileSystemContract {
    /** Returns the empty file system of the test that runs. */
    abstract FileSystem files();

    final void write(String name, String text) throws IOException {
        try (WritableFile file = files().create(name)) {
            append(file, text);
        }
    }

    static void append(WritableFile file, String text) throws IOException {
        OffHeapMemory bytes = memory(text);
        file.append(bytes, 0, bytes.capacity());
    }

    final String read(String name) throws IOException {
        return read(files(), name);
    }

    static String read(FileSystem files, String name) throws IOException {
        try (ReadableFile file = files.open(name)) {
            byte[] bytes = new byte[(int) file.size()];
            file.read(0, OffHeapMemory.wrap(bytes), 0, bytes.length);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    static OffHeapMemory memory(String text) {
        return OffHeapMemory.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void whatIsAppendedIsRead() throws IOException {
        try (WritableFile file = files().create("a")) {
            assertThat(file.size()).isZero();
            append(file, "hello ");
            append(file, "world");
            assertThat(file.size()).isEqualTo(11);
            file.sync();
            assertThat(file.describe()).isEqualTo(files().describe("a"));
        }
        assertThat(read("a")).isEqualTo("hello world");
        assertThat(files().size("a")).isEqualTo(11);
    }

    @Test
    void readsTakePartsAndKeepTheRestOfTheTarget() throws IOException {
        write("a", "0123456789");
        byte[] target = "..........".getBytes(StandardCharsets.UTF_8);
        try (ReadableFile file = files().open("a")) {
            file.read(3, OffHeapMemory.wrap(target), 2, 4);
            file.read(10, OffHeapMemory.wrap(target), 0, 0);
            assertThat(file.describe()).isEqualTo(files().describe("a"));
        }
        assertThat(new String(target, StandardCharsets.UTF_8)).isEqualTo("..3456....");
    }

    @Test
    void readBehindTheEndIsEndOfFile() throws IOException {
        write("a", "0123456789");
        OffHeapMemory target = OffHeapMemory.wrap(new byte[20]);
        try (ReadableFile file = files().open("a")) {
            for (long position : new long[] {10, 5, 11, 1L << 40, Long.MAX_VALUE - 20}) {
                assertThatThrownBy(() -> file.read(position, target, 0, 6))
                        .isInstanceOf(EOFException.class)
                        .hasMessageContaining(file.describe());
            }
        }
    }

    @Test
    void readChecksItsArguments() throws IOException {
        write("a", "0123456789");
        OffHeapMemory target = OffHeapMemory.wrap(new byte[8]);
        try (ReadableFile file = files().open("a")) {
            assertThatThrownBy(() -> file.read(-1, target, 0, 1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.read(0, target, 4, 5))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.read(0, target, -1, 5))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.read(0, target, 0, -1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void writesReplaceBytesAndMayExtend() throws IOException {
        try (WritableFile file = files().create("a")) {
            append(file, "0123456789");
            file.write(2, memory("ab"), 0, 2);
            file.write(9, memory("xyz"), 0, 3);
            assertThat(file.size()).isEqualTo(12);
            file.write(12, memory("!"), 0, 1);
            append(file, "?");
            assertThatThrownBy(() -> file.write(15, memory("!"), 0, 1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.write(-1, memory("!"), 0, 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(read("a")).isEqualTo("01ab45678xyz!?");
    }

    @Test
    void appendContinuesAnExistingFile() throws IOException {
        write("a", "one");
        try (WritableFile file = files().openForAppend("a")) {
            assertThat(file.size()).isEqualTo(3);
            append(file, "two");
        }
        assertThat(read("a")).isEqualTo("onetwo");
        assertThatThrownBy(() -> files().openForAppend("b"))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void randomWritesEqualAnArray() {
        Seeds.run(
                5,
                random -> {
                    String name = "random-" + random.seed();
                    byte[] expected = new byte[0];
                    try (WritableFile file = files().create(name)) {
                        for (int i = 0; i < 100; i++) {
                            byte[] bytes = random.bytes(random.skewed(10_000));
                            int position = random.between(0, expected.length + 1);
                            file.write(position, OffHeapMemory.wrap(bytes), 0, bytes.length);
                            int end = position + bytes.length;
                            expected = Arrays.copyOf(expected, Math.max(expected.length, end));
                            System.arraycopy(bytes, 0, expected, position, bytes.length);
                        }
                    }
                    byte[] actual = new byte[expected.length];
                    try (ReadableFile file = files().open(name)) {
                        assertThat(file.size()).isEqualTo(expected.length);
                        file.read(0, OffHeapMemory.wrap(actual), 0, actual.length);
                    }
                    assertThat(actual).isEqualTo(expected);
                });
    }

    @Test
    void createIsExclusive() throws IOException {
        write("a", "one");
        assertThatThrownBy(() -> files().create("a"))
                .isInstanceOf(FileAlreadyExistsException.class);
        files().createDirectories("d");
        assertThatThrownBy(() -> files().create("d"))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(read("a")).isEqualTo("one");
    }

    @Test
    void missingFilesAreNamed() {
        assertThatThrownBy(() -> files().open("missing"))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("missing");
        assertThatThrownBy(() -> files().size("missing")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> files().delete("missing"))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("missing");
        assertThatThrownBy(() -> files().list("missing")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> files().link("missing", "b"))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> files().rename("missing", "b"))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> files().syncDirectory("missing"))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> files().create("no/directory"))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("no/directory");
        assertThatThrownBy(() -> files().lock("no/directory", "me"))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void linkGivesASecondNameExclusively() throws IOException {
        write("a", "one");
        files().link("a", "b");
        assertThat(read("b")).isEqualTo("one");
        assertThatThrownBy(() -> files().link("a", "b"))
                .isInstanceOf(FileAlreadyExistsException.class);
        files().delete("a");
        assertThat(read("b")).isEqualTo("one");
        assertThat(files().list("")).containsExactly("b");
    }

    @Test
    void renameReplacesTheTarget() throws IOException {
        write("a", "one");
        write("b", "two");
        files().rename("a", "b");
        assertThat(read("b")).isEqualTo("one");
        assertThat(files().exists("a")).isFalse();
        files().createDirectories("d");
        files().rename("b", "d/c");
        assertThat(read("d/c")).isEqualTo("one");
        assertThat(files().list("")).containsExactly("d");
    }

    @Test
    void renameTakesFilesOnly() throws IOException {
        files().createDirectories("d");
        write("a", "one");
        assertThatThrownBy(() -> files().rename("d", "e")).isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> files().rename("a", "d")).isInstanceOf(FileSystemException.class);
        assertThat(files().list("")).containsExactly("a", "d");
    }

    @Test
    void openFileOutlivesItsName() throws IOException {
        write("a", "one");
        try (ReadableFile file = files().open("a")) {
            files().delete("a");
            byte[] bytes = new byte[3];
            file.read(0, OffHeapMemory.wrap(bytes), 0, 3);
            assertThat(new String(bytes, StandardCharsets.UTF_8)).isEqualTo("one");
        }
        assertThat(files().exists("a")).isFalse();
    }

    @Test
    void directoriesAreListedInOrder() throws IOException {
        files().createDirectories("d/e/f");
        files().createDirectories("d/e");
        for (String name : new String[] {"b", "a", "ab", "Z", "10", "9"}) {
            write("d/" + name, name);
        }
        assertThat(files().list("d")).containsExactly("10", "9", "Z", "a", "ab", "b", "e");
        assertThat(files().list("d/e/f")).isEmpty();
        assertThat(files().isDirectory("d/e")).isTrue();
        assertThat(files().isDirectory("d/a")).isFalse();
        assertThat(files().isDirectory("d/missing")).isFalse();
        assertThat(files().isDirectory("")).isTrue();
        assertThat(files().exists("d/e")).isTrue();
        assertThat(files().exists("d/a")).isTrue();
        assertThat(files().exists("d/a/below-a-file")).isFalse();
        assertThat(files().exists("missing/missing")).isFalse();
        files().syncDirectory("");
        files().syncDirectory("d/e");
        assertThatThrownBy(() -> files().list("d/a")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> files().createDirectories("d/a"))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void onlyEmptyDirectoriesAreDeleted() throws IOException {
        files().createDirectories("d");
        write("d/a", "one");
        assertThatThrownBy(() -> files().delete("d"))
                .isInstanceOf(DirectoryNotEmptyException.class);
        files().delete("d/a");
        files().delete("d");
        assertThat(files().list("")).isEmpty();
    }

    @Test
    void directoriesAreNoFiles() throws IOException {
        files().createDirectories("d");
        assertThatThrownBy(() -> files().open("d")).isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> files().openForAppend("d"))
                .isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> files().size("d")).isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> files().lock("d", "me")).isInstanceOf(FileSystemException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\0b"})
    void improperNamesAreRefused(String name) {
        assertThatThrownBy(() -> files().open(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files().create(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files().delete(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files().exists(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files().rename("a", name))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files().link(name, "a"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files().createDirectories(name))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files().directory(name))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files().describe(name))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theRootIsNoFile() {
        assertThatThrownBy(() -> files().create("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files().open("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files().delete("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void unusualNamesArePossible() throws IOException {
        for (String name : new String[] {"...", ".hidden", "a b", "ä", "-", "a.sst"}) {
            write(name, name);
            assertThat(read(name)).isEqualTo(name);
        }
        assertThat(files().list("")).hasSize(6);
    }

    @Test
    void subtreeHasItsOwnNames() throws IOException {
        FileSystem below = files().directory("d/e");
        assertThat(below.exists("")).isFalse();
        below.createDirectories("f");
        try (WritableFile file = below.create("f/a")) {
            append(file, "one");
        }
        assertThat(read("d/e/f/a")).isEqualTo("one");
        assertThat(below.list("")).containsExactly("f");
        assertThat(below.directory("f").list("")).containsExactly("a");
        assertThat(below.describe("f/a")).isEqualTo(files().describe("d/e/f/a"));
        assertThatThrownBy(() -> below.delete("")).isInstanceOf(IllegalArgumentException.class);
        below.directory("f").rename("a", "b");
        below.link("f/b", "c");
        below.syncDirectory("");
        assertThat(below.size("c")).isEqualTo(3);
        assertThat(read("d/e/c")).isEqualTo("one");
        assertThat(below.usableSpaceBytes("")).isPositive();
        try (FileLock lock = below.lock("LOCK", "me")) {
            assertThat(lock).isNotNull();
            assertThatThrownBy(() -> files().lock("d/e/LOCK", "other"))
                    .isInstanceOf(LockedException.class);
        }
    }

    @Test
    void lockIsExclusiveAndNamesItsHolder() throws IOException {
        FileLock lock = files().lock("LOCK", "writer of bucket 7");
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> files().lock("LOCK", "other"))
                    .isInstanceOf(LockedException.class)
                    .hasMessageContaining("writer of bucket 7")
                    .hasMessageContaining(files().describe("LOCK"));
        }
        lock.close();
        assertThatThrownBy(lock::close).isInstanceOf(ClosedException.class);
        assertThat(files().exists("LOCK")).isTrue();
        files().lock("LOCK", "other").close();
    }

    @Test
    void locksOfDifferentFilesAreIndependent() throws IOException {
        FileLock one = files().lock("LOCK-1", "me");
        FileLock two = files().lock("LOCK-2", "me");
        one.close();
        assertThatThrownBy(() -> files().lock("LOCK-2", "other"))
                .isInstanceOf(LockedException.class);
        two.close();
    }

    @Test
    void usableSpaceIsPositive() throws IOException {
        assertThat(files().usableSpaceBytes("")).isPositive();
        assertThatThrownBy(() -> files().usableSpaceBytes("missing"))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void closingTwiceAndUseAfterCloseThrow() throws IOException {
        WritableFile written = files().create("a");
        append(written, "one");
        written.close();
        assertThatThrownBy(written::close).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> append(written, "two")).isInstanceOf(ClosedException.class);
        assertThatThrownBy(written::sync).isInstanceOf(ClosedException.class);
        ReadableFile file = files().open("a");
        file.close();
        assertThatThrownBy(file::close).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> file.read(0, OffHeapMemory.wrap(new byte[3]), 0, 3))
                .isInstanceOf(ClosedException.class);
        assertThat(read("a")).isEqualTo("one");
    }
}
