package dev.tarn.io;

import dev.tarn.memory.ClosedException;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A local file that is written by position, so that a write which an interrupt cut short can be
 * repeated.
 *
 * <p>Invariants: {@code sizeBytes} counts whole appends; bytes of a failed append may lie behind
 * it, and the next append overwrites them.
 */
final class LocalWritableFile implements WritableFile {
    private final Path path;
    private final LocalReadableFile.Identity identity;
    private FileChannel channel;

    /**
     * Syncs when an interrupt has hidden the outcome of the channel's own sync: it cannot be
     * interrupted, and the kernel reports a fault once to each open file, so one that was open all
     * along learns of it.
     */
    private final RandomAccessFile syncer;

    private long sizeBytes;
    private boolean closed;

    private LocalWritableFile(
            Path path,
            LocalReadableFile.Identity identity,
            FileChannel channel,
            RandomAccessFile syncer,
            long sizeBytes) {
        this.path = path;
        this.identity = identity;
        this.channel = channel;
        this.syncer = syncer;
        this.sizeBytes = sizeBytes;
    }

    static LocalWritableFile create(Path path) throws IOException {
        return wrap(
                path,
                FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
    }

    static LocalWritableFile openForAppend(Path path) throws IOException {
        LocalReadableFile.Identity.of(path);
        return wrap(path, openChannel(path));
    }

    private static LocalWritableFile wrap(Path path, FileChannel channel) throws IOException {
        try {
            LocalReadableFile.Identity identity = LocalReadableFile.Identity.of(path);
            // Not the channel's size(): an interrupt of the calling thread would close the channel.
            long sizeBytes = Files.size(path);
            return new LocalWritableFile(
                    path,
                    identity,
                    channel,
                    new RandomAccessFile(path.toString(), "rw"),
                    sizeBytes);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static FileChannel openChannel(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public void append(OffHeapMemory source, int sourceOffset, int length) throws IOException {
        writeFully(sizeBytes, source.asByteBuffer(sourceOffset, length));
        sizeBytes += length;
    }

    @Override
    public void write(long position, OffHeapMemory source, int sourceOffset, int length)
            throws IOException {
        if (position < 0 || position > sizeBytes) {
            throw new IllegalArgumentException(
                    "position must be in [0, "
                            + sizeBytes
                            + "]: file="
                            + path
                            + " position="
                            + position);
        }
        writeFully(position, source.asByteBuffer(sourceOffset, length));
        sizeBytes = Math.max(sizeBytes, position + length);
    }

    private void writeFully(long position, ByteBuffer bytes) throws IOException {
        checkOpen();
        boolean interrupted = Thread.interrupted();
        try {
            while (bytes.hasRemaining()) {
                try {
                    channel.write(bytes, position + bytes.position());
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                    reopen();
                }
            }
        } catch (IOException e) {
            throw DiskErrors.explain(
                    "write failed at position=" + position + " length=" + bytes.limit(),
                    path.toString(),
                    e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void reopen() throws IOException {
        FileChannel opened = openChannel(path);
        if (!LocalReadableFile.Identity.of(path).isSameFile(identity)) {
            opened.close();
            throw new FileSystemException(
                    path.toString(), null, "file was replaced and cannot be opened again");
        }
        channel = opened;
    }

    @Override
    public long size() {
        return sizeBytes;
    }

    @Override
    public void sync() throws IOException {
        checkOpen();
        boolean interrupted = Thread.interrupted();
        try {
            try {
                channel.force(false);
            } catch (ClosedByInterruptException e) {
                interrupted |= Thread.interrupted();
                syncer.getFD().sync();
                reopen();
            }
        } catch (IOException e) {
            throw DiskErrors.explain("sync failed", path.toString(), e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public String describe() {
        return path.toString();
    }

    @Override
    public void close() throws IOException {
        checkOpen();
        closed = true;
        try (syncer) {
            channel.close();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("file is closed: file=" + path);
        }
    }
}
