package dev.tarn.engine.internal.io;

import dev.tarn.codec.Varint;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;

/**
 * The payload of a record while it is put together, with room for the record's header before it, so
 * that checksum and write are one pass each.
 *
 * <p>Owner: owns its memory, which grows by doubling; whoever created it closes it, once.
 *
 * <p>Threads: belongs to one thread at a time.
 *
 * <p>Errors: {@link IllegalArgumentException} if the payload would exceed {@link
 * RecordLayout#LENGTH_MAX}; {@link dev.tarn.memory.MemoryBudgetExceededException} if the budget is
 * used up; what was appended before stays.
 */
public final class RecordBuffer implements AutoCloseable {
    private static final int START = RecordLayout.RECORD_HEADER_SIZE;
    private static final int CAPACITY_MIN = 4 << 10;

    private final MemoryAccountant accountant;
    private MemoryRegion region;
    private ByteBuffer view;
    private int end = START;

    public RecordBuffer(MemoryAccountant accountant) {
        this.accountant = accountant;
        this.region = allocate(CAPACITY_MIN);
        this.view = region.memory().asByteBuffer(0, region.sizeBytes());
    }

    /** The memory of the payload; replaced when the buffer grows. */
    public OffHeapMemory memory() {
        return region.memory();
    }

    /** The payload's first byte in {@link #memory()}. */
    public int offset() {
        return START;
    }

    public int length() {
        return end - START;
    }

    /** Makes the payload empty; gives memory back if it had grown beyond {@code keptCapacity}. */
    public RecordBuffer clear(int keptCapacity) {
        end = START;
        if (region.sizeBytes() > Math.max(keptCapacity, CAPACITY_MIN)) {
            replace(allocate(Math.max(keptCapacity, CAPACITY_MIN)));
        }
        return this;
    }

    public RecordBuffer putByte(int value) {
        reserve(1);
        region.memory().putByte(end, (byte) value);
        end++;
        return this;
    }

    public RecordBuffer putInt(int value) {
        reserve(Integer.BYTES);
        region.memory().putInt(end, value);
        end += Integer.BYTES;
        return this;
    }

    public RecordBuffer putLong(long value) {
        reserve(Long.BYTES);
        region.memory().putLong(end, value);
        end += Long.BYTES;
        return this;
    }

    /** Appends a varint of {@code value}, taken as unsigned. */
    public RecordBuffer putVarint(long value) {
        reserve(Varint.LONG_LENGTH_MAX);
        end = Varint.putLong(region.memory(), end, value);
        return this;
    }

    public RecordBuffer putBytes(OffHeapMemory source, int offset, int length) {
        reserve(length);
        source.copyTo(offset, region.memory(), end, length);
        end += length;
        return this;
    }

    /** Appends a varint of the length, then the bytes. */
    public RecordBuffer putBytesWithLength(byte[] source) {
        putVarint(source.length);
        reserve(source.length);
        region.memory().putBytes(end, source, 0, source.length);
        end += source.length;
        return this;
    }

    /** A view of the whole memory, for checksums; its marks are anybody's. */
    ByteBuffer view() {
        return view;
    }

    private void reserve(int length) {
        long needed = (long) end + length;
        if (needed > region.sizeBytes()) {
            grow(needed);
        }
    }

    private void grow(long needed) {
        long max = (long) START + RecordLayout.LENGTH_MAX;
        if (needed > max) {
            throw new IllegalArgumentException(
                    "record payload exceeds its maximum: lengthMax="
                            + RecordLayout.LENGTH_MAX
                            + " length="
                            + (needed - START));
        }
        MemoryRegion larger = allocate((int) Math.min(max, Math.max(needed, 2L * end)));
        region.memory().copyTo(0, larger.memory(), 0, end);
        replace(larger);
    }

    private void replace(MemoryRegion other) {
        region.close();
        region = other;
        view = region.memory().asByteBuffer(0, region.sizeBytes());
    }

    private MemoryRegion allocate(int size) {
        return MemoryRegion.allocate(
                accountant, MemoryPurpose.IO_BUFFER, size, MemoryRegion.CACHE_LINE_BYTES);
    }

    @Override
    public void close() {
        region.close();
    }
}
