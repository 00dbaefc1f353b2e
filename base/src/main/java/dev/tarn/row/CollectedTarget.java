package dev.tarn.row;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;

/**
 * Off-heap memory that the garbage collector frees, for nested values on the convenient path and
 * for default values; direct, so that hot readers see one kind of buffer only.
 */
final class CollectedTarget implements RowTarget {
    private static final int SIZE_BYTES_MIN = 256;

    private OffHeapMemory memory = OffHeapMemory.wrap(ByteBuffer.allocateDirect(SIZE_BYTES_MIN));

    @Override
    public OffHeapMemory memory() {
        return memory;
    }

    @Override
    public int offset() {
        return 0;
    }

    @Override
    public int limit() {
        return memory.capacity();
    }

    @Override
    public boolean grow(int lengthWritten, int lengthNeeded) {
        int sizeBytes = (int) Math.max(lengthNeeded, Math.min(2L * limit(), 1L << 30));
        OffHeapMemory larger = OffHeapMemory.wrap(ByteBuffer.allocateDirect(sizeBytes));
        memory.copyTo(0, larger, 0, lengthWritten);
        memory = larger;
        return true;
    }

    BytesView view(int length) {
        return new BytesView().wrap(memory, 0, length);
    }
}
