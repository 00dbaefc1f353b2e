package dev.tarn.sst.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Raw blocks of SST files in off-heap frames, for a whole database, within a strict capacity.
 *
 * <p>A block is named by its tag, {@link #tag(int, int)}. Readers keep the frame in which they last
 * saw a block as a hint; a wrong or stale hint costs a look into the hash table and nothing else,
 * because the header of a frame says which block it holds. There are two ways to use a resident
 * block:
 *
 * <ul>
 *   <li>copy out: {@link #find}, {@link #stamp}, read and copy, {@link #validate}; if that returns
 *       false, forget what was read and try again. Writes nothing that other threads read, so it
 *       scales; but what is read before {@code validate} may be garbage: treat lengths and offsets
 *       as hostile.
 *   <li>pin: {@link #pin} or {@link #load}, read in place, {@link #unpin}. The bytes stand still in
 *       between, even if the file is forgotten.
 * </ul>
 *
 * <p>Owner: the cache owns all memory it hands out, and reserves its whole capacity, headers and
 * tables included, when it is made.
 *
 * <p>Lifetime: a tag may be used from {@link #newFileId} to {@link #forgetFile}; a frame while it
 * is pinned or, optimistically, while its file is not forgotten. Memory is freed when the cache is
 * closed, every file is forgotten, every load has returned and every pin is given back.
 *
 * <p>Threads: all methods are safe from any thread. Hits take no lock and allocate nothing. Misses,
 * evictions and forgetting share one mutex, which is never held while a loader runs.
 *
 * <p>Invariants: see {@link FrameTable} and {@link ResidentSet}; the protocol with its proofs is in
 * docs/concurrency/block-cache.md.
 *
 * <p>Publication: {@link FrameTable#publish} makes a loaded block visible to {@link #stamp} and
 * {@link #pin}; {@link FrameTable#tryClaim} withdraws it from {@link #validate}.
 */
public final class BlockCache implements AutoCloseable {
    /** From {@link #find} and {@link #pin}: the block must be loaded. */
    public static final int NOT_RESIDENT = -1;

    /** From {@link #load}: the block is too large to be cached; nothing was loaded. */
    public static final int TOO_LARGE = -2;

    /** From {@link #load}: pins and loads in progress leave no room; nothing was loaded. */
    public static final int ALL_PINNED = -3;

    /** A hint for a block of which no frame is known. */
    public static final int NO_HINT = -1;

    private final MemoryAccountant accountant;
    private final BlockCacheOptions options;

    /** Holds the cache to its capacity; the whole of it is reserved in {@link #accountant}. */
    private final MemoryAccountant capacity;

    private final List<MemoryRegion> tables = new ArrayList<>();
    private final FrameTable frames;
    private final FrameIndex index;
    private final FrameMemory memory;
    private final int blockBytesMax;

    private final LongAdder hits = new LongAdder();

    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private final ResidentSet residents;

    @GuardedBy("mutex")
    private final List<PendingLoad> pendingLoads = new ArrayList<>();

    @GuardedBy("mutex")
    private final ArrayDeque<PendingLoad> idleLoads = new ArrayDeque<>();

    @GuardedBy("mutex")
    private int lastFileId;

    @GuardedBy("mutex")
    private boolean closed;

    @GuardedBy("mutex")
    private boolean freed;

    @GuardedBy("mutex")
    private long missCount;

    @GuardedBy("mutex")
    private long loadCount;

    @GuardedBy("mutex")
    private long loadFailureCount;

    @GuardedBy("mutex")
    private long loadNanos;

    @GuardedBy("mutex")
    private long refusalCount;

    /**
     * Reserves the capacity and allocates the tables; slabs of frames follow with use.
     *
     * @throws dev.tarn.memory.MemoryBudgetExceededException if the budget does not allow it
     * @throws IllegalArgumentException if not even four frames fit
     */
    public BlockCache(MemoryAccountant accountant, BlockCacheOptions options) {
        this.accountant = accountant;
        this.options = options;
        int frameCount = CacheSizing.frameCount(options);
        this.capacity = new MemoryAccountant(options.capacityBytes());
        accountant.reserve(MemoryPurpose.BLOCK_CACHE, options.capacityBytes());
        try {
            this.frames =
                    new FrameTable(
                            allocateTable((long) frameCount * FrameTable.HEADER_BYTES), frameCount);
            int slotCount = FrameIndex.slotCount(frameCount);
            this.index =
                    new FrameIndex(
                            allocateTable((long) slotCount * FrameIndex.SLOT_BYTES),
                            slotCount,
                            frames);
            FrameQueues queues =
                    new FrameQueues(
                            allocateTable((long) frameCount * FrameQueues.LINK_BYTES),
                            frames,
                            options);
            int ghostCount = GhostTable.entryCount(frameCount);
            GhostTable ghosts =
                    new GhostTable(
                            allocateTable((long) ghostCount * GhostTable.ENTRY_BYTES), ghostCount);
            this.memory =
                    new FrameMemory(
                            capacity, options.frameBytes(), frameCount, options.slabBytes());
            this.residents = new ResidentSet(frames, index, queues, memory, ghosts);
        } catch (OutOfMemoryError e) {
            tables.forEach(MemoryRegion::close);
            accountant.release(MemoryPurpose.BLOCK_CACHE, options.capacityBytes());
            throw e;
        }
        this.blockBytesMax =
                (int)
                        Math.min(
                                options.blockBytesMax(),
                                (long) Math.min(memory.slabFrames(), frameCount)
                                        * options.frameBytes());
    }

    private OffHeapMemory allocateTable(long bytes) {
        MemoryRegion table =
                MemoryRegion.allocate(
                        capacity, MemoryPurpose.BLOCK_CACHE, bytes, MemoryRegion.CACHE_LINE_BYTES);
        tables.add(table);
        return table.memory();
    }

    /** Names a block; unsigned order of tags is order of files, then blocks. */
    public static long tag(int fileId, int blockNumber) {
        return ((long) fileId << 32) | (blockNumber & 0xffff_ffffL);
    }

    static int fileIdOf(long tag) {
        return (int) (tag >>> 32);
    }

    /**
     * Opens a file: returns a positive number that no other file of this cache ever has.
     *
     * @throws ClosedException if the cache is closed
     * @throws IllegalStateException if all numbers are used up, after 2^31 - 1 files
     */
    public int newFileId() {
        mutex.lock();
        try {
            checkOpen();
            if (lastFileId == Integer.MAX_VALUE) {
                throw new IllegalStateException("file ids are used up: lastFileId=" + lastFileId);
            }
            lastFileId++;
            residents.openFile(lastFileId);
            return lastFileId;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Drops the blocks of a file: at once, or with their last unpin. Loads that run finish, and
     * their blocks are dropped with their last unpin.
     *
     * <p>The caller makes sure that nobody reads blocks of the file optimistically any more once
     * this and {@link #close} were called.
     *
     * @throws IllegalStateException if the file is not open
     */
    public void forgetFile(int fileId) {
        mutex.lock();
        try {
            if (!residents.isOpen(fileId)) {
                throw new IllegalStateException("file is not open: fileId=" + fileId);
            }
            residents.forgetFile(fileId);
            freeIfUnused();
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Returns the frame that holds the block, or {@link #NOT_RESIDENT}; counts a hit if it does.
     *
     * <p>Beside evictions a block may rarely be missed that is there: {@link #load} finds it.
     *
     * @param hintFrame where the block was seen last, {@link #NO_HINT} or any other number
     */
    public int find(long tag, int hintFrame) {
        int frame = locate(tag, hintFrame);
        if (frame != NOT_RESIDENT) {
            hits.increment();
        }
        return frame;
    }

    /**
     * As {@link #find}, without counting a hit: for those who count themselves, since a shared
     * counter keeps the loads around it from overlapping. They report by {@link #countHits}.
     */
    public int peek(long tag, int hintFrame) {
        return locate(tag, hintFrame);
    }

    /** Counts hits of blocks that {@link #peek} found. */
    public void countHits(long count) {
        hits.add(count);
    }

    private int locate(long tag, int hintFrame) {
        if (frames.exists(hintFrame)
                && FrameTable.state(frames.word(hintFrame)) == FrameTable.READY
                && frames.tag(hintFrame) == tag) {
            return hintFrame;
        }
        return index.find(tag);
    }

    /**
     * Returns a stamp, not negative, if the frame holds the block now, else -1; marks the block as
     * used.
     *
     * <p>Every byte read from the frame after this and before a {@link #validate} that returns true
     * belongs to the block.
     */
    public long stamp(int frame, long tag) {
        return frames.stamp(frame, tag);
    }

    /** Returns whether everything read since {@link #stamp} was the block's. */
    public boolean validate(int frame, long stamp) {
        return frames.validate(frame, stamp);
    }

    /**
     * Returns the frame that holds the block, pinned for the caller, or {@link #NOT_RESIDENT}.
     *
     * @param hintFrame as for {@link #find}
     */
    public int pin(long tag, int hintFrame) {
        int frame = locate(tag, hintFrame);
        if (frame == NOT_RESIDENT || !frames.tryPin(frame, tag)) {
            return NOT_RESIDENT;
        }
        hits.increment();
        return frame;
    }

    /**
     * Returns the frame that holds the block, pinned for the caller; loads it if it is missing,
     * once for all threads that ask.
     *
     * <p>Waiting for another thread's load is not interruptible, since that load ends by itself;
     * the interrupt status is kept.
     *
     * <p>Errors: {@link #TOO_LARGE} and {@link #ALL_PINNED} are returned, not thrown: the caller
     * reads the block into a buffer of its own. The loader's exception is thrown to every waiting
     * thread, as the same object.
     *
     * @param rawLength bytes of the block, positive
     * @throws ClosedException if the cache is closed or the file forgotten
     * @throws IllegalStateException if called from within a loader
     */
    public int load(long tag, int rawLength, Priority priority, BlockLoader loader)
            throws IOException {
        if (rawLength <= 0) {
            throw new IllegalArgumentException(
                    "block length must be positive: rawLength=" + rawLength);
        }
        PendingLoad load;
        mutex.lock();
        try {
            int frame = findOrJoin(tag);
            if (frame != NOT_RESIDENT) {
                return frame;
            }
            missCount++;
            if (rawLength > blockBytesMax) {
                refusalCount++;
                return TOO_LARGE;
            }
            int queue = residents.queueFor(tag, priority);
            frame = residents.beginLoad(tag, rawLength, queue);
            if (frame == FrameTable.NONE) {
                refusalCount++;
                return ALL_PINNED;
            }
            loadCount++;
            load = idleLoads.isEmpty() ? new PendingLoad(mutex.newCondition()) : idleLoads.pop();
            load.begin(tag, frame, queue);
            pendingLoads.add(load);
        } finally {
            mutex.unlock();
        }
        return run(load, rawLength, loader);
    }

    /**
     * Returns a pinned frame if the block is resident or another thread brings it; NOT_RESIDENT if
     * the caller has to load it.
     */
    @GuardedBy("mutex")
    private int findOrJoin(long tag) throws IOException {
        while (true) {
            checkOpen();
            if (!residents.isOpen(fileIdOf(tag))) {
                throw new ClosedException(
                        "file is not open: fileId=" + fileIdOf(tag) + " tag=" + tag);
            }
            int frame = index.find(tag);
            if (frame != FrameTable.NONE) {
                boolean pinned = frames.tryPin(frame, tag);
                assert pinned : "nobody else evicts while the mutex is held";
                hits.increment();
                return frame;
            }
            PendingLoad load = pendingLoad(tag);
            if (load == null) {
                return NOT_RESIDENT;
            }
            frame = await(load);
            if (frame != NOT_RESIDENT) {
                missCount++;
                return frame;
            }
        }
    }

    @GuardedBy("mutex")
    private @Nullable PendingLoad pendingLoad(long tag) {
        PendingLoad found = null;
        for (int i = 0; i < pendingLoads.size(); i++) {
            PendingLoad load = pendingLoads.get(i);
            if (load.loader == Thread.currentThread()) {
                // Two threads that load from within loaders could wait for each other.
                throw new IllegalStateException("load within a loader: tag=" + tag);
            }
            if (load.tag == tag) {
                found = load;
            }
        }
        return found;
    }

    /** Returns the frame, pinned, or NOT_RESIDENT if the loading thread was interrupted. */
    @GuardedBy("mutex")
    private int await(PendingLoad load) throws IOException {
        load.waiterCount++;
        while (!load.done) {
            load.finished.awaitUninterruptibly();
        }
        int frame = load.frame;
        Throwable failure = load.failure;
        boolean interrupted = load.interrupted;
        load.waiterCount--;
        recycleIfUnused(load);
        if (failure == null) {
            return frame;
        }
        if (interrupted) {
            return NOT_RESIDENT;
        }
        missCount++;
        throw rethrow(failure);
    }

    private int run(PendingLoad load, int rawLength, BlockLoader loader) throws IOException {
        int frame = load.frame;
        Throwable failure = null;
        long startNanos = System.nanoTime();
        try {
            loader.load(memory.memory(frame), memory.offset(frame), rawLength);
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        }
        long nanos = System.nanoTime() - startNanos;
        mutex.lock();
        try {
            finish(load, failure, nanos);
        } finally {
            mutex.unlock();
        }
        if (failure != null) {
            throw rethrow(failure);
        }
        return frame;
    }

    @GuardedBy("mutex")
    private void finish(PendingLoad load, @Nullable Throwable failure, long nanos) {
        loadNanos += nanos;
        pendingLoads.remove(load);
        if (failure == null) {
            // The waiters' pins are taken for them: no eviction can come between.
            residents.publish(load.frame, load.queue, 1 + load.waiterCount);
        } else {
            loadFailureCount++;
            residents.abandonLoad(load.frame);
        }
        load.failure = failure;
        load.interrupted =
                failure instanceof InterruptedIOException
                        || failure instanceof ClosedByInterruptException;
        load.done = true;
        load.loader = null;
        load.finished.signalAll();
        recycleIfUnused(load);
        freeIfUnused();
    }

    @GuardedBy("mutex")
    private void recycleIfUnused(PendingLoad load) {
        if (load.waiterCount == 0) {
            load.failure = null;
            idleLoads.push(load);
        }
    }

    private static IOException rethrow(Throwable failure) {
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        return (IOException) failure;
    }

    /**
     * Gives back a pin; the caller must not touch the frame's bytes afterwards.
     *
     * @throws IllegalStateException if the frame is not pinned
     */
    public void unpin(int frame) {
        if (frames.unpin(frame)) {
            freeDoomed(frame);
        }
    }

    private void freeDoomed(int frame) {
        mutex.lock();
        try {
            residents.freeDoomed(frame);
            freeIfUnused();
        } finally {
            mutex.unlock();
        }
    }

    /** The memory that the block of a frame lies in, contiguously. */
    public OffHeapMemory memory(int frame) {
        return memory.memory(frame);
    }

    /** Where in {@link #memory} the block of a frame begins; 64-byte aligned. */
    public int offset(int frame) {
        return memory.offset(frame);
    }

    /** The bytes of the block in a frame that is pinned, or stamped and validated afterwards. */
    public int length(int frame) {
        return frames.length(frame);
    }

    /** The largest block that {@link #load} accepts. */
    public int blockBytesMax() {
        return blockBytesMax;
    }

    /** For the verifier, as the next two. */
    FrameTable frames() {
        return frames;
    }

    FrameIndex index() {
        return index;
    }

    /** Returns what the mutex guards: the caller makes sure that no other thread is at work. */
    @SuppressWarnings("GuardedBy") // Only the verifier calls it, when nothing else runs.
    ResidentSet residents() {
        return residents;
    }

    public BlockCacheOptions options() {
        return options;
    }

    /** Returns the counters and what is resident; consistent except for the hits. */
    public BlockCacheStatistics statistics() {
        mutex.lock();
        try {
            FrameQueues queues = residents.queues();
            return new BlockCacheStatistics(
                    hits.sum(),
                    missCount,
                    loadCount,
                    loadFailureCount,
                    loadNanos,
                    residents.evictionCount(),
                    refusalCount,
                    frames.frameCount(),
                    residents.allocator().frontier() - queues.frameCount(FrameQueues.FREE),
                    queues.frameCount(FrameQueues.SCAN),
                    queues.frameCount(FrameQueues.PROBATION)
                            + queues.frameCount(FrameQueues.PROTECTED),
                    queues.frameCount(FrameQueues.HIGH),
                    residents.doomedCount(),
                    capacity.reservedBytes());
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Refuses new loads and new files. Frees the memory as soon as every file is forgotten, every
     * load has returned and every pin is given back, at once if that is so already.
     *
     * @throws ClosedException if it was closed before
     */
    @Override
    public void close() {
        mutex.lock();
        try {
            checkOpen();
            closed = true;
            freeIfUnused();
        } finally {
            mutex.unlock();
        }
    }

    /** Returns whether the memory was given back, see {@link #close}. */
    public boolean isFreed() {
        mutex.lock();
        try {
            return freed;
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private void checkOpen() {
        if (closed) {
            throw new ClosedException("block cache is closed");
        }
    }

    /**
     * Frees the memory if nothing can touch it any more: without open files there are no READY
     * blocks, so the DOOMED ones are all that can be pinned.
     */
    @GuardedBy("mutex")
    private void freeIfUnused() {
        if (!closed
                || freed
                || residents.openFileCount() != 0
                || residents.doomedCount() != 0
                || !pendingLoads.isEmpty()) {
            return;
        }
        freed = true;
        memory.free();
        tables.forEach(MemoryRegion::close);
        accountant.release(MemoryPurpose.BLOCK_CACHE, options.capacityBytes());
    }
}
