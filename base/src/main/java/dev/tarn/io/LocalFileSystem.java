package dev.tarn.io;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The files of this machine below one directory.
 *
 * <p>Threads: safe; a thread that is interrupted, before or while it calls, finishes the call and
 * keeps its interrupt flag. Files stay usable for everybody else.
 *
 * <p>Symbolic links: a directory below the root may be a link as long as it leads to a place below
 * the root; a file is never opened through a link. Both are refused with {@link
 * FileSystemException}. Deleting and renaming act on the link itself. This guards against
 * accidents, not against somebody who changes the tree at the same moment. The root itself may be a
 * link.
 */
public final class LocalFileSystem implements FileSystem {
    /** Where links may lead at most: the directory that this file system was first opened at. */
    private final Path top;

    private final Path root;

    /**
     * Creates a file system below a directory of this machine, which need not exist yet: {@link
     * #createDirectories} of {@code ""} makes it.
     */
    public LocalFileSystem(String rootDirectory) {
        this(Path.of(rootDirectory).toAbsolutePath(), Path.of(rootDirectory).toAbsolutePath());
    }

    private LocalFileSystem(Path top, Path root) {
        this.top = top;
        this.root = root;
    }

    @Override
    public ReadableFile open(String name) throws IOException {
        return LocalReadableFile.open(file(name));
    }

    @Override
    public WritableFile create(String name) throws IOException {
        Path path = file(name);
        try {
            return LocalWritableFile.create(path);
        } catch (IOException e) {
            throw DiskErrors.translate("file not created", path.toString(), e);
        }
    }

    @Override
    public WritableFile openForAppend(String name) throws IOException {
        return LocalWritableFile.openForAppend(file(name));
    }

    @Override
    public void link(String existing, String name) throws IOException {
        Path source = file(existing);
        Path target = file(name);
        if (!Files.exists(source, LinkOption.NOFOLLOW_LINKS)) {
            throw new NoSuchFileException(source.toString());
        }
        try {
            Files.createLink(target, source);
        } catch (IOException e) {
            throw DiskErrors.translate("file not linked", target.toString(), e);
        }
    }

    @Override
    public void rename(String source, String target) throws IOException {
        Path from = file(source);
        Path to = file(target);
        LocalReadableFile.Identity.of(from);
        if (Files.isDirectory(to, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(to.toString(), null, "is not a file");
        }
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw DiskErrors.translate("file not renamed", to.toString(), e);
        }
    }

    @Override
    public void delete(String name) throws IOException {
        Files.delete(file(name));
    }

    @Override
    public List<String> list(String directory) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directoryPath(directory))) {
            for (Path entry : entries) {
                names.add(String.valueOf(entry.getFileName()));
            }
        } catch (java.nio.file.DirectoryIteratorException e) {
            throw e.getCause();
        }
        names.sort(null);
        return names;
    }

    @Override
    public boolean exists(String name) throws IOException {
        return existing(name, path -> Files.exists(path, LinkOption.NOFOLLOW_LINKS));
    }

    @Override
    public boolean isDirectory(String name) throws IOException {
        return existing(name, Files::isDirectory);
    }

    @Override
    public long size(String name) throws IOException {
        Path path = file(name);
        LocalReadableFile.Identity identity = LocalReadableFile.Identity.of(path);
        return identity.sizeBytes();
    }

    @Override
    public void createDirectories(String directory) throws IOException {
        Path target = root.resolve(FileNames.check(directory));
        Files.createDirectories(top);
        Path path = top;
        for (Path part : top.relativize(target)) {
            checkInside(path);
            path = path.resolve(part);
            try {
                Files.createDirectory(path);
            } catch (FileAlreadyExistsException e) {
                if (!Files.isDirectory(path)) {
                    throw e;
                }
            } catch (IOException e) {
                throw DiskErrors.translate("directory not created", path.toString(), e);
            }
        }
        checkInside(path);
    }

    @Override
    public void syncDirectory(String directory) throws IOException {
        Path path = directoryPath(directory);
        boolean interrupted = Thread.interrupted();
        // An interrupt hides the outcome of the sync that it hits, and the kernel reports a fault
        // once per open file: so the second one is open before the first may fail.
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
                FileChannel spare = FileChannel.open(path, StandardOpenOption.READ)) {
            try {
                channel.force(true);
            } catch (ClosedByInterruptException e) {
                interrupted |= Thread.interrupted();
                spare.force(true);
            }
        } catch (IOException e) {
            throw DiskErrors.translate("directory not synced", path.toString(), e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public FileLock lock(String name, String holder) throws IOException {
        return LocalFileLock.acquire(file(name), holder);
    }

    @Override
    public long usableSpaceBytes(String directory) throws IOException {
        return Files.getFileStore(directoryPath(directory)).getUsableSpace();
    }

    @Override
    public FileSystem directory(String directory) {
        FileNames.check(directory);
        return directory.isEmpty() ? this : new LocalFileSystem(top, root.resolve(directory));
    }

    @Override
    public String describe(String name) {
        return root.resolve(FileNames.check(name)).toString();
    }

    @Override
    public String toString() {
        return "LocalFileSystem[root=" + root + "]";
    }

    /** Returns the path of a name that is not the root, in a directory that is inside the tree. */
    private Path file(String name) throws IOException {
        Path path = root.resolve(FileNames.checkNotRoot(name));
        try {
            checkInside(parent(path));
        } catch (NoSuchFileException e) {
            throw new NoSuchFileException(path.toString(), null, "its directory does not exist");
        }
        return path;
    }

    private Path directoryPath(String directory) throws IOException {
        Path path = root.resolve(FileNames.check(directory));
        checkInside(path);
        return path;
    }

    private boolean existing(String name, java.util.function.Predicate<Path> question)
            throws IOException {
        FileNames.check(name);
        Path path = name.isEmpty() ? root : root.resolve(name);
        try {
            checkInside(name.isEmpty() ? root : parent(path));
        } catch (NoSuchFileException e) {
            return false;
        } catch (FileSystemException e) {
            if (isBelowFile(path)) {
                return false;
            }
            throw e;
        }
        return question.test(path) && (!Files.isSymbolicLink(path) || leadsInside(path));
    }

    /** A name below a file is the name of nothing. */
    private static boolean isBelowFile(Path path) {
        for (Path above = path.getParent(); above != null; above = above.getParent()) {
            if (Files.exists(above)) {
                return !Files.isDirectory(above);
            }
        }
        return false;
    }

    private boolean leadsInside(Path path) throws IOException {
        try {
            checkInside(path);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private void checkInside(Path directory) throws IOException {
        Path real = directory.toRealPath();
        if (!real.startsWith(top.toRealPath())) {
            throw new FileSystemException(
                    directory.toString(), null, "symbolic link leads out of the tree to " + real);
        }
    }

    private static Path parent(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalArgumentException("path has no parent: path=" + path);
        }
        return parent;
    }
}
