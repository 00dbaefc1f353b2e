package dev.tarn.sst;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.codec.UnsupportedFormatException;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.sst.block.BlockHeaderLayout;
import dev.tarn.sst.block.FooterLayout;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Files with intact checksums and damaged contents: what only somebody who means it can make.
 *
 * <p>A reader may call such a file corrupt or make something of it. It must not throw anything
 * else, loop, or ask for more memory than a file of this size can need.
 */
final class SstFuzzTest {
    /** A block of the file, by where it is. */
    private record Place(long offset, int length) {}

    private static final int MUTANTS = 60;

    @Test
    void forgedFileIsCorruptOrReadable() {
        Seeds.run(25, SstFuzzTest::check);
    }

    @Test
    @Tag("long")
    void manyForgedFilesAreCorruptOrReadable() {
        Seeds.run(2000, SstFuzzTest::check);
    }

    private static void check(RandomSource random) throws IOException {
        FaultyFileSystem fileSystem = new FaultyFileSystem();
        SstModel model = SstModel.random(random);
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        model.write(fileSystem, "whole", SstModel.randomOptions(random), accountant);
        byte[] whole = SstFiles.bytes(fileSystem, "whole");
        List<Place> places = places(fileSystem, accountant);
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            keys.add(model.nearbyKey(random));
        }
        keys.sort(java.util.Arrays::compareUnsigned);
        // Buffers, the cache, a block at LZ4's best ratio, and the parts that stay in memory.
        long budgetBytes = (12 << 20) + 12L * whole.length;
        int readable = 0;
        for (int i = 0; i < MUTANTS; i++) {
            byte[] mutant = whole.clone();
            int changes = 1 + random.skewed(4);
            for (int change = 0; change < changes; change++) {
                mutate(random, mutant, random.pick(places));
            }
            SstFiles.store(fileSystem, "mutant", mutant);
            try {
                SstFiles.dump(fileSystem, "mutant", keys, budgetBytes);
                readable++;
            } catch (CorruptSstException | UnsupportedFormatException e) {
                assertThat(e).hasMessageContaining("mutant");
            }
        }
        assertThat(readable).isLessThanOrEqualTo(MUTANTS);
    }

    /** Every block, those of the same kind as often as they are there, and the footer. */
    private static List<Place> places(FaultyFileSystem fileSystem, MemoryAccountant accountant)
            throws IOException {
        List<Place> places = new ArrayList<>();
        try (BlockCache cache =
                        new BlockCache(accountant, BlockCacheOptions.builder(200_000).build());
                SstReader reader =
                        SstReader.open(
                                fileSystem, "whole", new SstReaderContext(cache, accountant));
                SstLookup scratch = new SstLookup(accountant);
                CopiedPartition copied = new CopiedPartition(accountant)) {
            SstDirectory directory = reader.directory();
            for (int p = 0; p < directory.partitionCount(); p++) {
                // As often as a partition has blocks, or they would hardly ever be chosen.
                var blocks = reader.index().copy(p, scratch, copied);
                for (int i = 0; i < blocks.blockCount(); i++) {
                    places.add(new Place(blocks.offset(i), blocks.storedLength(i)));
                    places.add(
                            new Place(directory.partitionOffset(p), directory.partitionLength(p)));
                }
            }
            for (int f = 0; f < directory.filterCount(); f++) {
                places.add(new Place(directory.filterOffset(f), directory.filterLength(f)));
            }
            long end = reader.sizeBytes() - FooterLayout.SIZE;
            ByteBuffer footer =
                    ByteBuffer.wrap(SstFiles.bytes(fileSystem, "whole"))
                            .order(ByteOrder.LITTLE_ENDIAN);
            int propertiesSize = footer.getInt((int) end + FooterLayout.PROPERTIES_SIZE_OFFSET);
            int weight = 1 + places.size() / 4;
            for (int i = 0; i < weight; i++) {
                places.add(new Place(end, FooterLayout.SIZE));
                places.add(new Place(end - propertiesSize, propertiesSize));
                places.add(
                        new Place(
                                reader.directoryOffset(),
                                (int) (end - propertiesSize - reader.directoryOffset())));
            }
        }
        return places;
    }

    private static void mutate(RandomSource random, byte[] file, Place place) {
        ByteBuffer bytes =
                ByteBuffer.wrap(file, (int) place.offset(), place.length())
                        .slice()
                        .order(ByteOrder.LITTLE_ENDIAN);
        boolean isFooter = place.offset() == file.length - FooterLayout.SIZE;
        int start = isFooter ? 0 : BlockHeaderLayout.CHECKED_OFFSET;
        int end = isFooter ? FooterLayout.CRC_OFFSET : place.length();
        // The head of a block is where its counts and lengths are.
        int span = random.oneIn(2) ? Math.min(end - start, 80) : end - start;
        int at = start + random.between(0, span);
        switch (random.between(0, 5)) {
            case 0:
                bytes.put(at, (byte) random.nextInt());
                break;
            case 1:
                bytes.put(at, (byte) (bytes.get(at) + random.between(-2, 3)));
                break;
            case 2:
                if (at + Integer.BYTES <= end) {
                    bytes.putInt(
                            at,
                            random.pick(
                                    0,
                                    -1,
                                    1,
                                    Integer.MAX_VALUE,
                                    Integer.MIN_VALUE,
                                    place.length(),
                                    random.nextInt()));
                }
                break;
            case 3:
                if (at + Long.BYTES <= end) {
                    bytes.putLong(
                            at,
                            random.pick(
                                    0L, -1L, Long.MAX_VALUE, Long.MIN_VALUE, random.nextLong()));
                }
                break;
            default:
                int length = Math.min(end - at, 1 + random.skewed(64));
                bytes.put(at, random.bytes(length));
        }
        CRC32C crc = new CRC32C();
        crc.update(file, (int) place.offset() + start, end - start);
        int crcAt = isFooter ? FooterLayout.CRC_OFFSET : BlockHeaderLayout.CRC_OFFSET;
        bytes.putInt(crcAt, (int) crc.getValue());
    }
}
