package dev.tarn.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Off-heap memory through VarHandle views of a byte buffer: no flag needed on any JDK. */
final class VarHandleMemory extends OffHeapMemory {
    private static final VarHandle SHORT =
            MethodHandles.byteBufferViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final ByteBuffer FREED = ByteBuffer.allocateDirect(0);

    /** Up to here a loop of longs beats the call that copies in bulk. */
    private static final int LOOP_COPY_LENGTH_MAX = 128;

    /** Not final: freeing swaps it for {@link #FREED}, so that later accesses throw. */
    private ByteBuffer buffer;

    /** What {@link #free} hands back; null for wrapped memory. */
    private @Nullable DirectAllocation allocated;

    private VarHandleMemory(ByteBuffer buffer, @Nullable DirectAllocation allocated) {
        this.buffer = buffer;
        this.allocated = allocated;
    }

    /** Returns the general type, so that callers verify without loading this class. */
    static OffHeapMemory allocate(int capacity, int alignment) {
        DirectAllocation allocated = DirectAllocation.allocate(capacity, alignment);
        return new VarHandleMemory(allocated.bytes(), allocated);
    }

    static OffHeapMemory wrapBuffer(ByteBuffer buffer) {
        return new VarHandleMemory(buffer.slice(), null);
    }

    @Override
    public int capacity() {
        return buffer.capacity();
    }

    @Override
    public byte getByte(int offset) {
        return buffer.get(offset);
    }

    @Override
    public void putByte(int offset, byte value) {
        buffer.put(offset, value);
    }

    @Override
    public short getShort(int offset) {
        return (short) SHORT.get(buffer, offset);
    }

    @Override
    public void putShort(int offset, short value) {
        SHORT.set(buffer, offset, value);
    }

    @Override
    public int getInt(int offset) {
        return (int) INT.get(buffer, offset);
    }

    @Override
    public void putInt(int offset, int value) {
        INT.set(buffer, offset, value);
    }

    @Override
    public long getLong(int offset) {
        return (long) LONG.get(buffer, offset);
    }

    @Override
    public void putLong(int offset, long value) {
        LONG.set(buffer, offset, value);
    }

    @Override
    public int getIntAcquire(int offset) {
        return (int) INT.getAcquire(buffer, offset);
    }

    @Override
    public void putIntRelease(int offset, int value) {
        INT.setRelease(buffer, offset, value);
    }

    @Override
    public long getLongAcquire(int offset) {
        return (long) LONG.getAcquire(buffer, offset);
    }

    @Override
    public void putLongRelease(int offset, long value) {
        LONG.setRelease(buffer, offset, value);
    }

    @Override
    public long getLongOpaque(int offset) {
        return (long) LONG.getOpaque(buffer, offset);
    }

    @Override
    public void putLongOpaque(int offset, long value) {
        LONG.setOpaque(buffer, offset, value);
    }

    @Override
    public long getLongVolatile(int offset) {
        return (long) LONG.getVolatile(buffer, offset);
    }

    @Override
    public void putLongVolatile(int offset, long value) {
        LONG.setVolatile(buffer, offset, value);
    }

    @Override
    public boolean compareAndSetInt(int offset, int expected, int value) {
        return INT.compareAndSet(buffer, offset, expected, value);
    }

    @Override
    public int getAndAddInt(int offset, int delta) {
        return (int) INT.getAndAdd(buffer, offset, delta);
    }

    @Override
    public boolean compareAndSetLong(int offset, long expected, long value) {
        return LONG.compareAndSet(buffer, offset, expected, value);
    }

    @Override
    public long getAndAddLong(int offset, long delta) {
        return (long) LONG.getAndAdd(buffer, offset, delta);
    }

    @Override
    public void copyTo(int offset, OffHeapMemory target, int targetOffset, int length) {
        ByteBuffer source = buffer;
        ByteBuffer sink = ((VarHandleMemory) target).buffer;
        checkRange(offset, length, source.limit());
        checkRange(targetOffset, length, sink.limit());
        if (length > LOOP_COPY_LENGTH_MAX) {
            sink.put(targetOffset, source, offset, length);
        } else if (length >= Long.BYTES) {
            int last = length - Long.BYTES;
            for (int i = 0; i < last; i += Long.BYTES) {
                LONG.set(sink, targetOffset + i, (long) LONG.get(source, offset + i));
            }
            LONG.set(sink, targetOffset + last, (long) LONG.get(source, offset + last));
        } else {
            for (int i = 0; i < length; i++) {
                sink.put(targetOffset + i, source.get(offset + i));
            }
        }
    }

    @Override
    public void getBytes(int offset, byte[] target, int targetOffset, int length) {
        buffer.get(offset, target, targetOffset, length);
    }

    @Override
    public void putBytes(int offset, byte[] source, int sourceOffset, int length) {
        buffer.put(offset, source, sourceOffset, length);
    }

    @Override
    public void getBytes(int offset, ByteBuffer target, int length) {
        int position = target.position();
        checkRange(position, length, target.limit());
        target.put(position, buffer, offset, length);
        target.position(position + length);
    }

    @Override
    public void putBytes(int offset, ByteBuffer source, int length) {
        int position = source.position();
        checkRange(position, length, source.limit());
        buffer.put(offset, source, position, length);
        source.position(position + length);
    }

    @Override
    public void fill(int offset, int length, byte value) {
        ByteBuffer filled = buffer;
        checkRange(offset, length, filled.limit());
        long pattern = (value & 0xffL) * 0x0101010101010101L;
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            LONG.set(filled, offset + i, pattern);
        }
        for (; i < length; i++) {
            filled.put(offset + i, value);
        }
    }

    @Override
    public ByteBuffer asByteBuffer(int offset, int length) {
        return buffer.slice(offset, length);
    }

    @Override
    void free() {
        DirectAllocation owned = allocated;
        if (owned == null) {
            throw new IllegalStateException("memory is wrapped or already freed");
        }
        owned.free();
        allocated = null;
        buffer = FREED;
    }
}
