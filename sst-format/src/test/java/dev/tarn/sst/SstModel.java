package dev.tarn.sst;

import dev.tarn.codec.Hash64;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.testing.KeyGenerator;
import dev.tarn.testing.RandomSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The entries of a file as a sorted map: what an SST is tested against. */
final class SstModel {
    /** An entry; the arrays are not changed. */
    @SuppressWarnings("ArrayRecordComponent") // Compared as a whole only through toString.
    record Entry(byte[] key, long trailer, byte[] value) {
        long sequenceNumber() {
            return SequenceNumbers.sequenceNumber(trailer);
        }

        byte kind() {
            return ValueKind.kind(SequenceNumbers.kindByte(trailer));
        }

        @Override
        public String toString() {
            return BytesView.of(key)
                    + "#"
                    + key.length
                    + "@"
                    + Long.toHexString(trailer)
                    + "="
                    + value.length
                    + ":"
                    + Arrays.hashCode(value);
        }
    }

    private final TreeMap<byte[], List<Entry>> versions = new TreeMap<>(Arrays::compareUnsigned);

    /** Adds an entry, older than those of its key that were added before. */
    void add(byte[] key, long trailer, byte[] value) {
        versions.computeIfAbsent(key, k -> new ArrayList<>()).add(new Entry(key, trailer, value));
    }

    /** All entries in internal-key order. */
    List<Entry> entries() {
        List<Entry> all = new ArrayList<>();
        versions.values().forEach(all::addAll);
        return all;
    }

    List<byte[]> keys() {
        return new ArrayList<>(versions.keySet());
    }

    boolean contains(byte[] key) {
        return versions.containsKey(key);
    }

    /** What {@link SstReader#get} is to find. */
    @Nullable Entry get(byte[] key, long sequenceMax) {
        for (Entry entry : versions.getOrDefault(key, List.of())) {
            if (entry.sequenceNumber() <= sequenceMax && entry.kind() != ValueKind.RANGE_DELETE) {
                return entry;
            }
        }
        return null;
    }

    static int result(@Nullable Entry entry) {
        if (entry == null) {
            return SstReader.ABSENT;
        }
        switch (entry.kind()) {
            case ValueKind.PUT:
                return SstReader.FOUND;
            case ValueKind.DELETE:
                return SstReader.DELETED;
            default:
                return SstReader.MERGE;
        }
    }

    /** Entries with keys in [lower, upper). */
    List<Entry> range(byte @Nullable [] lower, byte @Nullable [] upper) {
        List<Entry> range = new ArrayList<>();
        for (Entry entry : entries()) {
            if ((lower == null || Arrays.compareUnsigned(entry.key(), lower) >= 0)
                    && (upper == null || Arrays.compareUnsigned(entry.key(), upper) < 0)) {
                range.add(entry);
            }
        }
        return range;
    }

    SstProperties write(
            FileSystem fileSystem, String name, SstOptions options, MemoryAccountant accountant)
            throws IOException {
        try (SstWriter writer = SstWriter.create(fileSystem, name, options, accountant)) {
            addTo(writer, entries());
            return writer.finish();
        }
    }

    static void addTo(SstWriter writer, List<Entry> entries) throws IOException {
        for (Entry entry : entries) {
            writer.add(BytesView.of(entry.key()), entry.trailer(), BytesView.of(entry.value()));
        }
    }

    static long hash(byte[] key) {
        return Hash64.hash(key, 0, key.length);
    }

    /** Random entries: keys, lengths and numbers of versions of many kinds. */
    static SstModel random(RandomSource random) {
        KeyGenerator keys = randomKeys(random);
        boolean hasLongKeys = keys.next().length > 4096;
        int keyCount = 1 + random.skewed(hasLongKeys ? 40 : 1500);
        TreeSet<byte[]> distinct = new TreeSet<>(Arrays::compareUnsigned);
        for (int i = 0; i < keyCount; i++) {
            distinct.add(keys.next());
        }
        int valueLengthMax = random.pick(1, 20, 200, 3000);
        int versionCountMax = random.pick(1, 1, 3, 40);
        SstModel model = new SstModel();
        for (byte[] key : distinct) {
            long sequence = random.oneIn(10) ? SequenceNumbers.MAX : random.between(0L, 1L << 40);
            int versionCount = 1 + random.skewed(versionCountMax);
            for (int v = 0; v < versionCount && sequence >= 0; v++) {
                byte kind = (byte) (random.oneIn(3) ? random.between(0, 4) : ValueKind.PUT);
                byte kindByte = ValueKind.of(kind, (byte) random.between(0, 4));
                int valueLength = random.skewed(valueLengthMax);
                if (random.oneIn(500)) {
                    valueLength = 100_000;
                }
                byte[] value = random.oneIn(2) ? random.bytes(valueLength) : new byte[valueLength];
                model.add(key, SequenceNumbers.trailer(sequence, kindByte), value);
                sequence -= 1 + random.skewed(1000);
            }
        }
        return model;
    }

    private static KeyGenerator randomKeys(RandomSource random) {
        switch (random.between(0, 8)) {
            case 0:
                return KeyGenerator.fixedLength(random, 8);
            case 1:
                return KeyGenerator.ascending();
            case 2:
                return KeyGenerator.variable(random, 0, 3);
            case 3:
                return KeyGenerator.variable(random, 0, 40);
            case 4:
                return KeyGenerator.sharedPrefixes(random, 5, 30, 6);
            case 5:
                return KeyGenerator.equalPrefix8(random, 12);
            case 6:
                return KeyGenerator.collidingHashes(random);
            default:
                return KeyGenerator.variable(random, 60_000, 65_535);
        }
    }

    static SstOptions randomOptions(RandomSource random) {
        return SstOptions.builder()
                .blockSizeBytes(random.pick(512, 1000, 4096, 16384, 65536))
                .codec(random.pick(BlockCodec.NONE, BlockCodec.LZ4, BlockCodec.ZSTD))
                .filterBitsPerKey(random.pick(0.0, 8.0, 10.0, 12.5))
                .filterKeyCountMax(random.pick(1, 20, 300, 1 << 20))
                .indexPartitionSizeBytes(random.pick(256, 1000, 32768))
                .build();
    }

    /** A key near those of the model, mostly not one of them. */
    byte[] nearbyKey(RandomSource random) {
        List<byte[]> keys = keys();
        byte[] key = random.pick(keys).clone();
        switch (random.between(0, 4)) {
            case 0:
                return key;
            case 1:
                return Arrays.copyOf(key, random.between(0, key.length + 1));
            case 2:
                return Arrays.copyOf(
                        key, Math.min(SstWriter.KEY_LENGTH_MAX, key.length + 1 + random.skewed(9)));
            default:
                if (key.length > 0) {
                    key[random.between(0, key.length)] += (byte) random.between(-1, 2);
                }
                return key;
        }
    }
}
