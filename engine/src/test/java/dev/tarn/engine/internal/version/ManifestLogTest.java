package dev.tarn.engine.internal.version;

import static dev.tarn.engine.internal.version.TestTables.randomEdit;
import static dev.tarn.engine.internal.version.TestTables.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.engine.internal.io.RecordBuffer;
import dev.tarn.engine.internal.io.RecordWriter;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.CrashPoints;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.FileCall.Operation;
import dev.tarn.testing.FileFault;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ManifestLogTest {
    private static final long ROLL_OFTEN = 300;

    private final MemoryAccountant accountant = MemoryAccountant.unlimited();
    private final FaultyFileSystem files = new FaultyFileSystem();

    @AfterEach
    void memoryIsGivenBack() {
        assertThat(accountant.reservedBytes()).isZero();
    }

    @Test
    void emptyDirectoryHasTheEmptyVersionAndReadingChangesNothing() throws IOException {
        long changes = files.changeCount();
        assertThat(ManifestLog.read(files, accountant)).isSameAs(Version.EMPTY);
        assertThat(files.changeCount()).isEqualTo(changes);
    }

    @Test
    void everyEditIsThereAfterReopening() {
        Seeds.run(
                30,
                random -> {
                    FaultyFileSystem fresh = new FaultyFileSystem();
                    Version expected = Version.EMPTY;
                    for (int open = 0; open < 4; open++) {
                        try (ManifestLog log = open(fresh, random)) {
                            assertThat(log.version()).hasToString(expected.toString());
                            for (int i = random.nextInt(40); i > 0; i--) {
                                expected = log.append(randomEdit(random, expected));
                            }
                            assertThat(log.undeletedCount()).isZero();
                        }
                        Version read = ManifestLog.read(fresh, accountant);
                        assertThat(read.tables()).isEqualTo(expected.tables());
                        assertThat(read).hasToString(expected.toString());
                        assertThat(fresh.list("")).as("old manifests are gone").hasSize(2);
                    }
                });
    }

    private ManifestLog open(FileSystem target, RandomSource random) throws IOException {
        return random.nextBoolean()
                ? ManifestLog.open(target, accountant)
                : ManifestLog.open(target, accountant, ROLL_OFTEN);
    }

    @Test
    void editThatDoesNotFitWritesNothing() throws IOException {
        try (ManifestLog log = ManifestLog.open(files, accountant)) {
            long changes = files.changeCount();
            assertThatThrownBy(() -> log.append(VersionEdit.builder().remove(1).build()))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(files.changeCount()).isEqualTo(changes);
            log.append(VersionEdit.builder().add(table(1, 0, "a", "b")).build());
        }
        assertThat(ManifestLog.read(files, accountant).tables()).hasSize(1);
    }

    /** At every call of a run with rolls: each acknowledged edit survives, in every outcome. */
    @Test
    void everyAcknowledgedEditSurvivesACrashAtAnyCall() {
        Seeds.run(
                2,
                random -> {
                    List<String> acknowledged = new ArrayList<>();
                    String[] inFlight = {""};
                    RandomSource outcomes = random.split();
                    long seed = random.nextLong();
                    long points =
                            CrashPoints.forEach(
                                    outcomes,
                                    3,
                                    target -> {
                                        acknowledged.clear();
                                        acknowledged.add(Version.EMPTY.toString());
                                        inFlight[0] = "";
                                        scenario(target, seed, acknowledged, inFlight);
                                    },
                                    (survivors, completed) -> {
                                        Version read = ManifestLog.read(survivors, accountant);
                                        assertThat(read.toString())
                                                .isIn(
                                                        acknowledged.get(acknowledged.size() - 1),
                                                        inFlight[0]);
                                        assertSurvivorsGoOn(survivors, read);
                                    });
                    assertThat(points).isGreaterThan(60);
                });
    }

    private void scenario(
            FileSystem target, long seed, List<String> acknowledged, String[] inFlight)
            throws IOException {
        RandomSource random = new RandomSource(seed);
        for (int open = 0; open < 2; open++) {
            try (ManifestLog log = ManifestLog.open(target, accountant, ROLL_OFTEN)) {
                for (int i = 0; i < 12; i++) {
                    VersionEdit edit = randomEdit(random, log.version());
                    inFlight[0] = log.version().apply(edit).toString();
                    acknowledged.add(log.append(edit).toString());
                }
            }
        }
    }

    private void assertSurvivorsGoOn(FaultyFileSystem survivors, Version read) throws IOException {
        Version next;
        try (ManifestLog log = ManifestLog.open(survivors, accountant)) {
            assertThat(log.version()).hasToString(read.toString());
            next = log.append(randomEdit(new RandomSource(1), read));
        }
        assertThat(ManifestLog.read(survivors, accountant)).hasToString(next.toString());
    }

    /** Each write, sync, rename in turn fails; a restart makes the log usable again. */
    @Test
    void failedCallsLoseNothingThatWasAcknowledged() {
        Seeds.run(
                100,
                random -> {
                    FaultyFileSystem fresh = new FaultyFileSystem();
                    FileFault fault =
                            random.nextBoolean()
                                    ? FileFault.failure()
                                    : FileFault.failedSyncThatDrops();
                    Version version = Version.EMPTY;
                    try (ManifestLog log = ManifestLog.open(fresh, accountant, ROLL_OFTEN)) {
                        fresh.fail(
                                call -> call.change() >= 0 && random.oneIn(10),
                                call -> {
                                    if (call.operation() == Operation.SYNC) {
                                        fault.strike(call);
                                    }
                                    FileFault.failure().strike(call);
                                });
                        boolean usable = true;
                        for (int i = 0; i < 60; i++) {
                            try {
                                if (!usable) {
                                    log.restart();
                                    usable = true;
                                }
                                version = log.append(randomEdit(random, version));
                            } catch (IOException e) {
                                usable = false;
                            }
                            assertThat(log.version()).isSameAs(version);
                        }
                        fresh.heal();
                        if (!usable) {
                            log.restart();
                        }
                    }
                    assertThat(ManifestLog.read(fresh, accountant)).hasToString(version.toString());
                });
    }

    @Test
    void failedSyncRefusesEditsUntilTheRestart() throws IOException {
        try (ManifestLog log = ManifestLog.open(files, accountant)) {
            files.fail(1, call -> call.operation() == Operation.SYNC, FileFault.failure());
            VersionEdit edit = VersionEdit.builder().add(table(1, 0, "a", "b")).build();
            assertThatThrownBy(() -> log.append(edit)).isInstanceOf(IOException.class);
            long calls = files.callCount();
            assertThatThrownBy(() -> log.append(edit)).hasMessageContaining("unusable");
            assertThat(files.callCount()).as("not retried").isEqualTo(calls);
            log.restart();
            log.append(edit);
        }
        assertThat(ManifestLog.read(files, accountant).tables()).hasSize(1);
    }

    @Test
    void anyDamagedBitOfCurrentIsAnError() throws IOException {
        ManifestLog.open(files, accountant).close();
        for (long position = 0; position < files.size(ManifestFiles.CURRENT); position++) {
            files.flipBit(ManifestFiles.CURRENT, position, 2);
            assertThatThrownBy(() -> ManifestLog.read(files, accountant))
                    .isInstanceOf(CorruptDataException.class)
                    .hasMessageContaining(ManifestFiles.CURRENT);
            files.flipBit(ManifestFiles.CURRENT, position, 2);
        }
        assertThat(ManifestLog.read(files, accountant).tables()).isEmpty();
    }

    @Test
    void lostFilesAreErrorsNotEmptyTrees() throws IOException {
        try (ManifestLog log = ManifestLog.open(files, accountant)) {
            log.append(VersionEdit.builder().add(table(1, 0, "a", "b")).build());
        }
        String manifest =
                files.list("").stream().filter(n -> n.startsWith("manifest")).findFirst().get();
        files.link(manifest, "kept");
        files.delete(manifest);
        assertThatThrownBy(() -> ManifestLog.read(files, accountant))
                .isInstanceOf(CorruptDataException.class)
                .hasMessageContaining("manifest is missing");
        files.link("kept", manifest);
        files.delete(ManifestFiles.CURRENT);
        assertThatThrownBy(() -> ManifestLog.read(files, accountant))
                .isInstanceOf(CorruptDataException.class)
                .hasMessageContaining("CURRENT")
                .hasMessageContaining(manifest);
    }

    @Test
    void orphansAreTablesAndManifestsThatNothingNames() throws IOException {
        try (ManifestLog log = ManifestLog.open(files, accountant)) {
            log.append(VersionEdit.builder().add(table(1, 0, "a", "b")).build());
            for (String name :
                    List.of(
                            "000001.sst",
                            "000002.sst",
                            "000003.sst",
                            "manifest-000009",
                            "LOCK",
                            "wal-000001.log",
                            "notes.txt")) {
                files.create(name).close();
            }
            assertThat(log.orphans(List.of("000003.sst")))
                    .containsExactly("000002.sst", "manifest-000009");
        }
    }

    /** Valid records with random payloads: nothing but corruption errors with their place. */
    @Test
    void anyPayloadIsAnEditOrACorruptionError() {
        Seeds.run(
                500,
                random -> {
                    FaultyFileSystem fresh = new FaultyFileSystem();
                    String name = ManifestFiles.name(1);
                    try (RecordWriter writer =
                                    RecordWriter.create(
                                            fresh, "", name, ManifestLog.MAGIC, 1, accountant);
                            RecordBuffer buffer = new RecordBuffer(accountant)) {
                        Version version = Version.EMPTY;
                        for (int i = 0; i < 3; i++) {
                            VersionEdit edit = randomEdit(random, version);
                            VersionEditCodec.encode(edit, buffer.clear(0));
                            damage(random, buffer);
                            writer.append(random.oneIn(4) ? 3 : 1 + Math.min(1, i), buffer);
                            version = version.apply(edit);
                        }
                        writer.seal();
                    }
                    try {
                        ManifestLog.visit(fresh, name, accountant, (at, snapshot, edit) -> {});
                    } catch (CorruptDataException e) {
                        assertThat(e).hasMessageContaining("file=").hasMessageContaining("offset=");
                    }
                });
    }

    private static void damage(RandomSource random, RecordBuffer buffer) {
        OffHeapMemory memory = buffer.memory();
        for (int i = random.nextInt(4); i > 0 && buffer.length() > 0; i--) {
            int at = buffer.offset() + random.nextInt(buffer.length());
            memory.putByte(at, (byte) random.nextInt(256));
        }
        if (random.oneIn(3)) {
            byte[] bytes = random.bytes(random.nextInt(30));
            buffer.putBytes(OffHeapMemory.wrap(bytes), 0, bytes.length);
        }
    }
}
