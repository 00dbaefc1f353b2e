package dev.tarn.engine.internal.version;

import static dev.tarn.engine.internal.version.TestTables.table;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.engine.internal.HexExample;
import dev.tarn.engine.internal.io.RecordBuffer;
import dev.tarn.engine.internal.io.RecordWriter;
import dev.tarn.engine.internal.version.TableMetadata.Garbage;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.FaultyFileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The golden file of version 1; docs/formats/manifest.md shows its bytes. */
class ManifestFixtureTest {
    private static final String NAME = "manifest-000003";
    private static final VersionEdit SNAPSHOT =
            VersionEdit.builder()
                    .nextTableId(2)
                    .lastSequence(19)
                    .logNumber(4)
                    .add(table(1, 5, "apple", "pear"))
                    .build();
    private static final VersionEdit EDIT =
            VersionEdit.builder()
                    .lastSequence(29)
                    .addGarbage(1, new Garbage(1, 300))
                    .add(table(2, 0, "fig", "fig"))
                    .build();

    private final MemoryAccountant accountant = MemoryAccountant.unlimited();

    @Test
    void bytesOfVersion1AreFrozen() throws IOException {
        byte[] written = write();
        assertThat(HexExample.hex(written))
                .isEqualTo(HexExample.hex(HexExample.fixture(NAME, written)));
    }

    @Test
    void documentShowsTheFixture() throws IOException {
        assertThat(HexExample.inDocument("manifest.md"))
                .isEqualTo(HexExample.hex(HexExample.fixture(NAME, write())));
    }

    @Test
    void fixtureIsRead() throws IOException {
        byte[] bytes = HexExample.fixture(NAME, write());
        FaultyFileSystem files = new FaultyFileSystem();
        try (var file = files.create(NAME)) {
            file.append(OffHeapMemory.wrap(bytes), 0, bytes.length);
        }
        List<String> records = new ArrayList<>();
        Version version =
                ManifestLog.visit(
                        files,
                        NAME,
                        accountant,
                        (position, isSnapshot, edit) ->
                                records.add(position + " " + isSnapshot + " " + edit));
        assertThat(records).hasSize(2);
        assertThat(records.get(0)).isEqualTo("32 true " + SNAPSHOT);
        assertThat(version).hasToString(Version.EMPTY.apply(SNAPSHOT).apply(EDIT).toString());
    }

    private byte[] write() throws IOException {
        FaultyFileSystem files = new FaultyFileSystem();
        try (RecordWriter writer =
                        RecordWriter.create(files, "", NAME, ManifestLog.MAGIC, 3, accountant);
                RecordBuffer buffer = new RecordBuffer(accountant)) {
            VersionEditCodec.encode(SNAPSHOT, buffer);
            writer.append(ManifestLog.TYPE_SNAPSHOT, buffer);
            writer.sync();
            VersionEditCodec.encode(EDIT, buffer.clear(0));
            writer.append(ManifestLog.TYPE_EDIT, buffer);
            writer.seal();
        }
        byte[] bytes = new byte[(int) files.size(NAME)];
        try (var file = files.open(NAME)) {
            file.read(0, OffHeapMemory.wrap(bytes), 0, bytes.length);
        }
        return bytes;
    }
}
