package dev.tarn.io;

import dev.tarn.memory.ClosedException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An advisory lock of the operating system on a file that names its holder.
 *
 * <p>POSIX drops all locks that a process has on a file as soon as it closes <em>any</em> handle of
 * that file. So within one JVM a file is opened for locking once: the table below knows what is
 * open, and a handle is closed only when no lock of this JVM can be on it.
 *
 * <p>Threads: any; {@code FILES} is the monitor of all.
 */
final class LocalFileLock implements FileLock {
    private static final int HOLDER_LENGTH_MAX = 512;

    /**
     * Static, since the locks of the operating system belong to the process too. A handle stays
     * here unlocked if a second copy of this class, from another class loader, held the lock.
     */
    private static final Map<Path, LocalFileLock> FILES = new HashMap<>();

    private final Path path;
    private final RandomAccessFile file;
    private java.nio.channels.@Nullable FileLock lock;

    private LocalFileLock(Path path, RandomAccessFile file) {
        this.path = path;
        this.file = file;
    }

    static FileLock acquire(Path name, String holder) throws IOException {
        synchronized (FILES) {
            if (Files.isSymbolicLink(name)) {
                throw new FileSystemException(
                        name.toString(), null, "symbolic links are not opened");
            }
            Path parent = name.getParent();
            Path path =
                    parent == null
                            ? name
                            : parent.toRealPath().resolve(String.valueOf(name.getFileName()));
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileSystemException(path.toString(), null, "is not a file");
            }
            LocalFileLock entry = FILES.get(path);
            if (entry != null && entry.lock != null) {
                throw entry.refused();
            }
            if (entry == null) {
                entry = new LocalFileLock(path, new RandomAccessFile(path.toString(), "rw"));
            }
            entry.tryLock(holder);
            FILES.put(path, entry);
            return entry;
        }
    }

    private void tryLock(String holder) throws IOException {
        java.nio.channels.FileLock acquired;
        try {
            acquired = file.getChannel().tryLock();
        } catch (OverlappingFileLockException e) {
            // Another copy of this class holds it; closing the handle would take its lock away.
            FILES.put(path, this);
            throw refused();
        }
        if (acquired == null) {
            LockedException refused = refused();
            FILES.remove(path);
            file.close();
            throw refused;
        }
        lock = acquired;
        try {
            byte[] text =
                    ("pid=" + ProcessHandle.current().pid() + " holder=" + holder)
                            .getBytes(StandardCharsets.UTF_8);
            file.setLength(0);
            file.seek(0);
            file.write(text, 0, Math.min(text.length, HOLDER_LENGTH_MAX));
        } catch (IOException e) {
            lock = null;
            FILES.remove(path);
            file.close();
            throw DiskErrors.explain("lock holder not written", path.toString(), e);
        }
    }

    private LockedException refused() throws IOException {
        byte[] text = new byte[HOLDER_LENGTH_MAX];
        file.seek(0);
        int length = Math.max(0, file.read(text));
        return new LockedException(
                "lock is held: file="
                        + path
                        + " "
                        + (length == 0
                                ? "holder unknown"
                                : new String(text, 0, length, StandardCharsets.UTF_8)));
    }

    @Override
    public void close() throws IOException {
        synchronized (FILES) {
            java.nio.channels.FileLock held = lock;
            if (held == null) {
                throw new ClosedException("lock released twice: file=" + path);
            }
            lock = null;
            FILES.remove(path);
            file.close();
        }
    }
}
