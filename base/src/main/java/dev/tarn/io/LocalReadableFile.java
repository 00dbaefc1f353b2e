package dev.tarn.io;

import dev.tarn.memory.ClosedException;
import dev.tarn.memory.OffHeapMemory;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A local file that survives interrupts: the JVM closes a {@link FileChannel} for everybody when a
 * thread that reads from it is interrupted, so readers open it again and repeat their read.
 *
 * <p>Threads: any number of readers; each reopening happens once, under the monitor.
 *
 * <p>Publication: {@code channel} is volatile, so that the one that a reader opened is seen by all.
 *
 * <p>Errors: a file that was deleted or replaced since it was opened cannot be opened again: then,
 * and only after an interrupt, reads fail; they never read another file.
 */
final class LocalReadableFile implements ReadableFile {
    private final Path path;
    private final Identity identity;
    private volatile FileChannel channel;
    private volatile boolean closed;

    /** What tells a file from another that has taken its name. */
    record Identity(@Nullable Object key, FileTime created, long sizeBytes) {
        static Identity of(Path path) throws IOException {
            BasicFileAttributes attributes =
                    Files.readAttributes(
                            path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isRegularFile()) {
                throw new FileSystemException(
                        path.toString(),
                        null,
                        attributes.isSymbolicLink()
                                ? "symbolic links are not opened"
                                : "is not a file");
            }
            return new Identity(attributes.fileKey(), attributes.creationTime(), attributes.size());
        }

        boolean isSameFile(Identity other) {
            return Objects.equals(key, other.key) && created.equals(other.created);
        }
    }

    private LocalReadableFile(Path path, Identity identity, FileChannel channel) {
        this.path = path;
        this.identity = identity;
        this.channel = channel;
    }

    static LocalReadableFile open(Path path) throws IOException {
        Identity identity = Identity.of(path);
        return new LocalReadableFile(path, identity, openChannel(path));
    }

    private static FileChannel openChannel(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public void read(long position, OffHeapMemory target, int targetOffset, int length)
            throws IOException {
        if (position < 0) {
            throw new IllegalArgumentException(
                    "position must not be negative: file=" + path + " position=" + position);
        }
        ByteBuffer bytes = target.asByteBuffer(targetOffset, length);
        // A set flag would close the channel at once, so it is taken away and put back.
        boolean interrupted = Thread.interrupted();
        try {
            while (bytes.hasRemaining()) {
                FileChannel current = channel;
                try {
                    if (current.read(bytes, position + bytes.position()) < 0) {
                        throw new EOFException(
                                "file ends before the range: file="
                                        + path
                                        + " position="
                                        + position
                                        + " length="
                                        + length
                                        + " sizeBytes="
                                        + (position + bytes.position()));
                    }
                } catch (ClosedChannelException e) {
                    // This thread was interrupted, or another one that read at the same time.
                    interrupted |= Thread.interrupted();
                    reopen(current);
                }
            }
        } catch (EOFException | FileSystemException e) {
            throw e;
        } catch (IOException e) {
            throw DiskErrors.explain(
                    "read failed at position=" + position + " length=" + length,
                    path.toString(),
                    e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized void reopen(FileChannel broken) throws IOException {
        if (closed) {
            throw new ClosedException("file is closed: file=" + path);
        }
        if (channel != broken) {
            return;
        }
        FileChannel opened = openChannel(path);
        // Asked for after opening: a file cannot lose its name to another and get it back.
        if (!Identity.of(path).isSameFile(identity)) {
            opened.close();
            throw new FileSystemException(
                    path.toString(), null, "file was replaced and cannot be opened again");
        }
        channel = opened;
    }

    @Override
    public long size() {
        return identity.sizeBytes();
    }

    @Override
    public String describe() {
        return path.toString();
    }

    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            throw new ClosedException("file closed twice: file=" + path);
        }
        closed = true;
        channel.close();
    }
}
