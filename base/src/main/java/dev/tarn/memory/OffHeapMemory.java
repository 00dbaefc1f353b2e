package dev.tarn.memory;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;

/**
 * A range of bytes outside the Java heap, at most 2 GiB long, and the only way Tarn touches such
 * bytes.
 *
 * <p>Owner: whoever holds the {@link MemoryRegion} it came from; memory made by {@code wrap}
 * belongs to the owner of what was wrapped, and keeps that reachable.
 *
 * <p>Lifetime: until the region is closed; then every access throws {@link
 * IndexOutOfBoundsException}. An access that races with the close is a bug of the caller: owners
 * close only what no thread reads any more.
 *
 * <p>Threads: plain accessors give no ordering. {@code Acquire}, {@code Release}, {@code Opaque},
 * {@code Volatile}, {@code compareAndSet} and {@code getAndAdd} mean what they mean in {@link
 * java.lang.invoke.VarHandle} and need offsets that are aligned to the size of the value.
 *
 * <p>Units: offsets and lengths are bytes from the start of this memory.
 *
 * <p>Byte order: little-endian on every machine.
 *
 * <p>Errors: bounds are checked always; a violation throws {@link IndexOutOfBoundsException}.
 */
public abstract class OffHeapMemory {
    /** The largest capacity of one memory: offsets are {@code int}. */
    public static final int CAPACITY_MAX = Integer.MAX_VALUE - 4095;

    OffHeapMemory() {}

    /**
     * Allocates zeroed memory that the accountant does not know of.
     *
     * <p>Everything that lasts comes from {@link MemoryRegion#allocate}; this is what it is built
     * from.
     *
     * @param capacity bytes, in [0, {@link #CAPACITY_MAX}]
     * @param alignment of the first byte, a power of two up to 4096
     */
    static OffHeapMemory allocate(int capacity, int alignment) {
        return MemoryBackend.active().backend() == MemoryBackend.AGRONA
                ? AgronaMemory.allocate(capacity, alignment)
                : VarHandleMemory.allocate(capacity, alignment);
    }

    /**
     * Wraps the bytes between the buffer's position and limit, without copying and whatever the
     * buffer's byte order.
     *
     * <p>Atomic access through the result needs a direct buffer.
     */
    public static OffHeapMemory wrap(ByteBuffer buffer) {
        return MemoryBackend.active().backend() == MemoryBackend.AGRONA
                ? AgronaMemory.wrapBuffer(buffer)
                : VarHandleMemory.wrapBuffer(buffer);
    }

    /** Wraps a whole heap array, without copying; plain access only. */
    public static OffHeapMemory wrap(byte[] array) {
        return wrap(ByteBuffer.wrap(array));
    }

    /**
     * Wraps an Agrona buffer, without copying.
     *
     * @throws IllegalArgumentException if the buffer is a bare address and the backend is not
     *     Agrona, which cannot happen with buffers that Agrona itself could use
     */
    public static OffHeapMemory wrap(DirectBuffer buffer) {
        if (MemoryBackend.active().backend() == MemoryBackend.AGRONA) {
            return AgronaMemory.wrapDirectBuffer(buffer);
        }
        ByteBuffer bytes = buffer.byteBuffer();
        if (bytes == null) {
            byte[] array = buffer.byteArray();
            if (array == null) {
                throw new IllegalArgumentException(
                        "cannot wrap a bare address with the VarHandle backend; start the JVM with "
                                + MemoryBackend.AGRONA_FLAG);
            }
            bytes = ByteBuffer.wrap(array);
        }
        int start = buffer.wrapAdjustment();
        return wrap(bytes.duplicate().clear().position(start).limit(start + buffer.capacity()));
    }

    /** Returns the number of bytes; 0 once the memory is freed. */
    public abstract int capacity();

    public abstract byte getByte(int offset);

    public abstract void putByte(int offset, byte value);

    public abstract short getShort(int offset);

    public abstract void putShort(int offset, short value);

    public abstract int getInt(int offset);

    public abstract void putInt(int offset, int value);

    public abstract long getLong(int offset);

    public abstract void putLong(int offset, long value);

    public abstract int getIntAcquire(int offset);

    public abstract void putIntRelease(int offset, int value);

    public abstract long getLongAcquire(int offset);

    public abstract void putLongRelease(int offset, long value);

    public abstract long getLongOpaque(int offset);

    public abstract void putLongOpaque(int offset, long value);

    public abstract long getLongVolatile(int offset);

    public abstract void putLongVolatile(int offset, long value);

    public abstract boolean compareAndSetInt(int offset, int expected, int value);

    public abstract boolean compareAndSetLong(int offset, long expected, long value);

    public abstract int getAndAddInt(int offset, int delta);

    public abstract long getAndAddLong(int offset, long delta);

    /** Copies bytes to another memory; the ranges may overlap only when they do not share bytes. */
    public abstract void copyTo(int offset, OffHeapMemory target, int targetOffset, int length);

    /** Copies bytes out to a heap array. */
    public abstract void getBytes(int offset, byte[] target, int targetOffset, int length);

    /** Copies bytes in from a heap array. */
    public abstract void putBytes(int offset, byte[] source, int sourceOffset, int length);

    /** Copies bytes out to the buffer's position, which moves on by {@code length}. */
    public abstract void getBytes(int offset, ByteBuffer target, int length);

    /** Copies bytes in from the buffer's position, which moves on by {@code length}. */
    public abstract void putBytes(int offset, ByteBuffer source, int length);

    /** Sets every byte of the range to {@code value}. */
    public abstract void fill(int offset, int length, byte value);

    /**
     * Returns a new byte buffer over the range, for I/O and foreign APIs.
     *
     * <p>Lifetime: must not be used after this memory is freed. From Java 22 on that throws {@link
     * IllegalStateException}; before, nothing checks it.
     */
    public abstract ByteBuffer asByteBuffer(int offset, int length);

    /** Frees the memory, which must have come from {@link #allocate}; later accesses throw. */
    abstract void free();

    /** Returns the unsigned value of the byte. */
    public final int getUnsignedByte(int offset) {
        return getByte(offset) & 0xff;
    }

    /** Returns the unsigned value of the two bytes. */
    public final int getUnsignedShort(int offset) {
        return getShort(offset) & 0xffff;
    }

    /** Returns the eight bytes as a big-endian number, which compares unsigned as they do. */
    public final long getLongBigEndian(int offset) {
        return Long.reverseBytes(getLong(offset));
    }

    /**
     * Compares two ranges byte by byte, unsigned; a proper prefix is smaller.
     *
     * @return negative, zero or positive
     */
    public static int compare(
            OffHeapMemory left,
            int leftOffset,
            int leftLength,
            OffHeapMemory right,
            int rightOffset,
            int rightLength) {
        int length = Math.min(leftLength, rightLength);
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            long a = left.getLong(leftOffset + i);
            long b = right.getLong(rightOffset + i);
            if (a != b) {
                return Long.compareUnsigned(Long.reverseBytes(a), Long.reverseBytes(b));
            }
        }
        if (i < length) {
            if (length >= Long.BYTES) {
                // The last eight bytes again: those already seen are equal and decide nothing.
                i = length - Long.BYTES;
                long a = left.getLong(leftOffset + i);
                long b = right.getLong(rightOffset + i);
                if (a != b) {
                    return Long.compareUnsigned(Long.reverseBytes(a), Long.reverseBytes(b));
                }
            } else {
                for (; i < length; i++) {
                    int difference =
                            left.getUnsignedByte(leftOffset + i)
                                    - right.getUnsignedByte(rightOffset + i);
                    if (difference != 0) {
                        return difference;
                    }
                }
            }
        }
        return leftLength - rightLength;
    }

    /** Returns whether two ranges of one length hold the same bytes. */
    public static boolean equal(
            OffHeapMemory left, int leftOffset, OffHeapMemory right, int rightOffset, int length) {
        if (length >= Long.BYTES) {
            int last = length - Long.BYTES;
            for (int i = 0; i < last; i += Long.BYTES) {
                if (left.getLong(leftOffset + i) != right.getLong(rightOffset + i)) {
                    return false;
                }
            }
            return left.getLong(leftOffset + last) == right.getLong(rightOffset + last);
        }
        for (int i = 0; i < length; i++) {
            if (left.getByte(leftOffset + i) != right.getByte(rightOffset + i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the index of the first byte in which two ranges of one length differ, or {@code
     * length} if there is none.
     */
    public static int mismatch(
            OffHeapMemory left, int leftOffset, OffHeapMemory right, int rightOffset, int length) {
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            long difference = left.getLong(leftOffset + i) ^ right.getLong(rightOffset + i);
            if (difference != 0) {
                return i + (Long.numberOfTrailingZeros(difference) >>> 3);
            }
        }
        for (; i < length; i++) {
            if (left.getByte(leftOffset + i) != right.getByte(rightOffset + i)) {
                return i;
            }
        }
        return length;
    }

    /**
     * Keeps loads before this call from moving behind later loads and stores: what an optimistic
     * reader needs between copying bytes and checking that they were not overwritten meanwhile.
     */
    public static void acquireFence() {
        VarHandle.acquireFence();
    }

    /**
     * Keeps stores after this call from moving before earlier loads and stores: what a writer needs
     * between announcing that bytes are about to change and changing them.
     */
    public static void releaseFence() {
        VarHandle.releaseFence();
    }

    static void checkRange(int offset, int length, int capacity) {
        if ((offset | length | (capacity - length - offset)) < 0) {
            throw new IndexOutOfBoundsException(
                    "range is outside the memory: offset="
                            + offset
                            + " length="
                            + length
                            + " capacity="
                            + capacity);
        }
    }
}
