package dev.tarn.engine.internal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.codec.UnsupportedFormatException;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.FaultyFileSystem.Crash;
import dev.tarn.testing.FileCall.Operation;
import dev.tarn.testing.FileFault;
import dev.tarn.testing.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RecordFileTest {
    private static final long MAGIC = 0x1122334455667788L;
    private static final String NAME = "log-7";

    private final MemoryAccountant accountant = MemoryAccountant.unlimited();
    private final FaultyFileSystem files = new FaultyFileSystem();

    @AfterEach
    void memoryIsGivenBack() {
        assertThat(accountant.reservedBytes()).isZero();
    }

    @Test
    void recordsComeBackAsTheyWereWritten() {
        Seeds.run(
                50,
                random -> {
                    FaultyFileSystem fresh = new FaultyFileSystem();
                    List<byte[]> payloads = new ArrayList<>();
                    try (RecordWriter writer = create(fresh);
                            RecordBuffer buffer = new RecordBuffer(accountant)) {
                        for (int i = random.between(0, 30); i > 0; i--) {
                            byte[] payload = random.bytes(random.skewed(400_000));
                            put(buffer.clear(0), payload);
                            writer.append(1 + payload.length % 126, buffer);
                            payloads.add(payload);
                        }
                        writer.seal();
                    }
                    try (RecordReader reader = open(fresh)) {
                        for (byte[] payload : payloads) {
                            assertThat(reader.next()).isTrue();
                            assertThat(reader.type()).isEqualTo(1 + payload.length % 126);
                            assertThat(payload(reader)).isEqualTo(payload);
                        }
                        assertThat(reader.next()).isFalse();
                        assertThat(reader.next()).isFalse();
                        assertThat(reader.isSealed()).isTrue();
                        assertThat(reader.isTorn()).isFalse();
                    }
                });
    }

    @Test
    void fileCutAnywhereEndsWithItsLastWholeRecord() throws IOException {
        List<Long> ends = writeSynced(5);
        long size = files.size(NAME);
        for (long cut = size; cut >= 0; cut--) {
            files.resize(NAME, cut);
            int whole = 0;
            while (whole < ends.size() && ends.get(whole) <= cut) {
                whole++;
            }
            boolean clean = cut == 0 || cut == 32 || ends.contains(cut);
            assertThat(readAll()).as("cut=%d", cut).hasSize(whole);
            try (RecordReader reader = open(files)) {
                while (reader.next()) {}
                assertThat(reader.isTorn()).as("cut=%d", cut).isEqualTo(!clean);
            }
        }
    }

    @Test
    void anyDamagedBitOfSyncedRecordsIsAnErrorWithItsPlace() throws IOException {
        List<Long> ends = writeSynced(4);
        long lastStart = ends.get(ends.size() - 2);
        for (long position = 0; position < lastStart; position++) {
            int bit = (int) (position % 8);
            files.flipBit(NAME, position, bit);
            long damaged = position;
            long start = ends.stream().filter(e -> e <= damaged).mapToLong(e -> e).max().orElse(0);
            long record = damaged < 32 ? 0 : Math.max(start, 32);
            assertThatThrownBy(this::readAll)
                    .as("position=%d", position)
                    .isInstanceOf(CorruptDataException.class)
                    .hasMessageContaining("file=")
                    .hasMessageContaining(NAME)
                    .hasMessageContaining("offset=" + record + " ");
            files.flipBit(NAME, position, bit);
        }
        assertThat(readAll()).hasSize(4);
    }

    /** Nothing in the file can tell; that is what sealing is for. */
    @Test
    void damageToTheLastRecordIsATornTailUnlessSealed() throws IOException {
        writeSynced(3);
        files.flipBit(NAME, files.size(NAME) - 1, 0);
        assertThat(readAll()).hasSize(2);
    }

    @Test
    void anyDamagedBitBeforeTheSealIsAnError() throws IOException {
        try (RecordWriter writer = create(files);
                RecordBuffer buffer = new RecordBuffer(accountant)) {
            put(buffer, "only".getBytes(StandardCharsets.US_ASCII));
            writer.append(1, buffer);
            writer.seal();
        }
        long end = files.size(NAME) - RecordLayout.RECORD_HEADER_SIZE;
        for (long position = 0; position < end; position++) {
            files.flipBit(NAME, position, 3);
            assertThatThrownBy(this::readAll).isInstanceOf(CorruptDataException.class);
            files.flipBit(NAME, position, 3);
        }
    }

    /** Without syncs in between, a power cut may keep any part: what is read is a prefix. */
    @Test
    void unsyncedRecordsSurviveAsAPrefixAndAreNoDamage() {
        Seeds.run(
                300,
                random -> {
                    FaultyFileSystem fresh = new FaultyFileSystem();
                    List<byte[]> payloads = new ArrayList<>();
                    int synced = 0;
                    try (RecordWriter writer = create(fresh);
                            RecordBuffer buffer = new RecordBuffer(accountant)) {
                        writer.sync();
                        for (int i = random.between(1, 30); i > 0; i--) {
                            byte[] payload = random.bytes(random.skewed(3000));
                            put(buffer.clear(0), payload);
                            writer.append(1, buffer);
                            payloads.add(payload);
                            if (random.oneIn(10)) {
                                writer.sync();
                                synced = payloads.size();
                            }
                        }
                        FaultyFileSystem survivors = fresh.crash(Crash.UNSYNCED_TORN, random);
                        List<byte[]> read = readAll(survivors);
                        assertThat(read.size()).isBetween(synced, payloads.size());
                        for (int i = 0; i < read.size(); i++) {
                            assertThat(read.get(i)).isEqualTo(payloads.get(i));
                        }
                    } catch (FaultyFileSystem.CrashedException e) {
                        // Closing what crashed.
                        assertThat(fresh.isCrashed()).isTrue();
                    }
                });
    }

    @Test
    void copyOfTheLogInsideAPayloadIsNoRecord() throws IOException {
        writeSynced(3);
        byte[] copy = bytes(files.size(NAME));
        FaultyFileSystem other = new FaultyFileSystem();
        try (RecordWriter writer = create(other);
                RecordBuffer buffer = new RecordBuffer(accountant)) {
            put(buffer, copy);
            writer.append(1, buffer);
        }
        // The record's own header is torn; its payload, full of whole records, is not.
        other.flipBit(NAME, 40, 0);
        assertThat(readAll(other)).isEmpty();
    }

    @Test
    void laterVersionIsUnsupportedAndOtherKindIsCorrupt() throws IOException {
        writeSynced(1);
        assertThatThrownBy(() -> RecordReader.open(files, NAME, MAGIC + 1, 7, accountant))
                .isInstanceOf(CorruptDataException.class)
                .hasMessageContaining("other kind")
                .hasMessageContaining("offset=0");
        assertThatThrownBy(() -> RecordReader.open(files, NAME, MAGIC, 8, accountant))
                .isInstanceOf(CorruptDataException.class)
                .hasMessageContaining("expectedFileNumber=8 actualFileNumber=7");
        setHeaderVersion(2);
        assertThatThrownBy(() -> open(files))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("versionMax=1 version=2");
        setHeaderVersion(0);
        assertThatThrownBy(() -> open(files)).isInstanceOf(CorruptDataException.class);
    }

    @Test
    void failedWriteOrSyncPoisonsForGood() throws IOException {
        for (Operation operation :
                List.of(Operation.WRITE, Operation.SYNC, Operation.SYNC_DIRECTORY)) {
            FaultyFileSystem fresh = new FaultyFileSystem();
            try (RecordWriter writer = create(fresh);
                    RecordBuffer buffer = new RecordBuffer(accountant)) {
                fresh.fail(1, call -> call.operation() == operation, FileFault.failure());
                assertThatThrownBy(
                                () -> {
                                    writer.append(1, buffer);
                                    writer.sync();
                                })
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("injected fault");
                long calls = fresh.callCount();
                assertThatThrownBy(writer::sync)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("unusable")
                        .hasStackTraceContaining("injected fault");
                assertThatThrownBy(() -> writer.append(1, buffer)).hasMessageContaining("unusable");
                assertThatThrownBy(writer::seal).hasMessageContaining("unusable");
                assertThat(fresh.callCount()).as("never retried").isEqualTo(calls);
            }
        }
    }

    @Test
    void syncOfNothingNewCostsNoCall() throws IOException {
        try (RecordWriter writer = create(files);
                RecordBuffer buffer = new RecordBuffer(accountant)) {
            writer.append(1, buffer);
            writer.sync();
            long calls = files.callCount();
            writer.sync();
            assertThat(files.callCount()).isEqualTo(calls);
            assertThat(writer.durableSize()).isEqualTo(writer.size());
        }
    }

    /** Random bytes behind a good start: nothing but clean ends and corruption errors. */
    @Test
    void randomBytesNeverBreakTheReader() {
        Seeds.run(
                300,
                random -> {
                    FaultyFileSystem fresh = new FaultyFileSystem();
                    try (RecordWriter writer = create(fresh);
                            RecordBuffer buffer = new RecordBuffer(accountant)) {
                        put(buffer, random.bytes(random.nextInt(200)));
                        writer.append(1, buffer);
                        writer.sync();
                    }
                    for (int i = random.between(1, 20); i > 0; i--) {
                        long position = random.nextLong(fresh.size(NAME));
                        fresh.flipBit(NAME, position, random.nextInt(8));
                    }
                    try {
                        assertThat(readAll(fresh).size()).isLessThanOrEqualTo(1);
                    } catch (CorruptDataException | UnsupportedFormatException e) {
                        assertThat(e).hasMessageContaining(NAME);
                    }
                });
    }

    /** Writes and syncs one after the other; returns where each ends. */
    private List<Long> writeSynced(int count) throws IOException {
        List<Long> ends = new ArrayList<>();
        try (RecordWriter writer = create(files);
                RecordBuffer buffer = new RecordBuffer(accountant)) {
            for (int i = 0; i < count; i++) {
                put(buffer.clear(0), ("record " + i).getBytes(StandardCharsets.US_ASCII));
                writer.append(1, buffer);
                writer.sync();
                ends.add(writer.size());
            }
        }
        return ends;
    }

    private void setHeaderVersion(int version) throws IOException {
        byte[] header = bytes(RecordLayout.FILE_HEADER_SIZE);
        OffHeapMemory memory = OffHeapMemory.wrap(header);
        memory.putInt(RecordLayout.VERSION_OFFSET, version);
        memory.putInt(
                RecordLayout.HEADER_CRC_OFFSET,
                new dev.tarn.codec.Crc32c().of(header, 0, RecordLayout.HEADER_CRC_OFFSET));
        try (var file = files.openForAppend(NAME)) {
            file.write(0, memory, 0, header.length);
        }
    }

    private byte[] bytes(long size) throws IOException {
        byte[] bytes = new byte[(int) size];
        try (var file = files.open(NAME)) {
            file.read(0, OffHeapMemory.wrap(bytes), 0, bytes.length);
        }
        return bytes;
    }

    private RecordWriter create(FaultyFileSystem target) throws IOException {
        return RecordWriter.create(target, "", NAME, MAGIC, 7, accountant);
    }

    private RecordReader open(FaultyFileSystem source) throws IOException {
        return RecordReader.open(source, NAME, MAGIC, 7, accountant);
    }

    private List<byte[]> readAll() throws IOException {
        return readAll(files);
    }

    private List<byte[]> readAll(FaultyFileSystem source) throws IOException {
        List<byte[]> payloads = new ArrayList<>();
        try (RecordReader reader = open(source)) {
            while (reader.next()) {
                payloads.add(payload(reader));
            }
        }
        return payloads;
    }

    private static byte[] payload(RecordReader reader) {
        return new BytesView()
                .wrap(reader.memory(), reader.offset(), reader.length())
                .toByteArray();
    }

    private static void put(RecordBuffer buffer, byte[] bytes) {
        buffer.putBytes(OffHeapMemory.wrap(bytes), 0, bytes.length);
    }
}
