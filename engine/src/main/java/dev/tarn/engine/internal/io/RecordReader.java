package dev.tarn.engine.internal.io;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.codec.Crc32c;
import dev.tarn.codec.UnsupportedFormatException;
import dev.tarn.io.FileSystem;
import dev.tarn.io.ReadableFile;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a file, up to its end or to where a crash tore it.
 *
 * <p>Where bytes are no record, the rest of the file is searched for one that is: if it was written
 * when those bytes were known to be durable, they have been damaged since, which is an error. If
 * not, a crash lost them; they were never acknowledged, nor was anything behind them, and the file
 * ends there. Damage to the very last records of a file that was not sealed looks the same as a
 * torn tail; nothing in the file can tell.
 *
 * <p>Owner: owns the file and its buffer; whoever opened it closes it, once.
 *
 * <p>Lifetime: a record's payload is valid until the next call of {@link #next}.
 *
 * <p>Threads: belongs to one thread.
 *
 * <p>Errors: {@link CorruptDataException} with file and offset for damage; {@link
 * UnsupportedFormatException} for a later version of the format.
 */
public final class RecordReader implements AutoCloseable {
    private static final int WINDOW_SIZE = 256 << 10;
    private static final int WINDOW_SIZE_MIN = 64;

    private final ReadableFile file;
    private final long fileNumber;
    private final long fileSize;
    private final MemoryAccountant accountant;
    private final Crc32c crc = new Crc32c();

    private MemoryRegion window;
    private ByteBuffer windowView;
    private long windowStart;
    private int windowLength;

    private long position;
    private int type;
    private int payloadLength;
    private long nextPosition;
    private boolean ended;
    private boolean sealed;

    private RecordReader(
            ReadableFile file, long fileNumber, MemoryAccountant accountant, MemoryRegion window) {
        this.file = file;
        this.fileNumber = fileNumber;
        this.fileSize = file.size();
        this.accountant = accountant;
        this.window = window;
        this.windowView = window.memory().asByteBuffer(0, window.sizeBytes());
    }

    /** Opens a file and checks its header, of which a crash may have left nothing. */
    public static RecordReader open(
            FileSystem fileSystem,
            String path,
            long magic,
            long fileNumber,
            MemoryAccountant accountant)
            throws IOException {
        ReadableFile file = fileSystem.open(path);
        RecordReader reader;
        try {
            long size = Math.max(WINDOW_SIZE_MIN, Math.min(WINDOW_SIZE, file.size()));
            reader = new RecordReader(file, fileNumber, accountant, allocate(accountant, size));
        } catch (RuntimeException e) {
            closeAfter(file, e);
            throw e;
        }
        try {
            reader.readFileHeader(magic);
        } catch (IOException | RuntimeException e) {
            closeAfter(reader, e);
            throw e;
        }
        return reader;
    }

    private static void closeAfter(AutoCloseable opened, Exception failure) {
        try {
            opened.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    private static MemoryRegion allocate(MemoryAccountant accountant, long size) {
        return MemoryRegion.allocate(
                accountant, MemoryPurpose.IO_BUFFER, size, MemoryRegion.CACHE_LINE_BYTES);
    }

    private void readFileHeader(long magic) throws IOException {
        if (fileSize < RecordLayout.FILE_HEADER_SIZE || !headerIsIntact()) {
            endOrThrow(0);
            return;
        }
        OffHeapMemory memory = window.memory();
        if (memory.getLong(RecordLayout.MAGIC_OFFSET) != magic) {
            throw new CorruptDataException(
                    "file is of another kind: file="
                            + file.describe()
                            + " offset=0 expectedMagic=0x"
                            + Long.toHexString(magic)
                            + " actualMagic=0x"
                            + Long.toHexString(memory.getLong(RecordLayout.MAGIC_OFFSET)));
        }
        int version = memory.getInt(RecordLayout.VERSION_OFFSET);
        if (Integer.compareUnsigned(version, RecordLayout.VERSION) > 0) {
            throw new UnsupportedFormatException(
                    "file has a later format version: file="
                            + file.describe()
                            + " versionMax="
                            + RecordLayout.VERSION
                            + " version="
                            + Integer.toUnsignedString(version));
        }
        long number = memory.getLong(RecordLayout.HEADER_FILE_NUMBER_OFFSET);
        if (version < 1
                || number != fileNumber
                || memory.getLong(RecordLayout.HEADER_ZERO_OFFSET) != 0) {
            throw new CorruptDataException(
                    "file header is not valid: file="
                            + file.describe()
                            + " offset=0 version="
                            + version
                            + " expectedFileNumber="
                            + fileNumber
                            + " actualFileNumber="
                            + number);
        }
        nextPosition = RecordLayout.FILE_HEADER_SIZE;
    }

    private boolean headerIsIntact() throws IOException {
        load(0, RecordLayout.FILE_HEADER_SIZE);
        return window.memory().getInt(RecordLayout.HEADER_CRC_OFFSET)
                == crc.of(windowView, 0, RecordLayout.HEADER_CRC_OFFSET);
    }

    /** Moves to the next record; returns false at the end of what can be read. */
    public boolean next() throws IOException {
        if (ended) {
            return false;
        }
        position = nextPosition;
        if (position == fileSize) {
            ended = true;
            return false;
        }
        if (!isRecord(position)) {
            endOrThrow(position);
            return false;
        }
        if (type == RecordLayout.TYPE_END) {
            sealed = true;
            ended = true;
            return false;
        }
        nextPosition = position + RecordLayout.RECORD_HEADER_SIZE + payloadLength;
        return true;
    }

    public int type() {
        return type;
    }

    /** The memory of the payload. */
    public OffHeapMemory memory() {
        return window.memory();
    }

    /** The payload's first byte in {@link #memory()}. */
    public int offset() {
        return (int) (position - windowStart) + RecordLayout.RECORD_HEADER_SIZE;
    }

    public int length() {
        return payloadLength;
    }

    /** The record's first byte in the file; at the end, that of the first byte not read. */
    public long position() {
        return position;
    }

    /** Whether the file was closed in order; known at the end. */
    public boolean isSealed() {
        return sealed;
    }

    /** Whether bytes of a torn tail were left out; known at the end. */
    public boolean isTorn() {
        return ended && !sealed && position < fileSize;
    }

    public String describe() {
        return file.describe();
    }

    /** Returns the error for a record whose payload makes no sense. */
    public CorruptDataException corrupt(String what, @Nullable Throwable cause) {
        CorruptDataException corrupt =
                new CorruptDataException(
                        "record is not valid: file="
                                + file.describe()
                                + " offset="
                                + position
                                + " type="
                                + type
                                + " problem="
                                + what);
        if (cause != null) {
            corrupt.initCause(cause);
        }
        return corrupt;
    }

    /** Ends reading, unless a later record proves that the bytes here were durable. */
    private void endOrThrow(long badPosition) throws IOException {
        ended = true;
        position = badPosition;
        for (long at = badPosition + 1; at <= fileSize - RecordLayout.RECORD_HEADER_SIZE; at++) {
            if (!isRecord(at)) {
                continue;
            }
            int pending =
                    window.memory()
                            .getInt((int) (at - windowStart) + RecordLayout.PENDING_BYTES_OFFSET);
            long durableSize = RecordLayout.durableSize(at, pending);
            if (durableSize > badPosition) {
                throw new CorruptDataException(
                        "record is damaged: file="
                                + file.describe()
                                + " offset="
                                + badPosition
                                + " nextRecordOffset="
                                + at
                                + " durableSizeBytes="
                                + durableSize);
            }
        }
    }

    /** Whether a whole record starts there; if so, its header is decoded and it is loaded. */
    private boolean isRecord(long at) throws IOException {
        if (at > fileSize - RecordLayout.RECORD_HEADER_SIZE) {
            return false;
        }
        load(at, RecordLayout.RECORD_HEADER_SIZE);
        int offset = (int) (at - windowStart);
        OffHeapMemory memory = window.memory();
        int length = memory.getInt(offset + RecordLayout.LENGTH_OFFSET);
        int typeWord = memory.getInt(offset + RecordLayout.TYPE_OFFSET);
        if (memory.getLong(offset + RecordLayout.POSITION_OFFSET) != at
                || memory.getLong(offset + RecordLayout.FILE_NUMBER_OFFSET) != fileNumber
                || length < 0
                || length > RecordLayout.LENGTH_MAX
                || length > fileSize - RecordLayout.RECORD_HEADER_SIZE - at
                || typeWord < 1
                || typeWord > RecordLayout.TYPE_END) {
            return false;
        }
        int size = RecordLayout.RECORD_HEADER_SIZE + length;
        load(at, size);
        offset = (int) (at - windowStart);
        int actual =
                crc.of(
                        windowView,
                        offset + RecordLayout.LENGTH_OFFSET,
                        size - RecordLayout.LENGTH_OFFSET);
        if (window.memory().getInt(offset + RecordLayout.CRC_OFFSET) != actual) {
            return false;
        }
        type = typeWord;
        payloadLength = length;
        return true;
    }

    /** Makes bytes that the file has present in the window. */
    private void load(long start, int length) throws IOException {
        if (start >= windowStart && start + length <= windowStart + windowLength) {
            return;
        }
        if (length > window.sizeBytes()) {
            // The length is within the file's size: a hostile one cannot ask for more.
            MemoryRegion larger = allocate(accountant, length);
            window.close();
            window = larger;
            windowView = window.memory().asByteBuffer(0, window.sizeBytes());
        }
        windowLength = 0;
        int read = (int) Math.min(window.sizeBytes(), fileSize - start);
        file.read(start, window.memory(), 0, read);
        windowStart = start;
        windowLength = read;
    }

    @Override
    public void close() throws IOException {
        window.close();
        file.close();
    }
}
