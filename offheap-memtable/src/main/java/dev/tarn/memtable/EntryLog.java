package dev.tarn.memtable;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.tarn.memory.OffHeapMemory;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The append-only memory of one memtable: blocks that writers fill with entries and from which the
 * index takes its segments.
 *
 * <p>Threads: any writer, each with its own {@link WriterContext}; a lock is taken once per block,
 * never per entry.
 *
 * <p>Owner: the log owns its chunks until {@link #close()}, which gives them back to the pool.
 */
final class EntryLog {
    /** Chunks stop growing here: large enough that taking one is rare. */
    private static final int CHUNK_BYTES_MAX = 1 << 20;

    /** A new chunk is this part of what the memtable holds, so that little of it can be unused. */
    private static final int CHUNK_FRACTION_SHIFT = 3;

    /** Set aside in the first chunk, so that a memtable of few entries takes no other. */
    private static final int FIRST_LINES_BYTES =
            IndexGrowth.FIRST_SEGMENT_BYTES + SlotIndex.LINE_BYTES;

    /** Shorter remains of a block are not worth keeping. */
    private static final int SPARE_BYTES_MIN = 256;

    private static final int SPARE_COUNT_MAX = 1024;

    /** Reading further ahead would displace more than it brings. */
    private static final int TAIL_DISTANCE_MAX = 192;

    /** Directory space is reserved for so many entries at once, at least and at most. */
    private static final int RESERVED_COUNT_MIN = 64;

    private static final int RESERVED_COUNT_MAX = 64 << 10;

    private final ChunkPool pool;
    private final @Nullable OffHeapMemory[] slabs;
    private final int slabUnitShift;

    /**
     * Where the last bytes of a typical entry are, from its start: a hint, so written without
     * order. What lies there is read along with the header, since the value's length, which would
     * tell, is itself a cache miss away.
     */
    private int tailDistance;

    private final ReentrantLock mutex = new ReentrantLock();

    /** {@code sizeBytes << 32 | unit} of each chunk. */
    @GuardedBy("mutex")
    private long[] chunks = new long[4];

    @GuardedBy("mutex")
    private int chunkCount;

    /** {@code sizeBytes << 32 | unit} of blocks that can be filled again. */
    @GuardedBy("mutex")
    private long[] spares = new long[4];

    @GuardedBy("mutex")
    private int spareCount;

    private final AtomicLong chunkBytes = new AtomicLong();

    @GuardedBy("mutex")
    private long directoryBytesReserved;

    EntryLog(ChunkPool pool) {
        this.pool = pool;
        this.slabs = pool.slabs();
        this.slabUnitShift = pool.slabUnitShift();
    }

    /** The bytes of all chunks. */
    long chunkBytes() {
        return chunkBytes.get();
    }

    /** The memory that holds a unit. */
    OffHeapMemory memory(int unit) {
        OffHeapMemory memory = slabs[unit >>> slabUnitShift];
        assert memory != null : "unit is in no slab: unit=" + unit;
        return memory;
    }

    /** Reads the first and, if it is of typical size, the last cache line of an entry. */
    long touchEntry(int unit) {
        OffHeapMemory memory = memory(unit);
        int offset = offset(unit);
        int tail = Math.min(offset + tailDistance, memory.capacity() - Long.BYTES);
        return memory.getLong(offset) + memory.getLong(tail);
    }

    /** The offset of a unit in {@link #memory(int)}. */
    int offset(int unit) {
        return (unit & ((1 << slabUnitShift) - 1)) << EntryLayout.UNIT_SHIFT;
    }

    /**
     * Gives the context a block into which {@code sizeBytes} fit.
     *
     * @return false if the budget does not allow it
     */
    boolean refill(WriterContext context, int sizeBytes) {
        mutex.lock();
        try {
            boolean first = chunkCount == 0;
            retire(context.topUnit(), context.limit - context.top);
            long entryCount = context.entryCount();
            if (entryCount > 0) {
                long typicalBytes = context.entryBytes() / entryCount;
                tailDistance = (int) Math.min(TAIL_DISTANCE_MAX, typicalBytes - Long.BYTES);
            }
            context.top = 0;
            context.limit = 0;
            long block = takeSpare(sizeBytes);
            if (block == 0) {
                block = addChunk(sizeBytes, nextChunkBytes());
                if (block == 0) {
                    return false;
                }
            }
            int unit = (int) block;
            context.memory = memory(unit);
            context.slabUnit = unit >>> slabUnitShift << slabUnitShift;
            context.top = offset(unit);
            context.limit = context.top + sizeBytes(block);
            if (first && context.limit - context.top - sizeBytes >= FIRST_LINES_BYTES) {
                context.limit -= FIRST_LINES_BYTES;
                retire(
                        context.slabUnit + (context.limit >>> EntryLayout.UNIT_SHIFT),
                        FIRST_LINES_BYTES);
            }
            return true;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Takes zeroed memory on a cache line boundary, for the index.
     *
     * @param sizeBytes a multiple of 64, at most a slab
     * @return its first unit; 0 if the budget does not allow it
     */
    int allocateLines(int sizeBytes) {
        mutex.lock();
        try {
            long block = takeSpare(sizeBytes + SlotIndex.LINE_BYTES);
            if (block == 0) {
                block = addChunk(sizeBytes, Math.min(nextChunkBytes(), 4 * sizeBytes));
                if (block == 0) {
                    return 0;
                }
            }
            int lineUnits = SlotIndex.LINE_BYTES >>> EntryLayout.UNIT_SHIFT;
            int unit = ((int) block + lineUnits - 1) & -lineUnits;
            int end = (int) block + (sizeBytes(block) >>> EntryLayout.UNIT_SHIFT);
            int usedEnd = unit + (sizeBytes >>> EntryLayout.UNIT_SHIFT);
            retire(usedEnd, (end - usedEnd) << EntryLayout.UNIT_SHIFT);
            memory(unit).fill(offset(unit), sizeBytes, (byte) 0);
            return unit;
        } finally {
            mutex.unlock();
        }
    }

    /** The largest power of two that {@link #allocateLines} gives. */
    int linesShiftMax() {
        return slabUnitShift + EntryLayout.UNIT_SHIFT;
    }

    /** Takes back a block that nobody reads or writes any more, to be filled again. */
    void retireBlock(int unit, int sizeBytes) {
        mutex.lock();
        try {
            retire(unit, sizeBytes);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Reserves budget, not memory, for the directory that sorting the context's entries will need,
     * so that a full budget never stands in the way of a flush.
     *
     * @return false if the budget does not allow it
     */
    boolean reserveDirectory(WriterContext context) {
        long count =
                Math.max(
                        RESERVED_COUNT_MIN,
                        Math.min(RESERVED_COUNT_MAX, context.directoryEntryCountReserved));
        long bytes = count * SortedDirectory.RECORD_BYTES;
        if (!pool.tryReserve(bytes)) {
            return false;
        }
        context.directoryEntryCountReserved += count;
        mutex.lock();
        try {
            directoryBytesReserved += bytes;
        } finally {
            mutex.unlock();
        }
        return true;
    }

    /** Hands the whole directory reservation over to the caller. */
    long takeDirectoryReservation() {
        mutex.lock();
        try {
            long bytes = directoryBytesReserved;
            directoryBytesReserved = 0;
            return bytes;
        } finally {
            mutex.unlock();
        }
    }

    long directoryBytesReserved() {
        mutex.lock();
        try {
            return directoryBytesReserved;
        } finally {
            mutex.unlock();
        }
    }

    /** Gives everything back to the pool; nobody may read it any more. */
    void close() {
        mutex.lock();
        try {
            for (int i = 0; i < chunkCount; i++) {
                int sizeBytes = sizeBytes(chunks[i]);
                if (isLarge(sizeBytes)) {
                    pool.releaseLarge((int) chunks[i]);
                } else {
                    pool.release((int) chunks[i], sizeBytes);
                }
            }
            chunkCount = 0;
            spareCount = 0;
            chunkBytes.set(0);
            if (directoryBytesReserved > 0) {
                pool.releaseReservation(directoryBytesReserved);
                directoryBytesReserved = 0;
            }
        } finally {
            mutex.unlock();
        }
    }

    private boolean isLarge(int sizeBytes) {
        return sizeBytes > pool.slabBytes();
    }

    private static int sizeBytes(long block) {
        return (int) (block >>> 32);
    }

    private static long block(int unit, int sizeBytes) {
        return (long) sizeBytes << 32 | (unit & 0xffffffffL);
    }

    private int nextChunkBytes() {
        long part = chunkBytes.get() >>> CHUNK_FRACTION_SHIFT;
        int max = Math.min(CHUNK_BYTES_MAX, pool.slabBytes());
        if (part >= max) {
            return max;
        }
        return Math.max(ChunkPool.CHUNK_BYTES_MIN, Integer.highestOneBit((int) part));
    }

    /** Returns a new block of at least {@code sizeBytes}, or 0. */
    @GuardedBy("mutex")
    private long addChunk(int sizeBytes, int wantedBytes) {
        if (isLarge(sizeBytes)) {
            return addBlock(pool.tryAcquireLarge(sizeBytes), sizeBytes);
        }
        int least =
                Math.max(
                        ChunkPool.CHUNK_BYTES_MIN,
                        Integer.highestOneBit(Math.max(1, sizeBytes - 1)) << 1);
        pool.checkEverFits(least);
        int bytes = Math.max(least, Integer.highestOneBit(wantedBytes));
        // Near the end of the budget a smaller chunk may still be had.
        for (; bytes >= least; bytes >>>= 1) {
            long block = addBlock(pool.tryAcquire(bytes), bytes);
            if (block != 0) {
                return block;
            }
        }
        return 0;
    }

    @GuardedBy("mutex")
    private long addBlock(int unit, int sizeBytes) {
        if (unit == 0) {
            return 0;
        }
        if (chunkCount == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunkCount);
        }
        long block = block(unit, sizeBytes);
        chunks[chunkCount++] = block;
        chunkBytes.addAndGet(sizeBytes);
        return block;
    }

    @GuardedBy("mutex")
    private void retire(int unit, int sizeBytes) {
        if (sizeBytes < SPARE_BYTES_MIN || spareCount == SPARE_COUNT_MAX) {
            return;
        }
        if (spareCount == spares.length) {
            spares = Arrays.copyOf(spares, 2 * spareCount);
        }
        spares[spareCount++] = block(unit, sizeBytes);
    }

    /** Returns the first spare block of at least {@code sizeBytes}, or 0. */
    @GuardedBy("mutex")
    private long takeSpare(int sizeBytes) {
        for (int i = 0; i < spareCount; i++) {
            long block = spares[i];
            if (sizeBytes(block) >= sizeBytes) {
                spares[i] = spares[--spareCount];
                return block;
            }
        }
        return 0;
    }
}
