package dev.tarn.engine.internal.io;

import dev.tarn.codec.Crc32c;
import dev.tarn.io.FileSystem;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Appends records to a new file.
 *
 * <p>Owner: owns the file; whoever created the writer closes it, once.
 *
 * <p>Threads: belongs to one thread at a time.
 *
 * <p>Errors: after a failed write or sync nobody knows what the file holds, and a later sync proves
 * nothing: the writer is poisoned, and everything but {@link #close} throws with the first cause.
 */
public final class RecordWriter implements AutoCloseable {
    private final FileSystem fileSystem;
    private final String directory;
    private final WritableFile file;
    private final long fileNumber;
    private final Crc32c crc = new Crc32c();
    private final RecordBuffer own;
    private boolean nameIsDurable;
    private long durableSize;
    private @Nullable IOException poison;

    private RecordWriter(
            FileSystem fileSystem,
            String directory,
            WritableFile file,
            long fileNumber,
            RecordBuffer own) {
        this.fileSystem = fileSystem;
        this.directory = directory;
        this.file = file;
        this.fileNumber = fileNumber;
        this.own = own;
    }

    /**
     * Creates a file and writes its header; nothing is durable before {@link #sync}.
     *
     * @param directory of the file in {@code fileSystem}, {@code ""} for the root
     */
    public static RecordWriter create(
            FileSystem fileSystem,
            String directory,
            String name,
            long magic,
            long fileNumber,
            MemoryAccountant accountant)
            throws IOException {
        RecordBuffer own = new RecordBuffer(accountant);
        try {
            String path = directory.isEmpty() ? name : directory + "/" + name;
            WritableFile file = fileSystem.create(path);
            RecordWriter writer = new RecordWriter(fileSystem, directory, file, fileNumber, own);
            try {
                writer.writeFileHeader(magic);
            } catch (IOException | RuntimeException e) {
                closeAfter(file, e);
                throw e;
            }
            return writer;
        } catch (IOException | RuntimeException e) {
            own.close();
            throw e;
        }
    }

    private static void closeAfter(WritableFile file, Exception failure) {
        try {
            file.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private void writeFileHeader(long magic) throws IOException {
        OffHeapMemory header = own.memory();
        header.putLong(RecordLayout.MAGIC_OFFSET, magic);
        header.putInt(RecordLayout.VERSION_OFFSET, RecordLayout.VERSION);
        header.putLong(RecordLayout.HEADER_FILE_NUMBER_OFFSET, fileNumber);
        header.putLong(RecordLayout.HEADER_ZERO_OFFSET, 0);
        header.putInt(
                RecordLayout.HEADER_CRC_OFFSET,
                crc.of(own.view(), 0, RecordLayout.HEADER_CRC_OFFSET));
        file.append(header, 0, RecordLayout.FILE_HEADER_SIZE);
    }

    /**
     * Appends a record, without making it durable.
     *
     * @param type in [1, 126]
     * @param payload is left as it is
     */
    public void append(int type, RecordBuffer payload) throws IOException {
        if (type < 1 || type >= RecordLayout.TYPE_END) {
            throw new IllegalArgumentException("record type must be in [1, 126]: type=" + type);
        }
        appendRecord(type, payload);
    }

    private void appendRecord(int type, RecordBuffer payload) throws IOException {
        checkNotPoisoned();
        long position = file.size();
        OffHeapMemory record = payload.memory();
        record.putInt(RecordLayout.LENGTH_OFFSET, payload.length());
        record.putLong(RecordLayout.FILE_NUMBER_OFFSET, fileNumber);
        record.putLong(RecordLayout.POSITION_OFFSET, position);
        record.putInt(
                RecordLayout.PENDING_BYTES_OFFSET,
                RecordLayout.pendingBytes(position - durableSize));
        record.putInt(RecordLayout.TYPE_OFFSET, RecordLayout.typeWord(type));
        int size = RecordLayout.RECORD_HEADER_SIZE + payload.length();
        record.putInt(
                RecordLayout.CRC_OFFSET,
                crc.of(
                        payload.view(),
                        RecordLayout.LENGTH_OFFSET,
                        size - RecordLayout.LENGTH_OFFSET));
        try {
            file.append(record, 0, size);
        } catch (IOException e) {
            throw poisonedBy(e);
        }
    }

    /** Makes all records so far durable, and the file's name. */
    public void sync() throws IOException {
        checkNotPoisoned();
        if (durableSize == file.size()) {
            return;
        }
        try {
            file.sync();
            if (!nameIsDurable) {
                fileSystem.syncDirectory(directory);
                nameIsDurable = true;
            }
        } catch (IOException e) {
            throw poisonedBy(e);
        }
        durableSize = file.size();
    }

    /**
     * Makes all records durable and marks the end of the file, so that damage to the last record is
     * told from a torn tail.
     */
    public void seal() throws IOException {
        sync();
        appendRecord(RecordLayout.TYPE_END, own.clear(0));
    }

    /** The size of the file with everything appended so far. */
    public long size() {
        return file.size();
    }

    /** How much of the file is known to be durable. */
    public long durableSize() {
        return durableSize;
    }

    public long fileNumber() {
        return fileNumber;
    }

    /** The failure that poisoned this writer, if one did. */
    public @Nullable IOException poison() {
        return poison;
    }

    public String describe() {
        return file.describe();
    }

    private IOException poisonedBy(IOException failure) {
        poison = failure;
        return failure;
    }

    private void checkNotPoisoned() throws IOException {
        if (poison != null) {
            throw new IOException(
                    "log is unusable after a failed write or sync: file="
                            + file.describe()
                            + " cause="
                            + poison.getMessage(),
                    poison);
        }
    }

    /** Closes the file; does not sync. */
    @Override
    public void close() throws IOException {
        own.close();
        file.close();
    }
}
