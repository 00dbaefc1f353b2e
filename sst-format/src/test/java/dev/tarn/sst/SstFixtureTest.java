package dev.tarn.sst;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.sst.SstModel.Entry;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import dev.tarn.testing.FaultyFileSystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Files of each format version, kept as they were written: every later release reads them.
 *
 * <p>{@code -Dtest.rewrite=true} writes those of the current version anew. Once a version is
 * released, its files are never written again.
 */
final class SstFixtureTest {
    private static final Path RESOURCES = Path.of("src", "test", "resources", "fixtures");
    private static final Path DOCUMENT = Path.of("..", "docs", "formats", "sst.md");

    private final FaultyFileSystem fileSystem = new FaultyFileSystem();

    /** The entries of the worked example in docs/formats/sst.md. */
    private static SstModel example() {
        SstModel model = new SstModel();
        model.add(bytes("apple"), SequenceNumbers.trailer(7, ValueKind.PUT), bytes("green"));
        model.add(bytes("apple"), SequenceNumbers.trailer(3, ValueKind.PUT), bytes("red"));
        model.add(
                bytes("banana"),
                SequenceNumbers.trailer(5, ValueKind.of(ValueKind.DELETE, ValueKind.ROW_DELETE)),
                bytes(""));
        model.add(bytes("cherry"), SequenceNumbers.trailer(6, ValueKind.MERGE), bytes("+1"));
        return model;
    }

    private static SstOptions exampleOptions() {
        return SstOptions.builder().codec(BlockCodec.NONE).creator("doc").build();
    }

    /** Entries enough for several blocks, index partitions and filters. */
    private static SstModel larger() {
        SstModel model = new SstModel();
        for (int i = 0; i < 400; i++) {
            byte[] key = bytes(String.format(Locale.ROOT, "user/%06d", i * i));
            for (int version = i % 4; version >= 0; version--) {
                byte kind = i % 9 == 0 ? ValueKind.DELETE : ValueKind.PUT;
                byte[] value =
                        kind == ValueKind.DELETE
                                ? new byte[0]
                                : bytes("value ".repeat(i % 7) + (i * 31 + version));
                model.add(key, SequenceNumbers.trailer(1000L * version + i, kind), value);
            }
        }
        return model;
    }

    private static SstOptions largerOptions(BlockCodec codec) {
        return SstOptions.builder()
                .codec(codec)
                .blockSizeBytes(1024)
                .indexPartitionSizeBytes(512)
                .filterKeyCountMax(150)
                .creator("fixture")
                .build();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private byte[] write(SstModel model, SstOptions options) throws IOException {
        model.write(fileSystem, "written", options, MemoryAccountant.unlimited());
        return SstFiles.bytes(fileSystem, "written");
    }

    private static byte[] fixture(String name) throws IOException {
        try (InputStream stream = SstFixtureTest.class.getResourceAsStream("/fixtures/" + name)) {
            if (stream == null) {
                throw new AssertionError("fixture is missing: name=" + name);
            }
            return stream.readAllBytes();
        }
    }

    private static void rewrite(String name, byte[] bytes) throws IOException {
        if (Boolean.getBoolean("test.rewrite")) {
            Files.createDirectories(RESOURCES);
            Files.write(RESOURCES.resolve(name), bytes);
        }
    }

    private void checkReads(byte[] fixture, SstModel model) throws IOException {
        SstFiles.store(fileSystem, "fixture", fixture);
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        List<String> read = new ArrayList<>();
        try (BlockCache cache =
                        new BlockCache(accountant, BlockCacheOptions.builder(200_000).build());
                SstReader reader =
                        SstReader.open(
                                fileSystem, "fixture", new SstReaderContext(cache, accountant));
                SstIterator iterator = reader.iterator(null, null);
                SstLookup lookup = new SstLookup(accountant)) {
            assertThat(reader.properties().formatVersion()).isEqualTo(SstFormatVersion.V1);
            assertThat(reader.pinnedFilterCount()).isEqualTo(reader.filterCount()).isPositive();
            for (boolean valid = iterator.seekToFirst(); valid; valid = iterator.next()) {
                read.add(
                        new Entry(
                                        iterator.key().toByteArray(),
                                        iterator.trailer(),
                                        iterator.value().toByteArray())
                                .toString());
            }
            for (byte[] key : model.keys()) {
                assertThat(
                                reader.get(
                                        SstModel.hash(key),
                                        BytesView.of(key),
                                        SequenceNumbers.MAX,
                                        lookup))
                        .isEqualTo(SstModel.result(model.get(key, SequenceNumbers.MAX)));
            }
        }
        assertThat(read).isEqualTo(model.entries().stream().map(Entry::toString).toList());
    }

    @Test
    void exampleIsWrittenAndReadByteForByte() throws IOException {
        byte[] written = write(example(), exampleOptions());
        rewrite("v1-example.sst", written);
        byte[] fixture = fixture("v1-example.sst");
        assertThat(HexFormat.of().formatHex(written)).isEqualTo(HexFormat.of().formatHex(fixture));
        checkReads(fixture, example());
    }

    /** Compressed bytes may differ between releases of a codec; what they hold may not. */
    @ParameterizedTest
    @EnumSource(BlockCodec.class)
    void largerFileOfEachCodecIsRead(BlockCodec codec) throws IOException {
        String name = "v1-" + codec.name().toLowerCase(Locale.ROOT) + ".sst";
        rewrite(name, write(larger(), largerOptions(codec)));
        checkReads(fixture(name), larger());
    }

    /** The hex dump in the document is the fixture: lines of offset, bytes, and a remark. */
    @Test
    void documentShowsTheFixture() throws IOException {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        boolean isDump = false;
        for (String line : Files.readAllLines(DOCUMENT)) {
            if (line.startsWith("```")) {
                isDump = line.equals("```hexdump");
            } else if (isDump && !line.isBlank()) {
                assertThat(Integer.parseInt(line.substring(0, 4), 16)).isEqualTo(shown.size());
                String hex = line.substring(6, Math.min(line.length(), 30)).replace(" ", "");
                shown.write(HexFormat.of().parseHex(hex));
            }
        }
        assertThat(HexFormat.of().formatHex(shown.toByteArray()))
                .isEqualTo(HexFormat.of().formatHex(fixture("v1-example.sst")));
    }
}
