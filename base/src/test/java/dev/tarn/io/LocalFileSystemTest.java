package dev.tarn.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.TestFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What only files of this machine can get wrong; the rest is in {@link FileSystemContract}. */
class LocalFileSystemTest {
    private static final int FILE_SIZE_BYTES = 64 * 1024;

    @RegisterExtension final TestFiles files = new TestFiles();

    private FileSystem tree() {
        return files.fileSystem();
    }

    private Path path(String name) {
        return Path.of(files.path(), name);
    }

    private void write(String name, byte[] bytes) throws IOException {
        try (WritableFile file = tree().create(name)) {
            file.append(OffHeapMemory.wrap(bytes), 0, bytes.length);
        }
    }

    private static byte[] pattern() {
        ByteBuffer bytes = ByteBuffer.allocate(FILE_SIZE_BYTES);
        while (bytes.hasRemaining()) {
            bytes.putLong(bytes.position());
        }
        return bytes.array();
    }

    /** Reads at positions that tell what must be there. */
    private static void readAndCheck(ReadableFile file, int round) throws IOException {
        OffHeapMemory target = OffHeapMemory.wrap(ByteBuffer.allocateDirect(4096));
        int position = round * 512 % (FILE_SIZE_BYTES - 4096);
        file.read(position, target, 0, 4096);
        if (target.getLongBigEndian(0) != position
                || target.getLongBigEndian(4088) != position + 4088L) {
            throw new AssertionError("wrong bytes at position " + position);
        }
    }

    /** Runs in a thread and hands on what it throws. */
    private static final class Worker extends Thread {
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        @FunctionalInterface
        interface Body {
            void run() throws Exception;
        }

        Worker(Body body) {
            super(
                    () -> {
                        Worker self = (Worker) Thread.currentThread();
                        try {
                            body.run();
                        } catch (Exception | Error e) {
                            self.failure.set(e);
                        }
                    });
            start();
        }

        void end() throws InterruptedException {
            join();
            Throwable thrown = failure.get();
            if (thrown != null) {
                throw new AssertionError("worker failed", thrown);
            }
        }
    }

    @Test
    void readsOfInterruptedThreadsAndOfOthersNeverFail() throws Exception {
        write("a", pattern());
        AtomicBoolean done = new AtomicBoolean();
        try (ReadableFile file = tree().open("a")) {
            List<Worker> readers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                readers.add(
                        new Worker(
                                () -> {
                                    for (int round = 0; round < 3000; round++) {
                                        readAndCheck(file, round);
                                    }
                                }));
            }
            // Two of the readers are interrupted all the time.
            Worker interrupter =
                    new Worker(
                            () -> {
                                while (!done.get()) {
                                    readers.get(0).interrupt();
                                    readers.get(1).interrupt();
                                    Thread.onSpinWait();
                                }
                            });
            try {
                for (Worker reader : readers) {
                    reader.end();
                }
            } finally {
                done.set(true);
                interrupter.end();
            }
        }
    }

    @Test
    void interruptFlagStaysSet() throws Exception {
        write("a", pattern());
        new Worker(
                        () -> {
                            try (ReadableFile file = tree().open("a");
                                    WritableFile written = tree().create("b")) {
                                Thread.currentThread().interrupt();
                                readAndCheck(file, 7);
                                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                                byte[] bytes = {1, 2, 3};
                                written.append(OffHeapMemory.wrap(bytes), 0, 3);
                                written.sync();
                                tree().syncDirectory("");
                                try (FileLock lock = tree().lock("LOCK", "me")) {
                                    assertThat(lock).isNotNull();
                                }
                                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                            }
                        })
                .end();
        assertThat(Files.readAllBytes(path("b"))).containsExactly(1, 2, 3);
    }

    @Test
    void writesOfAnInterruptedThreadAreComplete() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        byte[] bytes = pattern();
        Worker writer =
                new Worker(
                        () -> {
                            try (WritableFile file = tree().create("a")) {
                                for (int at = 0; at < bytes.length; at += 128) {
                                    file.append(OffHeapMemory.wrap(bytes), at, 128);
                                    if (at % 4096 == 0) {
                                        file.sync();
                                        tree().exists("a");
                                    }
                                }
                            }
                        });
        Worker interrupter =
                new Worker(
                        () -> {
                            while (!done.get()) {
                                writer.interrupt();
                                Thread.onSpinWait();
                            }
                        });
        try {
            writer.end();
        } finally {
            done.set(true);
            interrupter.end();
        }
        assertThat(Files.readAllBytes(path("a"))).isEqualTo(bytes);
    }

    /** After an interrupt the file is opened again by its name, which may be another file's now. */
    @Test
    void replacedFileIsNeverReadInPlaceOfTheOpenOne() throws Exception {
        write("a", pattern());
        try (ReadableFile file = tree().open("a")) {
            write("other", new byte[FILE_SIZE_BYTES]);
            tree().rename("other", "a");
            readAndCheck(file, 1);
            AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
            Worker reader =
                    new Worker(
                            () -> {
                                while (failure.get() == null) {
                                    try {
                                        readAndCheck(file, 1);
                                    } catch (IOException e) {
                                        failure.set(e);
                                    }
                                }
                            });
            while (reader.isAlive()) {
                reader.interrupt();
            }
            reader.end();
            assertThat(failure.get())
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("replaced");
        }
    }

    @Test
    void linksInsideTheTreeAreFollowedForDirectoriesOnly() throws IOException {
        tree().createDirectories("d");
        write("d/a", new byte[] {1});
        Files.createSymbolicLink(path("dlink"), path("d"));
        Files.createSymbolicLink(path("alink"), path("d/a"));
        assertThat(tree().size("dlink/a")).isEqualTo(1);
        assertThat(tree().list("dlink")).containsExactly("a");
        assertThatThrownBy(() -> tree().open("alink"))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("symbolic link");
        assertThatThrownBy(() -> tree().openForAppend("alink"))
                .isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> tree().create("alink")).isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> tree().lock("alink", "me"))
                .isInstanceOf(FileSystemException.class);
        tree().delete("alink");
        assertThat(tree().exists("d/a")).isTrue();
    }

    @Test
    void linksOutOfTheTreeAreRefused() throws IOException {
        try (TestFiles outside = TestFiles.create()) {
            Path victim = Path.of(outside.path(), "victim");
            Files.write(victim, new byte[] {1, 2});
            Files.createSymbolicLink(path("out"), Path.of(outside.path()));
            tree().createDirectories("d");
            for (FileSystem view : List.of(tree(), tree().directory("out"))) {
                String name = view == tree() ? "out/victim" : "victim";
                String directory = view == tree() ? "out" : "";
                assertRefused(() -> view.open(name));
                assertRefused(() -> view.openForAppend(name));
                assertRefused(() -> view.size(name));
                assertRefused(() -> view.delete(name));
                assertRefused(() -> view.list(directory));
                assertRefused(() -> view.exists(name));
                assertRefused(() -> view.create(name + "2"));
                assertRefused(() -> view.rename(name, name + "2"));
                assertRefused(() -> view.link(name, name + "2"));
                assertRefused(() -> view.createDirectories(name + "3"));
                assertRefused(() -> view.syncDirectory(directory));
                assertRefused(() -> view.lock(name, "me"));
                assertRefused(() -> view.usableSpaceBytes(directory));
            }
            assertRefused(() -> tree().rename("out/victim", "d/a"));
            assertRefused(() -> tree().link("out/victim", "d/a"));
            assertThat(Files.readAllBytes(victim)).containsExactly(1, 2);
            tree().delete("out");
            assertThat(Files.exists(victim)).isTrue();
        }
    }

    private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("leads out of the tree");
    }

    @Test
    void rootMayBeALink() throws IOException {
        Files.createDirectory(path("real"));
        Files.createSymbolicLink(path("root"), path("real"));
        FileSystem linked = new LocalFileSystem(path("root").toString());
        linked.createDirectories("d");
        linked.create("d/a").close();
        assertThat(Files.exists(path("real/d/a"))).isTrue();
        assertThat(linked.list("d")).containsExactly("a");
    }

    @Test
    void lockIsHeldAgainstOtherProcessesAndNamesTheirPid() throws Exception {
        try (FileLock lock = tree().lock("LOCK", "holder of the parent")) {
            assertThat(lock).isNotNull();
            // A refused attempt must not take the lock away, as closing a handle does on POSIX.
            assertThatThrownBy(() -> tree().lock("LOCK", "other"))
                    .isInstanceOf(LockedException.class);
            assertThat(lockInChild(false))
                    .contains("refused")
                    .contains("pid=" + ProcessHandle.current().pid())
                    .contains("holder of the parent");
        }
        assertThat(lockInChild(false)).contains("locked");
    }

    @Test
    void lockEndsWithItsProcess() throws Exception {
        assertThat(lockInChild(true)).contains("locked");
        assertThat(Files.readString(path("LOCK"))).contains("holder of the child");
        try (FileLock lock = tree().lock("LOCK", "me")) {
            assertThat(lock).isNotNull();
            assertThat(Files.readString(path("LOCK")))
                    .isEqualTo("pid=" + ProcessHandle.current().pid() + " holder=me");
        }
    }

    private String lockInChild(boolean haltWithLock) throws Exception {
        Process child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                LockingChild.class.getName(),
                                files.path(),
                                String.valueOf(haltWithLock))
                        .redirectErrorStream(true)
                        .start();
        try (BufferedReader output =
                new BufferedReader(
                        new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            String text = String.join("\n", output.lines().toList());
            assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return text;
        }
    }

    /** The other process. */
    static final class LockingChild {
        private LockingChild() {}

        public static void main(String[] arguments) throws IOException {
            FileSystem tree = new LocalFileSystem(arguments[0]);
            try {
                FileLock lock = tree.lock("LOCK", "holder of the child");
                System.out.println("locked");
                if (Boolean.parseBoolean(arguments[1])) {
                    Runtime.getRuntime().halt(0);
                }
                lock.close();
            } catch (LockedException e) {
                System.out.println("refused: " + e.getMessage());
            }
        }
    }

    @Test
    void textOfAFullDeviceIsRecognised() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full));
        try (FileChannel channel = FileChannel.open(full, StandardOpenOption.WRITE)) {
            assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(10)))
                    .isInstanceOfSatisfying(
                            IOException.class,
                            e -> {
                                assertThat(DiskErrors.isFull(e)).isTrue();
                                assertThat(DiskErrors.explain("write failed", "x", e))
                                        .isInstanceOf(OutOfSpaceException.class)
                                        .hasMessageStartingWith("write failed: file=x");
                            });
        }
    }

    @Test
    void otherFaultsAreNotAFullDevice() {
        assertThat(DiskErrors.isFull(new IOException("Input/output error"))).isFalse();
        assertThat(DiskErrors.isFull(new IOException())).isFalse();
        assertThat(DiskErrors.isFull(new FileSystemException("a", null, "Disk quota exceeded")))
                .isTrue();
        FileSystemException fault = new FileSystemException("a", null, "Read-only file system");
        assertThat(DiskErrors.translate("x", "a", fault)).isSameAs(fault);
    }

    /** Needs the right to mount, so it is skipped elsewhere. */
    @Test
    void fullDiskIsOutOfSpaceAndGoesOnOnceThereIsRoom() throws Exception {
        Path mount = Files.createDirectory(path("mount"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", mount.toString()));
        try {
            FileSystem small = new LocalFileSystem(mount.toString());
            byte[] bytes = new byte[40_000];
            try (WritableFile filler = small.create("filler");
                    WritableFile file = small.create("a")) {
                filler.append(OffHeapMemory.wrap(bytes), 0, bytes.length);
                assertThatThrownBy(() -> file.append(OffHeapMemory.wrap(bytes), 0, bytes.length))
                        .isInstanceOf(OutOfSpaceException.class)
                        .hasMessageContaining("a");
                assertThat(file.size()).isZero();
            }
            small.delete("filler");
            try (WritableFile file = small.openForAppend("a")) {
                file.write(0, OffHeapMemory.wrap(bytes), 0, bytes.length);
                file.sync();
            }
            assertThat(small.size("a")).isEqualTo(40_000);
            assertThat(small.usableSpaceBytes("")).isLessThan(64 * 1024);
        } finally {
            assertThat(run("umount", mount.toString())).isTrue();
        }
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
