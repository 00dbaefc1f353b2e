package dev.tarn.sst.block;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Off-heap scratch memory that is replaced by larger memory when it is too small.
 *
 * <p>Owner: the holder of the buffer, which closes it, once.
 *
 * <p>Lifetime: memory that was handed out is valid until the next call that may grow it.
 *
 * <p>Threads: belongs to one thread.
 *
 * <p>Errors: {@link dev.tarn.memory.MemoryBudgetExceededException} if the budget does not allow the
 * growth; the old contents stay.
 */
public final class ScratchBuffer implements AutoCloseable {
    /** Above this, memory grows by what is asked for, not by doubling. */
    private static final int DOUBLING_MAX = 16 << 20;

    private final MemoryAccountant accountant;
    private final MemoryPurpose purpose;
    private MemoryRegion region;
    private @Nullable ByteBuffer bytes;

    /** Allocates {@code capacity} bytes under {@code purpose}. */
    public ScratchBuffer(MemoryAccountant accountant, MemoryPurpose purpose, int capacity) {
        this.accountant = accountant;
        this.purpose = purpose;
        this.region = allocate(capacity);
    }

    /** The memory, of at least the length last asked for. */
    public OffHeapMemory memory() {
        return region.memory();
    }

    public int capacity() {
        return region.sizeBytes();
    }

    /** A byte buffer over all of the memory; its marks are the caller's to change. */
    public ByteBuffer byteBuffer() {
        ByteBuffer view = bytes;
        if (view == null) {
            view = region.memory().asByteBuffer(0, region.sizeBytes());
            bytes = view;
        }
        return view;
    }

    /** Returns memory of at least {@code capacity} bytes, whose contents are undefined. */
    public OffHeapMemory ensure(long capacity) {
        if (capacity > region.sizeBytes()) {
            replace(allocate(grown(capacity)), 0);
        }
        return region.memory();
    }

    /** Returns memory of at least {@code capacity} bytes, which begins with the old contents. */
    public OffHeapMemory grow(long capacity, int keptLength) {
        if (capacity > region.sizeBytes()) {
            replace(allocate(grown(capacity)), keptLength);
        }
        return region.memory();
    }

    /** Gives memory back if more than {@code capacity} is held; the contents are undefined. */
    public void shrink(int capacity) {
        if (region.sizeBytes() > capacity) {
            replace(allocate(capacity), 0);
        }
    }

    @Override
    public void close() {
        bytes = null;
        region.close();
    }

    private void replace(MemoryRegion larger, int keptLength) {
        region.memory().copyTo(0, larger.memory(), 0, keptLength);
        MemoryRegion old = region;
        region = larger;
        bytes = null;
        old.close();
    }

    private long grown(long capacity) {
        long doubled = 2L * region.sizeBytes();
        return doubled <= DOUBLING_MAX ? Math.max(capacity, doubled) : capacity;
    }

    private MemoryRegion allocate(long capacity) {
        return MemoryRegion.allocate(accountant, purpose, capacity, MemoryRegion.CACHE_LINE_BYTES);
    }
}
