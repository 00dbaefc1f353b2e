package dev.tarn.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.codec.Hash64;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.KeyGenerator;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random operations against a sorted map of version lists. */
class MemtableModelTest {
    @SuppressWarnings("ArrayRecordComponent") // versions are compared by identity only
    private record Version(long sequenceNumber, byte kindByte, byte[] value) {}

    /** Maps a key to its hash; tests of collisions put many keys under few hashes. */
    private interface Hashing {
        long hash(byte[] key);
    }

    private static final Hashing OWN = key -> Hash64.hash(key, 0, key.length);

    /** Eight tags, so that chains hold many keys, and neighbours crowd one line. */
    private static final Hashing CROWDED = key -> (long) (Arrays.hashCode(key) & 7) << 33;

    /** Tags that differ only in their lowest bits: no growth spreads them. */
    private static final Hashing ADJACENT =
            key -> (long) (Arrays.hashCode(key) & 0xfff) << 33 | 5L << 60;

    private final TreeMap<byte[], List<Version>> model = new TreeMap<>(Arrays::compareUnsigned);
    private final List<byte[]> keys = new ArrayList<>();

    private Hashing hashing = OWN;
    private long sequenceNumber;

    @ParameterizedTest
    @EnumSource
    void randomKeys(WriterMode mode) {
        Seeds.run(6, random -> run(mode, random, KeyGenerator.variable(random, 0, 40), OWN));
    }

    @ParameterizedTest
    @EnumSource
    void equalPrefixes(WriterMode mode) {
        Seeds.run(3, random -> run(mode, random, KeyGenerator.equalPrefix8(random, 20), OWN));
    }

    @ParameterizedTest
    @EnumSource
    void ascendingKeys(WriterMode mode) {
        Seeds.run(2, random -> run(mode, random, KeyGenerator.ascending(), OWN));
    }

    @ParameterizedTest
    @EnumSource
    void fewHotKeys(WriterMode mode) {
        Seeds.run(2, random -> run(mode, random, KeyGenerator.zipf(random, 300, 1.2, 12), OWN));
    }

    @ParameterizedTest
    @EnumSource
    void keysOfZeros(WriterMode mode) {
        Seeds.run(2, random -> run(mode, random, () -> new byte[random.skewed(3000)], OWN));
    }

    @ParameterizedTest
    @EnumSource
    void collidingHashes(WriterMode mode) {
        KeyGenerator[] generator = new KeyGenerator[1];
        Seeds.run(
                3,
                random -> {
                    generator[0] = KeyGenerator.zipf(random, 200, 0.8, 9);
                    run(mode, random, generator[0], CROWDED);
                });
    }

    @ParameterizedTest
    @EnumSource
    void adjacentTags(WriterMode mode) {
        Seeds.run(2, random -> run(mode, random, KeyGenerator.variable(random, 1, 9), ADJACENT));
    }

    @Test
    void oldestSequenceNumbersLast() {
        Seeds.run(
                3,
                random -> {
                    sequenceNumber = 1L << 40;
                    run(WriterMode.SINGLE, random, KeyGenerator.zipf(random, 500, 0.5, 8), OWN);
                });
    }

    private void run(WriterMode mode, RandomSource random, KeyGenerator generator, Hashing hash) {
        model.clear();
        keys.clear();
        hashing = hash;
        int puts = random.between(1, 15_000);
        MemtableOptions options =
                MemtableOptions.builder()
                        .writerMode(mode)
                        .expectedKeyCount(random.oneIn(2) ? 0 : random.skewed(1_000_000))
                        .build();
        try (ChunkPool pool = new ChunkPool(new MemoryAccountant(256 << 20));
                Memtable memtable = Memtable.create(pool, options)) {
            for (int i = 0; i < puts; i++) {
                put(memtable, random, generator.next());
                if (random.oneIn(puts / 4 + 1)) {
                    checkReads(memtable, random);
                    checkOrder(memtable, random);
                }
            }
            memtable.seal();
            MemtableVerifier.verify(memtable, hash == OWN);
            checkReads(memtable, random);
            checkOrder(memtable, random);
            checkOrder(memtable, random);
        }
    }

    private void put(Memtable memtable, RandomSource random, byte[] key) {
        // Mostly in order, as a writer's are; now and then late, as concurrent writers' are.
        long own = random.oneIn(10) ? random.between(0L, sequenceNumber + 1) : ++sequenceNumber;
        byte[] value = random.bytes(random.skewed(200));
        byte kindByte = ValueKind.of((byte) random.between(0, 3), (byte) random.between(0, 4));
        BytesView keyView = BytesView.of(key);
        PutStatus status;
        if (random.nextBoolean()) {
            status =
                    memtable.put(
                            hashing.hash(key),
                            keyView.memory(),
                            0,
                            key.length,
                            BytesView.of(value).memory(),
                            0,
                            value.length,
                            kindByte,
                            own);
        } else {
            MemtableReservation reservation = new MemtableReservation();
            assertThat(memtable.reserve(key.length + value.length + 50, reservation))
                    .isEqualTo(PutStatus.OK);
            int offset = reservation.offset();
            reservation.memory().putBytes(offset, key, 0, key.length);
            reservation.memory().putBytes(offset + key.length, value, 0, value.length);
            if (random.oneIn(5)) {
                memtable.abort(reservation);
                return;
            }
            status =
                    memtable.commit(
                            reservation,
                            hashing.hash(key),
                            key.length,
                            value.length,
                            kindByte,
                            own);
        }
        assertThat(status).isEqualTo(PutStatus.OK);
        List<Version> versions = model.computeIfAbsent(key, unused -> new ArrayList<>());
        if (versions.isEmpty()) {
            keys.add(key);
        }
        int place = 0;
        while (place < versions.size() && versions.get(place).sequenceNumber > own) {
            place++;
        }
        versions.add(place, new Version(own, kindByte, value));
    }

    private void checkReads(Memtable memtable, RandomSource random) {
        BytesView value = new BytesView();
        EntryView entry = new EntryView();
        int count = 200;
        byte[][] sought = new byte[count][];
        long at = random.oneIn(2) ? SequenceNumbers.MAX : random.between(0L, sequenceNumber + 2);
        for (int i = 0; i < count; i++) {
            sought[i] =
                    keys.isEmpty() || random.oneIn(4)
                            ? random.bytes(random.between(0, 12))
                            : random.pick(keys);
            Version expected = visible(sought[i], at);
            BytesView key = BytesView.of(sought[i]);
            long hash = hashing.hash(sought[i]);
            int kind = memtable.get(hash, key.memory(), 0, key.length(), at, value);
            boolean found = memtable.find(hash, key.memory(), 0, key.length(), at, entry);
            assertThat(found).isEqualTo(expected != null);
            if (expected == null) {
                assertThat(kind).isEqualTo(Memtable.ABSENT);
            } else {
                assertThat(kind).isEqualTo(expected.kindByte);
                assertThat(value.toByteArray()).isEqualTo(expected.value);
                checkEntry(entry, sought[i], expected);
            }
            checkVersions(memtable, sought[i], at);
        }
        checkMultiGet(memtable, sought, at);
    }

    private @Nullable Version visible(byte[] key, long at) {
        for (Version version : model.getOrDefault(key, List.of())) {
            if (version.sequenceNumber <= at) {
                return version;
            }
        }
        return null;
    }

    private static void checkEntry(EntryView entry, byte[] key, Version expected) {
        assertThat(entry.key(new BytesView()).toByteArray()).isEqualTo(key);
        assertThat(entry.value(new BytesView()).toByteArray()).isEqualTo(expected.value);
        assertThat(entry.kindByte()).isEqualTo(expected.kindByte);
        assertThat(entry.trailer())
                .isEqualTo(SequenceNumbers.trailer(expected.sequenceNumber, expected.kindByte));
    }

    private void checkVersions(Memtable memtable, byte[] key, long at) {
        List<Version> expected = new ArrayList<>(model.getOrDefault(key, List.of()));
        expected.removeIf(version -> version.sequenceNumber > at);
        VersionCursor cursor = new VersionCursor();
        BytesView view = BytesView.of(key);
        memtable.versions(hashing.hash(key), view.memory(), 0, key.length, at, cursor);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(i == 0 ? cursor.isValid() : cursor.older()).isTrue();
            checkEntry(cursor.entry(), key, expected.get(i));
        }
        if (expected.isEmpty()) {
            assertThat(cursor.isValid()).isFalse();
            return;
        }
        assertThat(cursor.older()).isFalse();
        for (int i = expected.size() - 2; i >= 0; i--) {
            assertThat(cursor.newer()).isTrue();
            checkEntry(cursor.entry(), key, expected.get(i));
        }
        assertThat(cursor.newer()).isFalse();
    }

    private void checkMultiGet(Memtable memtable, byte[][] sought, long at) {
        int[] offsets = new int[sought.length];
        int[] lengths = new int[sought.length];
        long[] hashes = new long[sought.length];
        int size = 0;
        for (int i = 0; i < sought.length; i++) {
            offsets[i] = size;
            lengths[i] = sought[i].length;
            hashes[i] = hashing.hash(sought[i]);
            size += sought[i].length;
        }
        OffHeapMemory keyMemory = OffHeapMemory.wrap(new byte[size]);
        for (int i = 0; i < sought.length; i++) {
            keyMemory.putBytes(offsets[i], sought[i], 0, lengths[i]);
        }
        int[] entries = new int[sought.length];
        memtable.multiGet(hashes, keyMemory, offsets, lengths, sought.length, at, entries);
        EntryView entry = new EntryView();
        for (int i = 0; i < sought.length; i++) {
            Version expected = visible(sought[i], at);
            assertThat(memtable.entry(entries[i], entry)).isEqualTo(expected != null);
            if (expected != null) {
                checkEntry(entry, sought[i], expected);
            }
        }
    }

    private void checkOrder(Memtable memtable, RandomSource random) {
        List<Map.Entry<byte[], Version>> expected = new ArrayList<>();
        model.forEach((key, list) -> list.forEach(v -> expected.add(Map.entry(key, v))));
        try (MemtableIterator iterator = memtable.newIterator()) {
            int i = 0;
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                checkEntry(iterator.entry(), expected.get(i).getKey(), expected.get(i).getValue());
                i++;
            }
            assertThat(i).isEqualTo(expected.size());
            for (iterator.seekToLast(); iterator.isValid(); iterator.previous()) {
                i--;
                checkEntry(iterator.entry(), expected.get(i).getKey(), expected.get(i).getValue());
            }
            assertThat(i).isZero();
            for (int seeks = 0; seeks < 100; seeks++) {
                checkSeek(iterator, random);
            }
        }
    }

    private void checkSeek(MemtableIterator iterator, RandomSource random) {
        byte[] key =
                keys.isEmpty() || random.oneIn(3)
                        ? random.bytes(random.between(0, 10))
                        : random.pick(keys);
        BytesView view = BytesView.of(key);
        iterator.seek(view.memory(), 0, key.length);
        checkPosition(iterator, model.ceilingEntry(key), true);
        iterator.nextKey();
        byte[] reached = model.ceilingKey(key);
        checkPosition(iterator, reached == null ? null : model.higherEntry(reached), true);
        iterator.seekForPrevious(view.memory(), 0, key.length);
        checkPosition(iterator, model.floorEntry(key), false);
        long at = random.between(0L, sequenceNumber + 2);
        iterator.seek(view.memory(), 0, key.length, at);
        Version expected = visible(key, at);
        if (expected != null) {
            checkEntry(iterator.entry(), key, expected);
        } else {
            checkPosition(iterator, model.higherEntry(key), true);
        }
    }

    private static void checkPosition(
            MemtableIterator iterator,
            Map.@Nullable Entry<byte[], List<Version>> expected,
            boolean newest) {
        assertThat(iterator.isValid()).isEqualTo(expected != null);
        if (expected != null) {
            List<Version> versions = expected.getValue();
            checkEntry(
                    iterator.entry(),
                    expected.getKey(),
                    versions.get(newest ? 0 : versions.size() - 1));
        }
    }
}
