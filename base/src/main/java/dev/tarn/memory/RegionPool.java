package dev.tarn.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Equal regions that are handed out, taken back and handed out again, without being unmapped in
 * between.
 *
 * <p>Owner: the pool owns the memory; a borrower owns the contents between {@link #tryAcquire} and
 * {@link #release}. Recycled memory keeps its old contents.
 *
 * <p>Lifetime: memory stays mapped until {@link #trim} or {@link #close}, so that an optimistic
 * reader which is late sees stale bytes, never a crash; readers like that must be gone before
 * either is called.
 *
 * <p>Threads: any thread may acquire and release.
 *
 * <p>Errors: releasing a region twice, or one of another pool, throws.
 */
public final class RegionPool implements AutoCloseable {
    private final MemoryAccountant accountant;
    private final MemoryPurpose purpose;
    private final int regionSizeBytes;
    private final int alignmentBytes;

    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private final ArrayDeque<MemoryRegion> idle = new ArrayDeque<>();

    @GuardedBy("mutex")
    private final java.util.Set<MemoryRegion> lent =
            java.util.Collections.newSetFromMap(new java.util.IdentityHashMap<>());

    @GuardedBy("mutex")
    private boolean closed;

    /** Creates an empty pool; regions are allocated when first asked for. */
    public RegionPool(
            MemoryAccountant accountant,
            MemoryPurpose purpose,
            int regionSizeBytes,
            int alignmentBytes) {
        this.accountant = accountant;
        this.purpose = purpose;
        this.regionSizeBytes = regionSizeBytes;
        this.alignmentBytes = alignmentBytes;
    }

    /** Lends a region, recycled if there is one; null when the budget does not allow another. */
    public @Nullable MemoryRegion tryAcquire() {
        mutex.lock();
        try {
            checkOpen();
            MemoryRegion region = idle.pollLast();
            if (region == null) {
                region =
                        MemoryRegion.tryAllocate(
                                accountant, purpose, regionSizeBytes, alignmentBytes);
            }
            if (region != null) {
                lent.add(region);
            }
            return region;
        } finally {
            mutex.unlock();
        }
    }

    /** Takes a region back; its bytes stay as they are. */
    public void release(MemoryRegion region) {
        mutex.lock();
        try {
            checkOpen();
            if (!lent.remove(region)) {
                throw new IllegalStateException(
                        "region is not lent by this pool, or was released twice: " + region);
            }
            idle.addLast(region);
        } finally {
            mutex.unlock();
        }
    }

    /** Frees idle regions until at most {@code idleCountMax} are left; returns how many. */
    public int trim(int idleCountMax) {
        mutex.lock();
        try {
            int freed = 0;
            while (idle.size() > idleCountMax) {
                idle.removeFirst().close();
                freed++;
            }
            return freed;
        } finally {
            mutex.unlock();
        }
    }

    public int regionSizeBytes() {
        return regionSizeBytes;
    }

    /** The number of regions that wait to be handed out again. */
    public int idleCount() {
        mutex.lock();
        try {
            return idle.size();
        } finally {
            mutex.unlock();
        }
    }

    /** The number of regions that are handed out. */
    public int lentCount() {
        mutex.lock();
        try {
            return lent.size();
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Frees everything.
     *
     * @throws IllegalStateException if regions are still lent; nothing is freed then
     * @throws ClosedException if it was closed before
     */
    @Override
    public void close() {
        mutex.lock();
        try {
            checkOpen();
            if (!lent.isEmpty()) {
                throw new IllegalStateException(
                        "region pool closed with regions lent: purpose="
                                + purpose
                                + " lentCount="
                                + lent.size());
            }
            closed = true;
            idle.forEach(MemoryRegion::close);
            idle.clear();
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private void checkOpen() {
        if (closed) {
            throw new ClosedException("region pool is closed: purpose=" + purpose);
        }
    }
}
