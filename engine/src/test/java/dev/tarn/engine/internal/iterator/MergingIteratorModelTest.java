package dev.tarn.engine.internal.iterator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.KeyGenerator;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Random moves over random sources, beside one sorted list. */
class MergingIteratorModelTest {
    private static final int ROUNDS = 300;
    private static final int MOVES = 400;

    @Test
    void everyMoveIsTheSortedLists() {
        Seeds.run(ROUNDS, MergingIteratorModelTest::round);
    }

    private static void round(RandomSource random) throws IOException {
        int sourceCount = random.between(0, 12);
        List<List<TestEntry>> sources = sources(random, sourceCount);
        List<TestEntry> model = new ArrayList<>();
        sources.forEach(model::addAll);
        model.sort(TestEntry.ORDER);
        List<ListEntryIterator> iterators = sources.stream().map(ListEntryIterator::new).toList();
        try (MergingIterator merged = new MergingIterator(iterators)) {
            int position = -1;
            assertThat(merged.isValid()).isFalse();
            for (int i = 0; i < MOVES; i++) {
                position = move(random, merged, model, position);
                check(merged, model, position);
            }
        }
        assertThat(iterators).allMatch(ListEntryIterator::isClosed);
    }

    /** Moves both; returns the model's position, which is outside it when there is no entry. */
    private static int move(
            RandomSource random, MergingIterator merged, List<TestEntry> model, int position)
            throws IOException {
        boolean inside = position >= 0 && position < model.size();
        // Long runs in one direction, so that streaks come about.
        int kind = inside ? random.nextInt(40) : random.nextInt(4);
        switch (kind) {
            case 0 -> {
                assertThat(merged.seekToFirst()).isEqualTo(!model.isEmpty());
                return 0;
            }
            case 1 -> {
                assertThat(merged.seekToLast()).isEqualTo(!model.isEmpty());
                return model.size() - 1;
            }
            case 2 -> {
                byte[] key = someKey(random, model);
                OffHeapMemory memory = OffHeapMemory.wrap(key);
                boolean found = merged.seek(memory, 0, key.length);
                int at = 0;
                while (at < model.size() && Arrays.compareUnsigned(model.get(at).key(), key) < 0) {
                    at++;
                }
                assertThat(found).isEqualTo(at < model.size());
                return at;
            }
            case 3 -> {
                byte[] key = someKey(random, model);
                OffHeapMemory memory = OffHeapMemory.wrap(key);
                boolean found = merged.seekForPrevious(memory, 0, key.length);
                int at = model.size() - 1;
                while (at >= 0 && Arrays.compareUnsigned(model.get(at).key(), key) > 0) {
                    at--;
                }
                assertThat(found).isEqualTo(at >= 0);
                return at;
            }
            default -> {
                boolean forward = kind == 4 || (kind > 5 && (position / 32) % 2 == 0);
                boolean found = forward ? merged.next() : merged.previous();
                int at = forward ? position + 1 : position - 1;
                assertThat(found).isEqualTo(at >= 0 && at < model.size());
                return at;
            }
        }
    }

    private static byte[] someKey(RandomSource random, List<TestEntry> model) {
        if (model.isEmpty() || random.oneIn(3)) {
            return random.bytes(random.nextInt(12));
        }
        byte[] key = model.get(random.nextInt(model.size())).key().clone();
        if (key.length > 0 && random.nextBoolean()) {
            key[key.length - 1]++;
        }
        return key;
    }

    private static void check(MergingIterator merged, List<TestEntry> model, int position) {
        if (position < 0 || position >= model.size()) {
            assertThat(merged.isValid()).isFalse();
            return;
        }
        TestEntry expected = model.get(position);
        assertThat(merged.isValid()).isTrue();
        assertThat(merged.sourceIndex()).isEqualTo(expected.source());
        assertThat(merged.trailer()).isEqualTo(expected.trailer());
        assertThat(merged.key(new BytesView()).toByteArray()).isEqualTo(expected.key());
        assertThat(merged.value(new BytesView()).toByteArray()).isEqualTo(expected.value());
    }

    private static List<List<TestEntry>> sources(RandomSource random, int count) {
        KeyGenerator[] generators = {
            KeyGenerator.adversarial(random, 64),
            KeyGenerator.equalPrefix8(random, 3),
            KeyGenerator.variable(random, 0, 3),
            KeyGenerator.zipf(random, 50, 1.0, 12),
            KeyGenerator.ascending()
        };
        KeyGenerator keys =
                random.nextBoolean()
                        ? random.pick(generators)
                        : KeyGenerator.mixed(random, generators);
        List<List<TestEntry>> sources = new ArrayList<>();
        for (int source = 0; source < count; source++) {
            List<TestEntry> entries = new ArrayList<>();
            for (int i = random.skewed(200); i > 0; i--) {
                byte[] value = ("v" + i).getBytes(StandardCharsets.US_ASCII);
                // Few numbers, so that sources hold equal internal keys too.
                entries.add(new TestEntry(keys.next(), random.nextInt(6), value, source));
            }
            entries.sort(TestEntry.ORDER);
            sources.add(withoutEqual(entries));
        }
        return sources;
    }

    /** Within a source an internal key is there once. */
    private static List<TestEntry> withoutEqual(List<TestEntry> sorted) {
        List<TestEntry> distinct = new ArrayList<>();
        for (TestEntry entry : sorted) {
            if (distinct.isEmpty()
                    || TestEntry.ORDER.compare(distinct.get(distinct.size() - 1), entry) != 0) {
                distinct.add(entry);
            }
        }
        return distinct;
    }
}
