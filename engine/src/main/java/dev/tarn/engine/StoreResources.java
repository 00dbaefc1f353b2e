package dev.tarn.engine;

import dev.tarn.engine.config.MemorySizes;
import dev.tarn.engine.internal.compaction.RateLimiter;
import dev.tarn.engine.internal.compaction.TimeSource;
import dev.tarn.engine.internal.read.ReadContexts;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memtable.ChunkPool;
import dev.tarn.sst.SstReaderContext;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What all stores of one database share: the memory budget, the block cache, the memtables' memory,
 * the threads for flushes and compactions, the limit on what compactions write.
 *
 * <p>Owner: whoever created it closes it, once, after the stores.
 *
 * <p>Threads: any thread may use it. Flushes and compactions have threads of their own, so that a
 * flush never waits behind a compaction.
 */
public final class StoreResources implements AutoCloseable {
    private final MemoryAccountant accountant;
    private final ChunkPool chunkPool;
    private final BlockCache blockCache;
    private final SstReaderContext readerContext;
    private final ReadContexts readContexts;
    private final RateLimiter compactionRateLimiter;
    private final ExecutorService flushExecutor;
    private final ExecutorService compactionExecutor;
    private final ScheduledExecutorService retryExecutor;
    private final AtomicInteger storeCount = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();

    private StoreResources(Builder builder) {
        accountant =
                new MemoryAccountant(
                        builder.memoryBudgetBytes,
                        Map.of(
                                MemoryPurpose.MEMTABLE,
                                builder.memtableBudgetBytes,
                                MemoryPurpose.BLOCK_CACHE,
                                builder.blockCacheBytes));
        chunkPool = new ChunkPool(accountant);
        blockCache =
                new BlockCache(
                        accountant, BlockCacheOptions.builder(builder.blockCacheBytes).build());
        readerContext = new SstReaderContext(blockCache, accountant);
        readContexts = new ReadContexts(accountant);
        compactionRateLimiter =
                new RateLimiter(builder.compactionBytesPerSecond, TimeSource.SYSTEM);
        flushExecutor = Executors.newFixedThreadPool(builder.flushThreads, threads("tarn-flush-"));
        compactionExecutor =
                Executors.newFixedThreadPool(
                        builder.compactionThreads, threads("tarn-compaction-"));
        retryExecutor = Executors.newScheduledThreadPool(1, threads("tarn-retry-"));
    }

    private static ThreadFactory threads(String prefix) {
        AtomicInteger next = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + next.getAndIncrement());
            // The store, not the JVM's end, decides when background work may stop.
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Returns a builder with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns resources that suit a single store with these options. */
    static StoreResources forOneStore(StoreOptions options) {
        Builder builder = builder();
        // The active memtable, one that is flushed, and the order of the latter.
        long memtableBytes =
                Math.max(builder.memtableBudgetBytes, 3 * options.writeBufferSizeBytes());
        return builder.memtableBudgetBytes(memtableBytes)
                .memoryBudgetBytes(
                        Math.max(builder.memoryBudgetBytes, memtableBytes + (512L << 20)))
                .build();
    }

    /** The budget, for reports of what uses it. */
    public MemoryAccountant accountant() {
        return accountant;
    }

    /** The cache, for its counters. */
    public BlockCache blockCache() {
        return blockCache;
    }

    /** Internal: where memtables take their memory from. */
    public ChunkPool chunkPool() {
        return chunkPool;
    }

    /** Internal: what readers of tables share. */
    public SstReaderContext readerContext() {
        return readerContext;
    }

    /** Internal: the scratch of each reading thread. */
    public ReadContexts readContexts() {
        return readContexts;
    }

    /** Internal: the limit on what compactions write. */
    public RateLimiter compactionRateLimiter() {
        return compactionRateLimiter;
    }

    /** Internal: the threads that flush. */
    public ExecutorService flushExecutor() {
        return flushExecutor;
    }

    /** Internal: the threads that compact. */
    public ExecutorService compactionExecutor() {
        return compactionExecutor;
    }

    /** Internal: runs a short task after a while, unless this is closed before. */
    public void runLater(Runnable task, long delayMillis) {
        // Nobody waits for it: what the task may throw, it handles itself.
        Future<?> unused = retryExecutor.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
    }

    /** Internal: says that a store or database uses this, which cannot be closed meanwhile. */
    public void enterStore() {
        if (closed.get()) {
            throw new ClosedException("store resources are closed");
        }
        storeCount.incrementAndGet();
    }

    /** Internal: ends what {@link #enterStore} began. */
    public void leaveStore() {
        storeCount.decrementAndGet();
    }

    /**
     * Ends the threads and frees all memory.
     *
     * @throws IllegalStateException if a store is still open; nothing is closed then
     * @throws ClosedException if it was closed before
     */
    @Override
    public void close() {
        if (storeCount.get() != 0) {
            throw new IllegalStateException(
                    "store resources closed while stores are open: storeCount=" + storeCount);
        }
        if (!closed.compareAndSet(false, true)) {
            throw new ClosedException("store resources closed twice");
        }
        // Retries of closed stores are void.
        retryExecutor.shutdownNow();
        shutdown(retryExecutor);
        shutdown(flushExecutor);
        shutdown(compactionExecutor);
        readContexts.close();
        blockCache.close();
        chunkPool.close();
    }

    private static void shutdown(ExecutorService executor) {
        executor.shutdown();
        boolean interrupted = false;
        while (!executor.isTerminated()) {
            try {
                executor.awaitTermination(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Collects settings; belongs to one thread. */
    public static final class Builder {
        private long memoryBudgetBytes = 1L << 30;
        private long memtableBudgetBytes = 512L << 20;
        private long blockCacheBytes = 256L << 20;
        private int flushThreads = 1;
        private int compactionThreads = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);
        private long compactionBytesPerSecond = Long.MAX_VALUE;

        private Builder() {}

        /** The most that everything off-heap takes together; default 1 gb. */
        public Builder memoryBudgetBytes(long bytes) {
            memoryBudgetBytes = bytes;
            return this;
        }

        /** The most that all memtables take together; default 512 mb. */
        public Builder memtableBudgetBytes(long bytes) {
            memtableBudgetBytes = bytes;
            return this;
        }

        /** The size of the block cache; default 256 mb, as Paimon's lookup cache. */
        public Builder blockCacheBytes(long bytes) {
            blockCacheBytes = bytes;
            return this;
        }

        /** Threads for flushes; default 1. */
        public Builder flushThreads(int count) {
            flushThreads = count;
            return this;
        }

        /** Threads for compactions; default one less than there are processors, at least 1. */
        public Builder compactionThreads(int count) {
            compactionThreads = count;
            return this;
        }

        /** What all compactions together may write; no limit by default. */
        public Builder compactionBytesPerSecond(long bytes) {
            compactionBytesPerSecond = bytes;
            return this;
        }

        /**
         * Checks and builds.
         *
         * @throws IllegalArgumentException if the parts exceed the budget, or a value is out of its
         *     range
         */
        public StoreResources build() {
            if (memtableBudgetBytes + blockCacheBytes > memoryBudgetBytes) {
                throw new IllegalArgumentException(
                        "memtables and block cache must fit the memory budget: memtableBudget="
                                + MemorySizes.format(memtableBudgetBytes)
                                + " blockCache="
                                + MemorySizes.format(blockCacheBytes)
                                + " memoryBudget="
                                + MemorySizes.format(memoryBudgetBytes));
            }
            if (flushThreads < 1 || compactionThreads < 1 || compactionBytesPerSecond < 1) {
                throw new IllegalArgumentException(
                        "thread counts and rates must be positive: flushThreads="
                                + flushThreads
                                + " compactionThreads="
                                + compactionThreads
                                + " compactionBytesPerSecond="
                                + compactionBytesPerSecond);
            }
            return new StoreResources(this);
        }
    }
}
