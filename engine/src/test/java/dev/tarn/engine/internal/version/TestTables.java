package dev.tarn.engine.internal.version;

import dev.tarn.engine.internal.version.TableMetadata.EntryCounts;
import dev.tarn.engine.internal.version.TableMetadata.Garbage;
import dev.tarn.testing.RandomSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Tables that exist as metadata only, and edits of them. */
final class TestTables {
    private TestTables() {}

    static TableMetadata table(long id, int level, String smallest, String largest) {
        return TableMetadata.builder(id, String.format(Locale.ROOT, "%06d.sst", id))
                .level(level)
                .sizeBytes(id * 1000)
                .keyRange(
                        smallest.getBytes(StandardCharsets.US_ASCII),
                        largest.getBytes(StandardCharsets.US_ASCII))
                .entryCounts(new EntryCounts(id, 2, 3, 4))
                .sequences(id * 10, id * 10 + 9)
                .creationTimeMillis(1_800_000_000_000L + id)
                .build();
    }

    /** An edit as a flush, a compaction, a move or a probe makes it, fitting the version. */
    static VersionEdit randomEdit(RandomSource random, Version version) {
        VersionEdit.Builder edit = VersionEdit.builder();
        List<TableMetadata> tables = version.tables();
        int kind = tables.isEmpty() ? 0 : random.nextInt(4);
        long id = version.nextTableId();
        switch (kind) {
            case 0 ->
                    edit.add(table(id, 0, "a" + random.nextInt(100), "b" + random.nextInt(100)))
                            .lastSequence(id * 10 + 9)
                            .logNumber(id);
            case 1 -> {
                for (TableMetadata table : tables) {
                    edit.remove(table.id());
                }
                for (int i = random.between(0, 5); i > 0; i--) {
                    edit.add(table(id + i, 3, "k" + i, "k" + i + "z"));
                }
            }
            case 2 -> {
                List<TableMetadata> level0 =
                        new ArrayList<>(tables.stream().filter(t -> t.level() == 0).toList());
                if (!level0.isEmpty()) {
                    // Level by level down, never onto others.
                    int level = 4 + version.runs().get(version.runs().size() - 1).level();
                    edit.move(random.pick(level0).id(), level);
                }
            }
            default ->
                    edit.addGarbage(
                            random.pick(tables).id(),
                            new Garbage(random.nextInt(100), random.nextInt(10_000)));
        }
        return edit.nextTableId(id + 6).build();
    }
}
