package dev.tarn.memory;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Off-heap memory through Agrona's {@code UnsafeBuffer}; loaded only where {@code
 * jdk.internal.misc} is exported and the machine is little-endian, so that native order is ours.
 */
final class AgronaMemory extends OffHeapMemory {
    private final UnsafeBuffer buffer;

    /** What {@link #free} hands back; null for wrapped memory. */
    private @Nullable ByteBuffer allocated;

    private AgronaMemory(UnsafeBuffer buffer, @Nullable ByteBuffer allocated) {
        this.buffer = buffer;
        this.allocated = allocated;
    }

    /** Returns the general type, so that callers verify without loading this class. */
    static OffHeapMemory allocate(int capacity, int alignment) {
        ByteBuffer allocated = DirectBuffers.allocate(capacity, alignment);
        ByteBuffer aligned = DirectBuffers.align(allocated, capacity, alignment);
        return new AgronaMemory(new UnsafeBuffer(aligned, 0, capacity), allocated);
    }

    static OffHeapMemory wrapBuffer(ByteBuffer buffer) {
        return new AgronaMemory(
                new UnsafeBuffer(buffer, buffer.position(), buffer.remaining()), null);
    }

    static OffHeapMemory wrapDirectBuffer(DirectBuffer buffer) {
        return new AgronaMemory(new UnsafeBuffer(buffer, 0, buffer.capacity()), null);
    }

    @Override
    public int capacity() {
        return buffer.capacity();
    }

    @Override
    public byte getByte(int offset) {
        return buffer.getByte(offset);
    }

    @Override
    public void putByte(int offset, byte value) {
        buffer.putByte(offset, value);
    }

    @Override
    public short getShort(int offset) {
        return buffer.getShort(offset);
    }

    @Override
    public void putShort(int offset, short value) {
        buffer.putShort(offset, value);
    }

    @Override
    public int getInt(int offset) {
        return buffer.getInt(offset);
    }

    @Override
    public void putInt(int offset, int value) {
        buffer.putInt(offset, value);
    }

    @Override
    public long getLong(int offset) {
        return buffer.getLong(offset);
    }

    @Override
    public void putLong(int offset, long value) {
        buffer.putLong(offset, value);
    }

    @Override
    public int getIntAcquire(int offset) {
        return buffer.getIntAcquire(offset);
    }

    @Override
    public void putIntRelease(int offset, int value) {
        buffer.putIntRelease(offset, value);
    }

    @Override
    public long getLongAcquire(int offset) {
        return buffer.getLongAcquire(offset);
    }

    @Override
    public void putLongRelease(int offset, long value) {
        buffer.putLongRelease(offset, value);
    }

    @Override
    public long getLongOpaque(int offset) {
        return buffer.getLongOpaque(offset);
    }

    @Override
    public void putLongOpaque(int offset, long value) {
        buffer.putLongOpaque(offset, value);
    }

    @Override
    public long getLongVolatile(int offset) {
        return buffer.getLongVolatile(offset);
    }

    @Override
    public void putLongVolatile(int offset, long value) {
        buffer.putLongVolatile(offset, value);
    }

    @Override
    public boolean compareAndSetInt(int offset, int expected, int value) {
        return buffer.compareAndSetInt(offset, expected, value);
    }

    @Override
    public int getAndAddInt(int offset, int delta) {
        return buffer.getAndAddInt(offset, delta);
    }

    @Override
    public boolean compareAndSetLong(int offset, long expected, long value) {
        return buffer.compareAndSetLong(offset, expected, value);
    }

    @Override
    public long getAndAddLong(int offset, long delta) {
        return buffer.getAndAddLong(offset, delta);
    }

    @Override
    public void copyTo(int offset, OffHeapMemory target, int targetOffset, int length) {
        buffer.getBytes(offset, ((AgronaMemory) target).buffer, targetOffset, length);
    }

    @Override
    public void getBytes(int offset, byte[] target, int targetOffset, int length) {
        buffer.getBytes(offset, target, targetOffset, length);
    }

    @Override
    public void putBytes(int offset, byte[] source, int sourceOffset, int length) {
        buffer.putBytes(offset, source, sourceOffset, length);
    }

    @Override
    public void getBytes(int offset, ByteBuffer target, int length) {
        checkRange(target.position(), length, target.limit());
        buffer.getBytes(offset, target, length);
    }

    @Override
    public void putBytes(int offset, ByteBuffer source, int length) {
        checkRange(source.position(), length, source.limit());
        buffer.putBytes(offset, source, length);
    }

    @Override
    public void fill(int offset, int length, byte value) {
        buffer.setMemory(offset, length, value);
    }

    @Override
    public ByteBuffer asByteBuffer(int offset, int length) {
        checkRange(offset, length, buffer.capacity());
        ByteBuffer bytes = buffer.byteBuffer();
        if (bytes == null) {
            return ByteBuffer.wrap(buffer.byteArray(), buffer.wrapAdjustment() + offset, length)
                    .slice();
        }
        int start = buffer.wrapAdjustment() + offset;
        return bytes.duplicate().clear().slice(start, length);
    }

    @Override
    void free() {
        ByteBuffer owned = allocated;
        if (owned == null) {
            throw new IllegalStateException("memory is wrapped or already freed");
        }
        allocated = null;
        buffer.wrap(0, 0);
        DirectBuffers.free(owned);
    }
}
