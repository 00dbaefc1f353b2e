package dev.tarn.sst;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.sst.SstModel.Entry;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import dev.tarn.testing.TestFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random files against a sorted map: lookups, batches, and iterators in both directions. */
final class SstModelTest {
    @Test
    void fileAnswersAsItsModel() {
        Seeds.run(60, SstModelTest::check);
    }

    private static void check(RandomSource random) throws IOException {
        SstModel model = SstModel.random(random);
        SstOptions options = SstModel.randomOptions(random);
        MemoryAccountant accountant = new MemoryAccountant(1L << 30);
        long pinnedIndexSizeBytesMax = random.pick(0L, 1L << 30);
        BlockCacheOptions cacheOptions =
                BlockCacheOptions.builder(random.pick(100_000L, 8_000_000L)).build();
        try (TestFiles files = TestFiles.create();
                BlockCache cache = new BlockCache(accountant, cacheOptions)) {
            SstProperties written = model.write(files.fileSystem(), "a.sst", options, accountant);
            SstReaderContext context =
                    new SstReaderContext(cache, accountant, pinnedIndexSizeBytesMax);
            try (SstReader reader = SstReader.open(files.fileSystem(), "a.sst", context)) {
                assertThat(reader.properties()).isEqualTo(written);
                checkReader(random, model, reader, accountant);
            }
            copyAndCheck(random, model, files, context, accountant);
        }
        assertThat(accountant.reservedBytes()).isZero();
    }

    private static void checkReader(
            RandomSource random, SstModel model, SstReader reader, MemoryAccountant accountant)
            throws IOException {
        checkProperties(model, reader.properties());
        checkGets(random, model, reader, accountant);
        checkBatches(random, model, reader, accountant);
        checkIterator(random, model, reader, null, null);
        for (int i = 0; i < 3; i++) {
            byte[] lower = random.oneIn(3) ? null : model.nearbyKey(random);
            byte[] upper = random.oneIn(3) ? null : model.nearbyKey(random);
            checkIterator(random, model, reader, lower, upper);
        }
    }

    private static void checkProperties(SstModel model, SstProperties properties) {
        List<Entry> entries = model.entries();
        assertThat(properties.entryCount()).isEqualTo(entries.size());
        assertThat(properties.keyCount()).isEqualTo(model.keys().size());
        assertThat(properties.smallestKey()).isEqualTo(entries.get(0).key());
        assertThat(properties.largestKey()).isEqualTo(entries.get(entries.size() - 1).key());
        assertThat(properties.sequenceMax())
                .isEqualTo(entries.stream().mapToLong(Entry::sequenceNumber).max().orElse(0));
        assertThat(properties.sequenceMin())
                .isEqualTo(entries.stream().mapToLong(Entry::sequenceNumber).min().orElse(0));
        assertThat(properties.valueBytes())
                .isEqualTo(entries.stream().mapToLong(e -> e.value().length).sum());
        assertThat(
                        properties.putCount()
                                + properties.deleteCount()
                                + properties.mergeCount()
                                + properties.rangeDeleteCount())
                .isEqualTo(properties.entryCount());
    }

    private static long sequenceMax(RandomSource random, SstModel model, byte[] key) {
        Entry newest = model.get(key, SequenceNumbers.MAX);
        return newest == null || random.oneIn(3)
                ? SequenceNumbers.MAX
                : Math.max(0, newest.sequenceNumber() - random.skewed(3000));
    }

    private static void checkGets(
            RandomSource random, SstModel model, SstReader reader, MemoryAccountant accountant)
            throws IOException {
        try (SstLookup lookup = new SstLookup(accountant)) {
            LookupTrace trace = new LookupTrace();
            for (byte[] key : model.keys()) {
                for (long max : new long[] {SequenceNumbers.MAX, sequenceMax(random, model, key)}) {
                    checkGet(model, reader, lookup, key, max);
                }
            }
            for (int i = 0; i < 200; i++) {
                byte[] key = model.nearbyKey(random);
                lookup.trace(random.oneIn(2) ? trace : null);
                checkGet(model, reader, lookup, key, sequenceMax(random, model, key));
            }
        }
    }

    private static void checkGet(
            SstModel model, SstReader reader, SstLookup lookup, byte[] key, long sequenceMax)
            throws IOException {
        Entry expected = model.get(key, sequenceMax);
        int result = reader.get(SstModel.hash(key), BytesView.of(key), sequenceMax, lookup);
        assertThat(result)
                .as("%s at %d", BytesView.of(key), sequenceMax)
                .isEqualTo(SstModel.result(expected));
        if (expected != null) {
            assertThat(lookup.trailer()).isEqualTo(expected.trailer());
            assertThat(lookup.value().toByteArray()).isEqualTo(expected.value());
        }
    }

    private static void checkBatches(
            RandomSource random, SstModel model, SstReader reader, MemoryAccountant accountant)
            throws IOException {
        try (SstBatch batch = new SstBatch(accountant, 64)) {
            for (int round = 0; round < 10; round++) {
                List<byte[]> keys = new ArrayList<>();
                int count = random.between(1, 65);
                for (int i = 0; i < count; i++) {
                    keys.add(random.oneIn(2) ? random.pick(model.keys()) : model.nearbyKey(random));
                }
                keys.sort(Arrays::compareUnsigned);
                long max = sequenceMax(random, model, keys.get(0));
                batch.clear();
                for (byte[] key : keys) {
                    batch.add(SstModel.hash(key), BytesView.of(key));
                }
                reader.multiGet(batch, max);
                BytesView value = new BytesView();
                for (int i = 0; i < count; i++) {
                    Entry expected = model.get(keys.get(i), max);
                    assertThat(batch.result(i))
                            .as("%s at %d", BytesView.of(keys.get(i)), max)
                            .isEqualTo(SstModel.result(expected));
                    if (expected != null) {
                        batch.value(i, value);
                        assertThat(batch.trailer(i)).isEqualTo(expected.trailer());
                        assertThat(value.toByteArray()).isEqualTo(expected.value());
                    }
                }
            }
        }
    }

    private static void checkIterator(
            RandomSource random,
            SstModel model,
            SstReader reader,
            byte @Nullable [] lower,
            byte @Nullable [] upper)
            throws IOException {
        List<Entry> range = model.range(lower, upper);
        BytesView from = lower == null ? null : BytesView.of(lower);
        BytesView to = upper == null ? null : BytesView.of(upper);
        for (boolean isScan : new boolean[] {false, true}) {
            try (SstIterator iterator =
                    isScan ? reader.scan(from, to) : reader.iterator(from, to)) {
                List<String> seen = new ArrayList<>();
                for (boolean valid = iterator.seekToFirst(); valid; valid = iterator.next()) {
                    seen.add(entry(iterator).toString());
                }
                assertThat(seen).isEqualTo(range.stream().map(Entry::toString).toList());
                seen.clear();
                for (boolean valid = iterator.seekToLast(); valid; valid = iterator.previous()) {
                    seen.add(entry(iterator).toString());
                }
                Collections.reverse(seen);
                assertThat(seen).isEqualTo(range.stream().map(Entry::toString).toList());
                checkSeeks(random, model, iterator, range);
            }
        }
    }

    private static void checkSeeks(
            RandomSource random, SstModel model, SstIterator iterator, List<Entry> range)
            throws IOException {
        for (int i = 0; i < 30; i++) {
            byte[] key = model.nearbyKey(random);
            int at = 0;
            boolean isForward = random.oneIn(2);
            if (isForward) {
                while (at < range.size() && Arrays.compareUnsigned(range.get(at).key(), key) < 0) {
                    at++;
                }
                iterator.seek(BytesView.of(key));
            } else {
                at = range.size() - 1;
                while (at >= 0 && Arrays.compareUnsigned(range.get(at).key(), key) > 0) {
                    at--;
                }
                iterator.seekForPrevious(BytesView.of(key));
            }
            // A few steps in random directions from there.
            for (int step = 0; step < 8; step++) {
                boolean expectValid = at >= 0 && at < range.size();
                assertThat(iterator.isValid())
                        .as("seek %s forward=%s step %d", BytesView.of(key), isForward, step)
                        .isEqualTo(expectValid);
                if (!expectValid) {
                    break;
                }
                assertThat(entry(iterator).toString()).isEqualTo(range.get(at).toString());
                if (random.oneIn(2)) {
                    iterator.next();
                    at++;
                } else {
                    iterator.previous();
                    at--;
                }
            }
        }
    }

    private static Entry entry(SstIterator iterator) {
        return new Entry(
                iterator.key().toByteArray(), iterator.trailer(), iterator.value().toByteArray());
    }

    /** A part of the file by the block, the rest entry by entry, gives the same entries. */
    private static void copyAndCheck(
            RandomSource random,
            SstModel model,
            TestFiles files,
            SstReaderContext context,
            MemoryAccountant accountant)
            throws IOException {
        SstOptions options = SstModel.randomOptions(random);
        try (SstReader source = SstReader.open(files.fileSystem(), "a.sst", context);
                SstWriter writer =
                        SstWriter.create(files.fileSystem(), "b.sst", options, accountant)) {
            int first = random.between(0, source.blockCount() + 1);
            int end = random.between(first, source.blockCount() + 1);
            List<List<Entry>> parts = splitByBlocks(source, first, end);
            SstModel.addTo(writer, parts.get(0));
            writer.copyBlocks(source, first, end);
            SstModel.addTo(writer, parts.get(2));
            writer.finish();
        }
        try (SstReader copy = SstReader.open(files.fileSystem(), "b.sst", context)) {
            checkReader(random, model, copy, accountant);
        }
    }

    /** The entries before, in and behind the blocks [first, end). */
    private static List<List<Entry>> splitByBlocks(SstReader source, int first, int end)
            throws IOException {
        List<List<Entry>> parts = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        try (SstIterator iterator = source.scan(null, null)) {
            for (boolean valid = iterator.seekToFirst(); valid; valid = iterator.next()) {
                int block = iterator.blockNumber();
                parts.get(block < first ? 0 : block < end ? 1 : 2).add(entry(iterator));
            }
        }
        return parts;
    }
}
