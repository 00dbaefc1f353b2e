package dev.tarn.sst;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import dev.tarn.testing.FaultyFileSystem;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Lookups of resident blocks leave no garbage on the Java heap. */
final class SstAllocationTest {
    private static final int KEY_COUNT = 10_000;
    private static final int ROUNDS_MAX = 60;

    @Test
    void warmGetAndMultiGetAllocateNothing() throws IOException {
        FaultyFileSystem fileSystem = new FaultyFileSystem();
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        SstModel model = new SstModel();
        BytesView[] keys = new BytesView[KEY_COUNT];
        long[] hashes = new long[KEY_COUNT];
        for (int i = 0; i < KEY_COUNT; i++) {
            byte[] key = ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
            keys[i] = BytesView.of(key);
            hashes[i] = SstModel.hash(key);
            if (i % 3 != 0) {
                model.add(key, SequenceNumbers.trailer(i, ValueKind.PUT), new byte[50]);
            }
        }
        model.write(
                fileSystem,
                "a.sst",
                SstOptions.builder().codec(BlockCodec.NONE).build(),
                accountant);
        try (BlockCache cache =
                        new BlockCache(accountant, BlockCacheOptions.builder(8 << 20).build());
                SstReader reader =
                        SstReader.open(
                                fileSystem, "a.sst", new SstReaderContext(cache, accountant));
                SstLookup lookup = new SstLookup(accountant);
                SstBatch batch = new SstBatch(accountant, 100)) {
            assertThat(fewestAllocatedBytes(() -> get(reader, hashes, keys, lookup))).isZero();
            assertThat(fewestAllocatedBytes(() -> multiGet(reader, hashes, keys, batch))).isZero();
        }
    }

    @FunctionalInterface
    private interface Round {
        void run() throws IOException;
    }

    /** The least of many rounds: the first ones link and compile, which allocates. */
    private static long fewestAllocatedBytes(Round round) throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS_MAX && fewest > 0; i++) {
            long before = threads.getThreadAllocatedBytes(id);
            round.run();
            fewest = Math.min(fewest, threads.getThreadAllocatedBytes(id) - before);
        }
        return fewest;
    }

    private static void get(SstReader reader, long[] hashes, BytesView[] keys, SstLookup lookup)
            throws IOException {
        int found = 0;
        for (int i = 0; i < keys.length; i++) {
            if (reader.get(hashes[i], keys[i], SequenceNumbers.MAX, lookup) == SstReader.FOUND) {
                found++;
            }
        }
        if (found != KEY_COUNT - (KEY_COUNT + 2) / 3) {
            throw new AssertionError("wrong number of keys: found=" + found);
        }
    }

    private static void multiGet(SstReader reader, long[] hashes, BytesView[] keys, SstBatch batch)
            throws IOException {
        for (int from = 0; from < keys.length; from += batch.capacity()) {
            batch.clear();
            for (int i = from; i < from + batch.capacity(); i++) {
                batch.add(hashes[i], keys[i]);
            }
            reader.multiGet(batch, SequenceNumbers.MAX);
            if (batch.result(1) == batch.result(0) && batch.result(1) == batch.result(2)) {
                throw new AssertionError("every third key is absent");
            }
        }
    }
}
