package dev.tarn.testing;

import dev.tarn.io.FileSystem;
import dev.tarn.io.LocalFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A temporary directory of this machine as a file system, deleted after the test.
 *
 * <pre>{@code
 * @RegisterExtension final TestFiles files = new TestFiles();
 * }</pre>
 *
 * <p>or, for helpers, {@code try (TestFiles files = TestFiles.create())}. Files that are left open
 * fail the test.
 */
public final class TestFiles implements BeforeEachCallback, AfterEachCallback, AutoCloseable {
    private @Nullable Path root;
    private @Nullable FileSystem fileSystem;

    /** Creates the extension; the directory comes with each test. */
    public TestFiles() {}

    /** Creates a directory now; the caller closes it. */
    public static TestFiles create() {
        TestFiles files = new TestFiles();
        files.open();
        return files;
    }

    /** Returns the file system of the test that runs. */
    public FileSystem fileSystem() {
        FileSystem opened = fileSystem;
        if (opened == null) {
            throw new IllegalStateException("no test runs");
        }
        return opened;
    }

    /** Returns the directory, for what only the machine's own path can do. */
    public String path() {
        return String.valueOf(root);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        open();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        close();
    }

    private void open() {
        try {
            Path created = Files.createTempDirectory("tarn-test-");
            root = created;
            fileSystem = new TrackingFileSystem(new LocalFileSystem(created.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes the directory and all that is in it; links are deleted, not followed. */
    @Override
    public void close() {
        Path directory = root;
        root = null;
        fileSystem = null;
        if (directory == null) {
            return;
        }
        try {
            Files.walkFileTree(directory, new Deleter());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Deleter extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        /** Threads of the test may still be deleting. */
        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                throws IOException {
            if (failure != null) {
                throw failure;
            }
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
