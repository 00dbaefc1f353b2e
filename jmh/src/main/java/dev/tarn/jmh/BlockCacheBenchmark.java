package dev.tarn.jmh;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import dev.tarn.sst.cache.Priority;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a hit in the block cache cost, by right and wrong hint, copied out or pinned, and what
 * do two threads cost each other?
 *
 * <p>Each operation reads one word in the middle of a random resident block of 4 KiB. The floor,
 * {@link #readWithoutCache}, reads the same word of a frame that is known without asking: what the
 * others take longer is the price of the cache. {@code blocks} chooses whether headers and blocks
 * fit into the CPU's caches.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BlockCacheBenchmark {
    private static final int BLOCK_BYTES = 4096;
    private static final int SEQUENCE_LENGTH = 1 << 20;

    @Param({"256", "100000"})
    private int blocks;

    private BlockCache cache;
    private int fileId;

    /** The frame of each block, as an index would hold it. */
    private int[] hints;

    /** Blocks in random order, longer than a branch predictor remembers. */
    private int[] sequence;

    /** Where a thread is in the sequence. */
    @State(Scope.Thread)
    public static class Position {
        private int next = (int) (Thread.currentThread().getId() * 7919);

        int next() {
            return next++ & (SEQUENCE_LENGTH - 1);
        }
    }

    @Setup(Level.Trial)
    public void fill() throws IOException {
        long capacityBytes = blocks * (BLOCK_BYTES + 512L) + (1 << 20);
        cache =
                new BlockCache(
                        MemoryAccountant.unlimited(),
                        BlockCacheOptions.builder(capacityBytes).build());
        fileId = cache.newFileId();
        hints = new int[blocks];
        for (int block = 0; block < blocks; block++) {
            long tag = BlockCache.tag(fileId, block);
            hints[block] =
                    cache.load(
                            tag,
                            BLOCK_BYTES,
                            Priority.NORMAL,
                            (target, targetOffset, rawLength) ->
                                    target.fill(targetOffset, rawLength, (byte) tag));
            cache.unpin(hints[block]);
        }
        sequence = new int[SEQUENCE_LENGTH];
        long state = 1;
        for (int i = 0; i < SEQUENCE_LENGTH; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            sequence[i] = (int) ((state >>> 33) % blocks);
        }
    }

    @TearDown(Level.Trial)
    public void close() {
        cache.forgetFile(fileId);
        cache.close();
    }

    private long read(int frame) {
        OffHeapMemory memory = cache.memory(frame);
        return memory.getLong(cache.offset(frame) + BLOCK_BYTES / 2);
    }

    private long copyOut(int block, int hint) {
        long tag = BlockCache.tag(fileId, block);
        int frame = cache.find(tag, hint);
        long stamp = cache.stamp(frame, tag);
        long value = read(frame);
        if (stamp < 0 || !cache.validate(frame, stamp)) {
            throw new AssertionError("nothing evicts here");
        }
        return value;
    }

    private long pinned(int block, int hint) {
        int frame = cache.pin(BlockCache.tag(fileId, block), hint);
        long value = read(frame);
        cache.unpin(frame);
        return value;
    }

    @Benchmark
    public long readWithoutCache(Position position) {
        return read(hints[sequence[position.next()]]);
    }

    @Benchmark
    public long copyWithRightHint(Position position) {
        int block = sequence[position.next()];
        return copyOut(block, hints[block]);
    }

    @Benchmark
    public long copyWithWrongHint(Position position) {
        int block = sequence[position.next()];
        return copyOut(block, hints[block] ^ 1);
    }

    @Benchmark
    public long copyWithoutHint(Position position) {
        int block = sequence[position.next()];
        return copyOut(block, BlockCache.NO_HINT);
    }

    @Benchmark
    public long pinWithRightHint(Position position) {
        int block = sequence[position.next()];
        return pinned(block, hints[block]);
    }

    @Benchmark
    public long pinWithWrongHint(Position position) {
        int block = sequence[position.next()];
        return pinned(block, hints[block] ^ 1);
    }

    @Benchmark
    @Threads(2)
    public long copyWithRightHintTwoThreads(Position position) {
        int block = sequence[position.next()];
        return copyOut(block, hints[block]);
    }

    @Benchmark
    @Threads(2)
    public long pinWithRightHintTwoThreads(Position position) {
        int block = sequence[position.next()];
        return pinned(block, hints[block]);
    }
}
