package dev.tarn.engine.internal.version;

import static dev.tarn.engine.internal.version.TestTables.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.engine.internal.compaction.RunSize;
import dev.tarn.engine.internal.version.TableMetadata.Garbage;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.KeyGenerator;
import dev.tarn.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class VersionTest {
    private static Version version(TableMetadata... tables) {
        VersionEdit.Builder edit = VersionEdit.builder();
        for (TableMetadata table : tables) {
            edit.add(table);
        }
        return Version.EMPTY.apply(edit.build());
    }

    @Test
    void runsAreOrderedFromTheNewest() {
        Version version =
                version(
                        table(1, 5, "a", "m"),
                        table(7, 0, "a", "z"),
                        table(2, 5, "n", "z"),
                        table(9, 0, "b", "c"),
                        table(5, 3, "a", "z"));
        assertThat(version.runSizes())
                .containsExactly(
                        new RunSize(0, 9000),
                        new RunSize(0, 7000),
                        new RunSize(3, 5000),
                        new RunSize(5, 3000));
        assertThat(version.tables().stream().map(TableMetadata::id))
                .containsExactly(9L, 7L, 5L, 1L, 2L);
        assertThat(version.nextTableId()).isEqualTo(10);
        assertThat(version.sizeBytes()).isEqualTo(24_000);
    }

    @Test
    void overlappingTablesOfALevelAreRefused() {
        assertThatThrownBy(() -> version(table(1, 1, "a", "m"), table(2, 1, "m", "z")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("overlap");
        version(table(1, 0, "a", "m"), table(2, 0, "m", "z"));
    }

    @Test
    void editsThatDoNotFitAreRefused() {
        Version version = version(table(1, 1, "a", "m"));
        assertThatThrownBy(() -> version.apply(VersionEdit.builder().remove(2).build()))
                .hasMessageContaining("id=2");
        assertThatThrownBy(() -> version.apply(VersionEdit.builder().move(2, 1).build()))
                .hasMessageContaining("id=2");
        assertThatThrownBy(
                        () ->
                                version.apply(
                                        VersionEdit.builder()
                                                .addGarbage(2, new Garbage(1, 1))
                                                .build()))
                .hasMessageContaining("id=2");
        assertThatThrownBy(
                        () ->
                                version.apply(
                                        VersionEdit.builder().add(table(1, 0, "x", "y")).build()))
                .hasMessageContaining("twice");
    }

    @Test
    void garbageAddsUpAndStaysWithAMovedTable() {
        Version version = version(table(1, 0, "a", "m"));
        for (int i = 0; i < 3; i++) {
            version =
                    version.apply(
                            VersionEdit.builder()
                                    .addGarbage(1, new Garbage(2, 50))
                                    .move(1, i + 1)
                                    .build());
        }
        TableMetadata table = version.tables().get(0);
        assertThat(table.garbage()).isEqualTo(new Garbage(6, 150));
        assertThat(table.level()).isEqualTo(3);
    }

    @Test
    void metadataOutsideItsRangeIsRefused() {
        assertThatThrownBy(() -> table(1, 0, "b", "a")).hasMessageContaining("smallest key");
        assertThatThrownBy(() -> table(0, 0, "a", "b")).hasMessageContaining("id");
        for (String name : List.of("", "../x", "a/b", ".hidden", "a\0b")) {
            assertThatThrownBy(() -> TableMetadata.builder(1, name).build())
                    .as(name)
                    .hasMessageContaining("file name");
        }
    }

    /** Against a plain comparison of all tables. */
    @Test
    void ceilingFindsTheOnlyTableThatMayHoldAKey() {
        Seeds.run(
                100,
                random -> {
                    KeyGenerator keys =
                            KeyGenerator.mixed(
                                    random,
                                    KeyGenerator.adversarial(random, 64),
                                    KeyGenerator.equalPrefix8(random, 2));
                    List<byte[]> sorted = new ArrayList<>();
                    for (int i = 0; i < 60; i++) {
                        byte[] key = keys.next();
                        if (sorted.stream().noneMatch(k -> Arrays.equals(k, key))) {
                            sorted.add(key);
                        }
                    }
                    sorted.sort(Arrays::compareUnsigned);
                    List<TableMetadata> tables = new ArrayList<>();
                    for (int i = 0; i + 1 < sorted.size(); i += 2) {
                        tables.add(
                                TableMetadata.builder(i + 1, "t" + i)
                                        .level(1)
                                        .keyRange(sorted.get(i), sorted.get(i + 1))
                                        .build());
                    }
                    SortedRun run = SortedRun.of(tables);
                    for (int i = 0; i < 200; i++) {
                        byte[] key = random.nextBoolean() ? random.pick(sorted) : keys.next();
                        int expected = 0;
                        while (expected < run.tableCount()
                                && Arrays.compareUnsigned(run.table(expected).largestKey(), key)
                                        < 0) {
                            expected++;
                        }
                        OffHeapMemory memory = OffHeapMemory.wrap(key);
                        assertThat(run.ceiling(memory, 0, key.length)).isEqualTo(expected);
                        if (expected < run.tableCount()) {
                            assertThat(
                                            Integer.signum(
                                                    run.table(expected)
                                                            .compareToSmallest(
                                                                    memory, 0, key.length)))
                                    .isEqualTo(
                                            Integer.signum(
                                                    Arrays.compareUnsigned(
                                                            key,
                                                            run.table(expected).smallestKey())));
                        }
                    }
                });
    }
}
