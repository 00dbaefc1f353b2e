package dev.tarn.memory;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Off-heap memory through Agrona; loaded only where {@code jdk.internal.misc} is exported and the
 * machine is little-endian, so that native order is ours.
 *
 * <p>Bulk operations go through {@code UnsafeBuffer}. Single values go past it to {@code
 * UnsafeApi}: the buffer does not tell the JIT whether its base is an array or an address, so each
 * of its accesses orders memory and checks bounds anew.
 */
final class AgronaMemory extends OffHeapMemory {
    /** Up to here a loop of longs beats the call that copies in bulk. */
    private static final int LOOP_COPY_LENGTH_MAX = 128;

    private final UnsafeBuffer buffer;

    /** The wrapped array of the rare heap memory, which only the buffer accesses; else null. */
    private final byte @Nullable [] array;

    /** Of the first byte, where it is off-heap. */
    private final long address;

    /** Not final: freeing sets it to 0, so that later accesses throw. */
    private int capacity;

    /** What {@link #free} hands back; null for wrapped memory. */
    private @Nullable DirectAllocation allocated;

    private AgronaMemory(UnsafeBuffer buffer, @Nullable DirectAllocation allocated) {
        this.buffer = buffer;
        this.array = buffer.byteArray();
        this.address = buffer.addressOffset();
        this.capacity = buffer.capacity();
        this.allocated = allocated;
    }

    /** Returns the general type, so that callers verify without loading this class. */
    static OffHeapMemory allocate(int capacity, int alignment) {
        DirectAllocation allocated = DirectAllocation.allocate(capacity, alignment);
        return new AgronaMemory(new UnsafeBuffer(allocated.bytes(), 0, capacity), allocated);
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
        return capacity;
    }

    @Override
    public byte getByte(int offset) {
        if (array != null) {
            return buffer.getByte(offset);
        }
        Objects.checkIndex(offset, capacity);
        return UnsafeApi.getByte(null, address + offset);
    }

    @Override
    public void putByte(int offset, byte value) {
        if (array != null) {
            buffer.putByte(offset, value);
            return;
        }
        Objects.checkIndex(offset, capacity);
        UnsafeApi.putByte(null, address + offset, value);
    }

    @Override
    public short getShort(int offset) {
        if (array != null) {
            return buffer.getShort(offset);
        }
        Objects.checkIndex(offset, capacity - (Short.BYTES - 1));
        return UnsafeApi.getShort(null, address + offset);
    }

    @Override
    public void putShort(int offset, short value) {
        if (array != null) {
            buffer.putShort(offset, value);
            return;
        }
        Objects.checkIndex(offset, capacity - (Short.BYTES - 1));
        UnsafeApi.putShort(null, address + offset, value);
    }

    @Override
    public int getInt(int offset) {
        if (array != null) {
            return buffer.getInt(offset);
        }
        Objects.checkIndex(offset, capacity - (Integer.BYTES - 1));
        return UnsafeApi.getInt(null, address + offset);
    }

    @Override
    public void putInt(int offset, int value) {
        if (array != null) {
            buffer.putInt(offset, value);
            return;
        }
        Objects.checkIndex(offset, capacity - (Integer.BYTES - 1));
        UnsafeApi.putInt(null, address + offset, value);
    }

    @Override
    public long getLong(int offset) {
        if (array != null) {
            return buffer.getLong(offset);
        }
        Objects.checkIndex(offset, capacity - (Long.BYTES - 1));
        return UnsafeApi.getLong(null, address + offset);
    }

    @Override
    public void putLong(int offset, long value) {
        if (array != null) {
            buffer.putLong(offset, value);
            return;
        }
        Objects.checkIndex(offset, capacity - (Long.BYTES - 1));
        UnsafeApi.putLong(null, address + offset, value);
    }

    @Override
    public int getIntAcquire(int offset) {
        if (array != null) {
            return buffer.getIntAcquire(offset);
        }
        Objects.checkIndex(offset, capacity - (Integer.BYTES - 1));
        return UnsafeApi.getIntAcquire(null, address + offset);
    }

    @Override
    public void putIntRelease(int offset, int value) {
        if (array != null) {
            buffer.putIntRelease(offset, value);
            return;
        }
        Objects.checkIndex(offset, capacity - (Integer.BYTES - 1));
        UnsafeApi.putIntRelease(null, address + offset, value);
    }

    @Override
    public long getLongAcquire(int offset) {
        if (array != null) {
            return buffer.getLongAcquire(offset);
        }
        Objects.checkIndex(offset, capacity - (Long.BYTES - 1));
        return UnsafeApi.getLongAcquire(null, address + offset);
    }

    @Override
    public void putLongRelease(int offset, long value) {
        if (array != null) {
            buffer.putLongRelease(offset, value);
            return;
        }
        Objects.checkIndex(offset, capacity - (Long.BYTES - 1));
        UnsafeApi.putLongRelease(null, address + offset, value);
    }

    @Override
    public long getLongOpaque(int offset) {
        if (array != null) {
            return buffer.getLongOpaque(offset);
        }
        Objects.checkIndex(offset, capacity - (Long.BYTES - 1));
        return UnsafeApi.getLongOpaque(null, address + offset);
    }

    @Override
    public void putLongOpaque(int offset, long value) {
        if (array != null) {
            buffer.putLongOpaque(offset, value);
            return;
        }
        Objects.checkIndex(offset, capacity - (Long.BYTES - 1));
        UnsafeApi.putLongOpaque(null, address + offset, value);
    }

    @Override
    public long getLongVolatile(int offset) {
        if (array != null) {
            return buffer.getLongVolatile(offset);
        }
        Objects.checkIndex(offset, capacity - (Long.BYTES - 1));
        return UnsafeApi.getLongVolatile(null, address + offset);
    }

    @Override
    public void putLongVolatile(int offset, long value) {
        if (array != null) {
            buffer.putLongVolatile(offset, value);
            return;
        }
        Objects.checkIndex(offset, capacity - (Long.BYTES - 1));
        UnsafeApi.putLongVolatile(null, address + offset, value);
    }

    @Override
    public boolean compareAndSetInt(int offset, int expected, int value) {
        if (array != null) {
            return buffer.compareAndSetInt(offset, expected, value);
        }
        Objects.checkIndex(offset, capacity - (Integer.BYTES - 1));
        return UnsafeApi.compareAndSetInt(null, address + offset, expected, value);
    }

    @Override
    public int getAndAddInt(int offset, int delta) {
        return buffer.getAndAddInt(offset, delta);
    }

    @Override
    public boolean compareAndSetLong(int offset, long expected, long value) {
        if (array != null) {
            return buffer.compareAndSetLong(offset, expected, value);
        }
        Objects.checkIndex(offset, capacity - (Long.BYTES - 1));
        return UnsafeApi.compareAndSetLong(null, address + offset, expected, value);
    }

    @Override
    public long getAndAddLong(int offset, long delta) {
        return buffer.getAndAddLong(offset, delta);
    }

    @Override
    public void copyTo(int offset, OffHeapMemory target, int targetOffset, int length) {
        AgronaMemory sink = (AgronaMemory) target;
        checkRange(offset, length, capacity);
        checkRange(targetOffset, length, sink.capacity);
        if (length > LOOP_COPY_LENGTH_MAX || array != null || sink.array != null) {
            buffer.getBytes(offset, sink.buffer, targetOffset, length);
            return;
        }
        long from = address + offset;
        long to = sink.address + targetOffset;
        if (length >= Long.BYTES) {
            int last = length - Long.BYTES;
            for (int i = 0; i < last; i += Long.BYTES) {
                UnsafeApi.putLong(null, to + i, UnsafeApi.getLong(null, from + i));
            }
            UnsafeApi.putLong(null, to + last, UnsafeApi.getLong(null, from + last));
        } else {
            for (int i = 0; i < length; i++) {
                UnsafeApi.putByte(null, to + i, UnsafeApi.getByte(null, from + i));
            }
        }
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
        checkRange(offset, length, capacity);
        int start = buffer.wrapAdjustment() + offset;
        // The array first: of a buffer that is a slice of it, the adjustment counts from the array.
        return array != null
                ? ByteBuffer.wrap(array, start, length).slice()
                : buffer.byteBuffer().duplicate().clear().slice(start, length);
    }

    @Override
    void free() {
        DirectAllocation owned = allocated;
        if (owned == null) {
            throw new IllegalStateException("memory is wrapped or already freed");
        }
        owned.free();
        allocated = null;
        capacity = 0;
        buffer.wrap(0, 0);
    }
}
