package dev.tarn.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.FileCall;
import dev.tarn.testing.FileFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SstReaderTest {
    private static final int KEY_COUNT = 20_000;

    private final FaultyFileSystem fileSystem = new FaultyFileSystem();

    /** Even numbers, so that odd ones are absent. */
    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(2 * number).array();
    }

    private SstProperties writeNumbers(String name) throws IOException {
        SstModel model = new SstModel();
        for (int i = 0; i < KEY_COUNT; i++) {
            byte[] value = ByteBuffer.allocate(100).putInt(i).array();
            model.add(key(i), SequenceNumbers.trailer(i, ValueKind.PUT), value);
        }
        return model.write(
                fileSystem,
                name,
                SstOptions.builder().codec(BlockCodec.NONE).build(),
                MemoryAccountant.unlimited());
    }

    private static BlockCache newCache(MemoryAccountant accountant) {
        return new BlockCache(accountant, BlockCacheOptions.builder(8 << 20).build());
    }

    @Test
    void fileOpensWithoutFilterOrIndexInMemoryWhenTheBudgetIsShort() throws IOException {
        writeNumbers("a.sst");
        for (MemoryPurpose refused :
                new MemoryPurpose[] {MemoryPurpose.FILTER, MemoryPurpose.INDEX}) {
            MemoryAccountant accountant = new MemoryAccountant(1L << 30, Map.of(refused, 2000L));
            try (BlockCache cache = newCache(accountant);
                    SstLookup lookup = new SstLookup(accountant);
                    SstReader reader =
                            SstReader.open(
                                    fileSystem, "a.sst", new SstReaderContext(cache, accountant))) {
                assertThat(reader.filterCount()).isEqualTo(1);
                assertThat(reader.pinnedFilterCount())
                        .isEqualTo(refused == MemoryPurpose.FILTER ? 0 : 1);
                assertThat(reader.isIndexPinned()).isEqualTo(refused != MemoryPurpose.INDEX);
                for (int i = 0; i < KEY_COUNT; i += 7) {
                    byte[] key = key(i);
                    assertThat(get(reader, key, lookup)).isEqualTo(SstReader.FOUND);
                    key[3]++;
                    assertThat(get(reader, key, lookup)).isEqualTo(SstReader.ABSENT);
                }
            }
            assertThat(accountant.reservedBytes()).isZero();
        }
    }

    private static int get(SstReader reader, byte[] key, SstLookup lookup) throws IOException {
        return reader.get(SstModel.hash(key), BytesView.of(key), SequenceNumbers.MAX, lookup);
    }

    @Test
    void coldLookupReadsOneBlockAndWarmOneNone() throws IOException {
        writeNumbers("a.sst");
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        try (BlockCache cache = newCache(accountant);
                SstLookup lookup = new SstLookup(accountant);
                SstReader reader =
                        SstReader.open(
                                fileSystem, "a.sst", new SstReaderContext(cache, accountant))) {
            LookupTrace trace = new LookupTrace();
            lookup.trace(trace);
            fileSystem.startTrace();
            assertThat(get(reader, key(5), lookup)).isEqualTo(SstReader.FOUND);
            assertThat(fileSystem.trace()).hasSize(1);
            assertThat(trace.blockReads()).isEqualTo(1);
            assertThat(trace.blockHits()).isZero();
            assertThat(trace.readBytes()).isBetween(3000L, 5000L);
            assertThat(trace.filterVerdict()).isEqualTo(LookupTrace.FilterVerdict.MAYBE);
            assertThat(trace.block()).isZero();

            assertThat(get(reader, key(6), lookup)).isEqualTo(SstReader.FOUND);
            assertThat(trace.blockReads()).isZero();
            assertThat(trace.blockHits()).isEqualTo(1);
            assertThat(trace.readBytes()).isZero();
            assertThat(fileSystem.trace()).hasSize(1);
            assertThat(lookup.blockHits()).isEqualTo(1);
            assertThat(lookup.blockReads()).isEqualTo(1);
        }
    }

    @Test
    void absentKeysReadAsManyBlocksAsTheFilterLetsThrough() throws IOException {
        writeNumbers("a.sst");
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        try (BlockCache cache = newCache(accountant);
                SstLookup lookup = new SstLookup(accountant);
                SstReader reader =
                        SstReader.open(
                                fileSystem, "a.sst", new SstReaderContext(cache, accountant))) {
            for (int i = 0; i < KEY_COUNT; i++) {
                byte[] key = key(i);
                key[3]++;
                assertThat(get(reader, key, lookup)).isEqualTo(SstReader.ABSENT);
            }
            assertThat(lookup.blockHits() + lookup.blockReads()).isLessThan(KEY_COUNT / 50);
            assertThat(lookup.filterNegatives()).isGreaterThan(KEY_COUNT * 98 / 100);
        }
    }

    @Test
    void approximateSizesOfPartsAddUpToTheWhole() throws IOException {
        SstProperties properties = writeNumbers("a.sst");
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        for (long pinnedMax : new long[] {0, 1 << 20}) {
            try (BlockCache cache = newCache(accountant);
                    SstLookup lookup = new SstLookup(accountant);
                    SstReader reader =
                            SstReader.open(
                                    fileSystem,
                                    "a.sst",
                                    new SstReaderContext(cache, accountant, pinnedMax))) {
                long whole = reader.approximateSize(null, null, lookup);
                assertThat(whole)
                        .isBetween(
                                properties.storedDataBytes(),
                                properties.storedDataBytes() + properties.indexBytes());
                BytesView middle = BytesView.of(key(KEY_COUNT / 2));
                long first = reader.approximateSize(null, middle, lookup);
                long second = reader.approximateSize(middle, null, lookup);
                assertThat(first + second).isEqualTo(whole);
                assertThat(first).isBetween(whole * 48 / 100, whole * 52 / 100);
                assertThat(reader.approximateSize(middle, middle, lookup)).isZero();
                assertThat(reader.approximateSize(middle, BytesView.of(key(3)), lookup)).isZero();
                int block = reader.blockOf(middle, lookup);
                assertThat(block).isBetween(1, reader.blockCount() - 1);
                assertThat(BytesView.of(reader.separator(block, lookup)).compare(middle))
                        .isNotNegative();
                assertThat(BytesView.of(reader.separator(block - 1, lookup)).compare(middle))
                        .isNegative();
            }
        }
    }

    @Test
    void manyFiltersAreAskedAtOnce() throws IOException {
        writeNumbers("a.sst");
        SstModel other = new SstModel();
        other.add(new byte[] {9}, SequenceNumbers.trailer(1, ValueKind.PUT), new byte[0]);
        other.write(fileSystem, "b.sst", SstOptions.defaults(), MemoryAccountant.unlimited());
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        try (BlockCache cache = newCache(accountant);
                SstReader a =
                        SstReader.open(
                                fileSystem, "a.sst", new SstReaderContext(cache, accountant));
                SstReader b =
                        SstReader.open(
                                fileSystem, "b.sst", new SstReaderContext(cache, accountant))) {
            SstReader[] readers = {a, b, a};
            byte[] inA = key(77);
            byte[] inB = {9};
            assertThat(SstReader.mayContain(readers, 3, SstModel.hash(inA), BytesView.of(inA)))
                    .isEqualTo(0b101);
            assertThat(SstReader.mayContain(readers, 2, SstModel.hash(inA), BytesView.of(inA)))
                    .isEqualTo(0b001);
            assertThat(SstReader.mayContain(readers, 3, SstModel.hash(inB), BytesView.of(inB)) & 2)
                    .isEqualTo(2);
        }
    }

    @Test
    void faultOfTheDeviceIsReportedAndTheNextReadTriesAgain() throws IOException {
        writeNumbers("a.sst");
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        try (BlockCache cache = newCache(accountant);
                SstLookup lookup = new SstLookup(accountant);
                SstReader reader =
                        SstReader.open(
                                fileSystem, "a.sst", new SstReaderContext(cache, accountant))) {
            fileSystem.fail(
                    1, call -> call.is(FileCall.Operation.READ, "a.sst"), FileFault.failure());
            assertThatThrownBy(() -> get(reader, key(5), lookup))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("injected fault");
            assertThat(get(reader, key(5), lookup)).isEqualTo(SstReader.FOUND);
        }
    }

    @Test
    void failedOpenGivesEverythingBack() throws IOException {
        writeNumbers("a.sst");
        MemoryAccountant accountant = new MemoryAccountant(64 << 20);
        try (BlockCache cache = newCache(accountant)) {
            long before = accountant.reservedBytes();
            int reads = 0;
            boolean isOpen = false;
            while (!isOpen) {
                int failing = reads++;
                long[] seen = {0};
                fileSystem.fail(
                        call -> call.is(FileCall.Operation.READ, "a.sst") && seen[0]++ == failing,
                        FileFault.failure());
                try (SstReader reader =
                        SstReader.open(
                                fileSystem, "a.sst", new SstReaderContext(cache, accountant))) {
                    isOpen = reader.blockCount() > 0;
                } catch (IOException e) {
                    assertThat(e).hasMessageContaining("injected fault");
                }
                fileSystem.heal();
                assertThat(accountant.reservedBytes()).isEqualTo(before);
            }
            assertThat(reads).isGreaterThan(5);
        }
    }
}
