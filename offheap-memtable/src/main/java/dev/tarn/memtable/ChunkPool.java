package dev.tarn.memtable;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryBudgetExceededException;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.memory.RegionPool;
import java.util.BitSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The memory that all memtables of a database share: slabs from the budget, split into chunks.
 *
 * <p>Memory follows use: a memtable takes a 4 KiB chunk when its first entry comes, larger ones as
 * it grows, and gives them back when it is closed. Chunks are powers of two, split and merged as
 * buddies; a slab whose chunks all came back waits to be lent again. An entry larger than a slab
 * takes a region of its own.
 *
 * <p>Units: chunks and entries are addressed by an {@code int} that counts units of 8 bytes,
 * unsigned: the upper bits number the slab, the lower bits the unit in it. 0 addresses nothing.
 *
 * <p>Owner: the pool owns the memory, a memtable the contents of its chunks until it gives them
 * back; recycled chunks keep their old bytes.
 *
 * <p>Lifetime: close it after all memtables.
 *
 * <p>Threads: any thread may take and give back; a lock is taken once per chunk, never per entry.
 *
 * <p>Errors: a refusal by the budget is a return value; misuse throws.
 */
public final class ChunkPool implements AutoCloseable {
    /** The smallest chunk. */
    static final int CHUNK_BYTES_MIN = 4096;

    /**
     * The default slab: large enough for the largest useful chunk to be a small part of it, small
     * enough that zeroing a new one delays one put by about two milliseconds only.
     */
    public static final int SLAB_BYTES_DEFAULT = 8 << 20;

    /** The smallest slab. */
    public static final int SLAB_BYTES_MIN = 256 << 10;

    /** The largest slab. */
    public static final int SLAB_BYTES_MAX = 64 << 20;

    private static final int CHUNK_SHIFT_MIN = 12;

    /** With the default slab, the reach of a 32-bit number of units: 32 GiB. */
    private static final int SLAB_COUNT_MAX = 4096;

    private final MemoryAccountant accountant;
    private final int slabBytes;
    private final int slabUnitShift;
    private final int slabOrder;
    private final RegionPool regions;

    /**
     * The memory of each slab, by number; number 0 is never used, so that unit 0 is no address.
     * Written under the mutex, read without: whoever follows a unit got it by an acquire from
     * somebody who got it from here.
     */
    private final @Nullable OffHeapMemory[] slabs;

    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private final @Nullable MemoryRegion[] regionsBySlab;

    /** Free chunks by order: bit i of order k is the i-th chunk of 4 KiB * 2^k, over all slabs. */
    @GuardedBy("mutex")
    private final BitSet[] freeByOrder;

    @GuardedBy("mutex")
    private final BitSet usedSlabs = new BitSet();

    @GuardedBy("mutex")
    private long lentBytes;

    @GuardedBy("mutex")
    private boolean closed;

    /** Creates an empty pool with default slabs, or smaller ones where the budget is small. */
    public ChunkPool(MemoryAccountant accountant) {
        this(accountant, slabBytesFor(accountant.limitBytes(MemoryPurpose.MEMTABLE)));
    }

    /**
     * Creates an empty pool.
     *
     * @param slabBytes a power of two in [{@link #SLAB_BYTES_MIN}, {@link #SLAB_BYTES_MAX}]; the
     *     pool reaches 4096 slabs or 32 GiB, whichever is less
     */
    public ChunkPool(MemoryAccountant accountant, int slabBytes) {
        if (Integer.bitCount(slabBytes) != 1
                || slabBytes < SLAB_BYTES_MIN
                || slabBytes > SLAB_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "slabBytes must be a power of two in ["
                            + SLAB_BYTES_MIN
                            + ", "
                            + SLAB_BYTES_MAX
                            + "]: slabBytes="
                            + slabBytes);
        }
        if (slabBytes > accountant.limitBytes(MemoryPurpose.MEMTABLE)) {
            throw new IllegalArgumentException(
                    "slabBytes must not exceed the memtable budget: slabBytes="
                            + slabBytes
                            + " limitBytes="
                            + accountant.limitBytes(MemoryPurpose.MEMTABLE));
        }
        this.accountant = accountant;
        this.slabBytes = slabBytes;
        int slabShift = Integer.numberOfTrailingZeros(slabBytes);
        this.slabUnitShift = slabShift - EntryLayout.UNIT_SHIFT;
        this.slabOrder = slabShift - CHUNK_SHIFT_MIN;
        this.regions =
                new RegionPool(
                        accountant, MemoryPurpose.MEMTABLE, slabBytes, MemoryRegion.PAGE_BYTES);
        int slabCountMax = (int) Math.min(SLAB_COUNT_MAX, 1L << (32 - slabUnitShift));
        this.slabs = new OffHeapMemory[slabCountMax];
        this.regionsBySlab = new MemoryRegion[slabCountMax];
        this.freeByOrder = new BitSet[slabOrder + 1];
        for (int order = 0; order <= slabOrder; order++) {
            freeByOrder[order] = new BitSet();
        }
        usedSlabs.set(0);
    }

    /** The memory of slab {@code unit >>> slabUnitShift()}. */
    @Nullable OffHeapMemory[] slabs() {
        return slabs;
    }

    int slabUnitShift() {
        return slabUnitShift;
    }

    int slabBytes() {
        return slabBytes;
    }

    MemoryAccountant accountant() {
        return accountant;
    }

    /**
     * Lends a chunk.
     *
     * @param chunkBytes a power of two in [{@link #CHUNK_BYTES_MIN}, {@link #slabBytes()}]
     * @return its first unit; 0 if the budget does not allow it
     */
    int tryAcquire(int chunkBytes) {
        int order = orderOf(chunkBytes);
        mutex.lock();
        try {
            checkOpen();
            int found = order;
            int chunk = -1;
            for (; found <= slabOrder; found++) {
                chunk = freeByOrder[found].nextSetBit(0);
                if (chunk >= 0) {
                    break;
                }
            }
            if (chunk < 0) {
                found = slabOrder;
                chunk = addSlab();
                if (chunk < 0) {
                    return 0;
                }
            }
            freeByOrder[found].clear(chunk);
            while (found > order) {
                found--;
                chunk <<= 1;
                freeByOrder[found].set(chunk + 1);
            }
            lentBytes += chunkBytes;
            return chunk << (order + CHUNK_SHIFT_MIN - EntryLayout.UNIT_SHIFT);
        } finally {
            mutex.unlock();
        }
    }

    /** Takes a chunk back. */
    void release(int unit, int chunkBytes) {
        int order = orderOf(chunkBytes);
        mutex.lock();
        try {
            checkOpen();
            int chunk = unit >>> (order + CHUNK_SHIFT_MIN - EntryLayout.UNIT_SHIFT);
            if (freeByOrder[order].get(chunk)) {
                throw new IllegalStateException(
                        "chunk released twice: unit=" + unit + " chunkBytes=" + chunkBytes);
            }
            while (order < slabOrder && freeByOrder[order].get(chunk ^ 1)) {
                freeByOrder[order].clear(chunk ^ 1);
                order++;
                chunk >>>= 1;
            }
            lentBytes -= chunkBytes;
            if (order == slabOrder) {
                removeSlab(chunk);
            } else {
                freeByOrder[order].set(chunk);
            }
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Lends a region of its own for something larger than a slab.
     *
     * @return its first unit; 0 if the budget does not allow it now
     * @throws MemoryBudgetExceededException if the budget can never allow it
     */
    int tryAcquireLarge(int sizeBytes) {
        checkEverFits(sizeBytes);
        mutex.lock();
        try {
            checkOpen();
            int slab = usedSlabs.nextClearBit(0);
            if (slab >= slabs.length) {
                return 0;
            }
            MemoryRegion region = tryAllocate(sizeBytes);
            if (region == null) {
                regions.trim(0);
                region = tryAllocate(sizeBytes);
                if (region == null) {
                    return 0;
                }
            }
            setSlab(slab, region);
            lentBytes += sizeBytes;
            return slab << slabUnitShift;
        } finally {
            mutex.unlock();
        }
    }

    /** Takes back, and frees, what {@link #tryAcquireLarge} lent. */
    void releaseLarge(int unit) {
        mutex.lock();
        try {
            checkOpen();
            MemoryRegion region = clearSlab(unit >>> slabUnitShift);
            lentBytes -= region.sizeBytes();
            region.close();
        } finally {
            mutex.unlock();
        }
    }

    /** Throws if so many bytes can never be lent, however much is given back. */
    void checkEverFits(long sizeBytes) {
        long limitBytes = accountant.limitBytes(MemoryPurpose.MEMTABLE);
        if (sizeBytes > limitBytes) {
            throw new MemoryBudgetExceededException(
                    "entry is larger than the whole memtable budget: entryBytes="
                            + sizeBytes
                            + " limitBytes="
                            + limitBytes);
        }
    }

    /** Counts bytes against the budget without allocating them; returns whether it allows that. */
    boolean tryReserve(long bytes) {
        if (accountant.tryReserve(MemoryPurpose.MEMTABLE, bytes)) {
            return true;
        }
        return trim() > 0 && accountant.tryReserve(MemoryPurpose.MEMTABLE, bytes);
    }

    /** Gives back what {@link #tryReserve} counted. */
    void releaseReservation(long bytes) {
        accountant.release(MemoryPurpose.MEMTABLE, bytes);
    }

    /** The bytes of all chunks and regions that memtables hold. */
    public long lentBytes() {
        mutex.lock();
        try {
            return lentBytes;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Frees the slabs that no memtable uses, for other purposes of the budget; returns how many.
     */
    public int trim() {
        return regions.trim(0);
    }

    /**
     * Frees all slabs.
     *
     * @throws IllegalStateException if a memtable still holds chunks; nothing is freed then
     * @throws ClosedException if it was closed before
     */
    @Override
    public void close() {
        mutex.lock();
        try {
            checkOpen();
            if (lentBytes != 0) {
                throw new IllegalStateException(
                        "chunk pool closed while memtables hold memory: lentBytes=" + lentBytes);
            }
            closed = true;
            regions.close();
        } finally {
            mutex.unlock();
        }
    }

    /** An eighth of a small budget, so that memtables can take turns in it. */
    private static int slabBytesFor(long limitBytes) {
        long part = Math.max(SLAB_BYTES_MIN, Long.highestOneBit(limitBytes >>> 3));
        return (int) Math.min(SLAB_BYTES_DEFAULT, part);
    }

    private int orderOf(int chunkBytes) {
        int order = Integer.numberOfTrailingZeros(chunkBytes) - CHUNK_SHIFT_MIN;
        if (Integer.bitCount(chunkBytes) != 1 || order < 0 || order > slabOrder) {
            throw new IllegalArgumentException(
                    "chunkBytes must be a power of two in ["
                            + CHUNK_BYTES_MIN
                            + ", "
                            + slabBytes
                            + "]: chunkBytes="
                            + chunkBytes);
        }
        return order;
    }

    private @Nullable MemoryRegion tryAllocate(int sizeBytes) {
        return MemoryRegion.tryAllocate(
                accountant, MemoryPurpose.MEMTABLE, sizeBytes, MemoryRegion.CACHE_LINE_BYTES);
    }

    /** Returns the number of a new, wholly free slab, which is its chunk number too, or -1. */
    @GuardedBy("mutex")
    private int addSlab() {
        int slab = usedSlabs.nextClearBit(0);
        if (slab >= slabs.length) {
            return -1;
        }
        MemoryRegion region = regions.tryAcquire();
        if (region == null) {
            return -1;
        }
        setSlab(slab, region);
        return slab;
    }

    @GuardedBy("mutex")
    private void removeSlab(int slab) {
        regions.release(clearSlab(slab));
    }

    @GuardedBy("mutex")
    private void setSlab(int slab, MemoryRegion region) {
        usedSlabs.set(slab);
        regionsBySlab[slab] = region;
        slabs[slab] = region.memory();
    }

    @GuardedBy("mutex")
    private MemoryRegion clearSlab(int slab) {
        MemoryRegion region = regionsBySlab[slab];
        if (region == null) {
            throw new IllegalStateException("slab is not in use: slab=" + slab);
        }
        regionsBySlab[slab] = null;
        slabs[slab] = null;
        usedSlabs.clear(slab);
        return region;
    }

    @GuardedBy("mutex")
    private void checkOpen() {
        if (closed) {
            throw new ClosedException("chunk pool is closed");
        }
    }
}
