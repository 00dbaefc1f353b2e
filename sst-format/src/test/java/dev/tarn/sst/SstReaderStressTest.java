package dev.tarn.sst;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.sst.SstModel.Entry;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Threads that read the same files through a cache so small that blocks vanish while read. */
final class SstReaderStressTest {
    private static final int THREADS = 4;

    @Test
    void racingEvictionsNeverShow() {
        Seeds.run(6, SstReaderStressTest::check);
    }

    private static void check(RandomSource random) throws Exception {
        FaultyFileSystem fileSystem = new FaultyFileSystem();
        MemoryAccountant accountant = new MemoryAccountant(1L << 30);
        List<SstModel> models = new ArrayList<>();
        List<SstReader> readers = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (BlockCache cache =
                new BlockCache(accountant, BlockCacheOptions.builder(100_000).build())) {
            SstReaderContext context =
                    new SstReaderContext(cache, accountant, random.pick(0L, 1L << 30));
            for (int file = 0; file < 3; file++) {
                SstModel model = SstModel.random(random);
                model.write(fileSystem, "f" + file, SstModel.randomOptions(random), accountant);
                models.add(model);
                readers.add(SstReader.open(fileSystem, "f" + file, context));
            }
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                RandomSource own = random.split();
                running.add(
                        threads.submit(
                                () -> {
                                    read(own, models, readers, accountant);
                                    return null;
                                }));
            }
            for (Future<?> thread : running) {
                thread.get();
            }
            for (SstReader reader : readers) {
                reader.close();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(accountant.reservedBytes()).isZero();
    }

    private static void read(
            RandomSource random,
            List<SstModel> models,
            List<SstReader> readers,
            MemoryAccountant accountant)
            throws IOException {
        List<List<byte[]>> keys = models.stream().map(SstModel::keys).toList();
        try (SstLookup lookup = new SstLookup(accountant);
                SstBatch batch = new SstBatch(accountant, 40)) {
            for (int i = 0; i < 3000; i++) {
                int file = random.between(0, readers.size());
                SstModel model = models.get(file);
                byte[] key = random.pick(keys.get(file));
                Entry expected = model.get(key, SequenceNumbers.MAX);
                int result =
                        readers.get(file)
                                .get(
                                        SstModel.hash(key),
                                        BytesView.of(key),
                                        SequenceNumbers.MAX,
                                        lookup);
                check(expected, result, lookup.trailer(), lookup.value());
                if (i % 50 == 0) {
                    checkBatch(random, model, keys.get(file), readers.get(file), batch);
                }
            }
        }
    }

    private static void checkBatch(
            RandomSource random,
            SstModel model,
            List<byte[]> keys,
            SstReader reader,
            SstBatch batch)
            throws IOException {
        List<byte[]> chosen = new ArrayList<>();
        for (int i = 0; i < batch.capacity(); i++) {
            chosen.add(random.pick(keys));
        }
        chosen.sort(Arrays::compareUnsigned);
        batch.clear();
        for (byte[] key : chosen) {
            batch.add(SstModel.hash(key), BytesView.of(key));
        }
        reader.multiGet(batch, SequenceNumbers.MAX);
        BytesView value = new BytesView();
        for (int i = 0; i < chosen.size(); i++) {
            batch.value(i, value);
            check(
                    model.get(chosen.get(i), SequenceNumbers.MAX),
                    batch.result(i),
                    batch.trailer(i),
                    value);
        }
    }

    private static void check(
            @org.jspecify.annotations.Nullable Entry expected,
            int result,
            long trailer,
            BytesView value) {
        assertThat(result).isEqualTo(SstModel.result(expected));
        if (expected != null) {
            assertThat(trailer).isEqualTo(expected.trailer());
            assertThat(value.toByteArray()).isEqualTo(expected.value());
        }
    }
}
