package dev.tarn.codec;

import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A CRC-32C (Castagnoli) over off-heap bytes, on the CPU's own instruction.
 *
 * <p>Threads: an instance belongs to one thread, and is reused.
 */
public final class Crc32c {
    private final CRC32C crc = new CRC32C();

    /** Returns the checksum of a buffer's remaining bytes and leaves its position where it was. */
    public int of(ByteBuffer bytes) {
        int position = bytes.position();
        crc.reset();
        crc.update(bytes);
        bytes.position(position);
        return (int) crc.getValue();
    }

    /** Returns the checksum of a buffer's range, whatever its position; changes both marks. */
    public int of(ByteBuffer bytes, int offset, int length) {
        crc.reset();
        bytes.limit(offset + length).position(offset);
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** Returns the checksum of an array's range. */
    public int of(byte[] bytes, int offset, int length) {
        crc.reset();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    /** Returns the checksum of a range of off-heap memory; allocates a view of it. */
    public static int of(OffHeapMemory memory, int offset, int length) {
        CRC32C once = new CRC32C();
        once.update(memory.asByteBuffer(offset, length));
        return (int) once.getValue();
    }
}
