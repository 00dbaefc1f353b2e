package dev.tarn.testing;

import dev.tarn.io.FileNames;
import dev.tarn.testing.FileNode.Directory;
import dev.tarn.testing.FileNode.Regular;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The visible names of a {@link FaultyFileSystem}.
 *
 * <p>Threads: guarded by the file system's mutex.
 */
final class FileTree {
    private final Directory root;

    FileTree(Directory root) {
        this.root = root;
    }

    Directory root() {
        return root;
    }

    /** Counts the names of each file, and returns the bytes of all. */
    long countUses() {
        return countUses(root, new HashSet<>());
    }

    private static long countUses(Directory directory, Set<Regular> seen) {
        long bytes = 0;
        for (FileNode node : directory.names.values()) {
            if (node instanceof Directory child) {
                bytes += countUses(child, seen);
            } else {
                Regular file = (Regular) node;
                file.uses++;
                bytes += seen.add(file) ? file.size() : 0;
            }
        }
        return bytes;
    }

    @Nullable FileNode find(String name) {
        FileNode node = root;
        if (name.isEmpty()) {
            return node;
        }
        for (String part : name.split("/", -1)) {
            node = node instanceof Directory directory ? directory.names.get(part) : null;
            if (node == null) {
                return null;
            }
        }
        return node;
    }

    Regular regular(String name) throws IOException {
        FileNode node = find(name);
        if (node == null) {
            throw new NoSuchFileException(name);
        }
        if (node instanceof Regular file) {
            return file;
        }
        throw new FileSystemException(name, null, "is not a file");
    }

    Directory directory(String name) throws IOException {
        FileNode node = find(name);
        if (node == null) {
            throw new NoSuchFileException(name);
        }
        if (node instanceof Directory directory) {
            return directory;
        }
        throw new NotDirectoryException(name);
    }

    Directory parentOf(String name) throws IOException {
        FileNode node = find(FileNames.parent(name));
        if (node == null) {
            throw new NoSuchFileException(name, null, "its directory does not exist");
        }
        if (node instanceof Directory directory) {
            return directory;
        }
        throw new FileSystemException(name, null, "its directory is a file");
    }

    Regular create(String name) throws IOException {
        Directory parent = parentOf(name);
        if (find(name) != null) {
            throw new FileAlreadyExistsException(name);
        }
        Regular file = new Regular();
        file.uses++;
        parent.add(FileNames.last(name), file);
        return file;
    }
}
