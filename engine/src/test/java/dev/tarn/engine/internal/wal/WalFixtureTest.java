package dev.tarn.engine.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.codec.ValueKind;
import dev.tarn.engine.internal.HexExample;
import dev.tarn.engine.internal.io.RecordBuffer;
import dev.tarn.engine.internal.io.RecordWriter;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The golden file of version 1, which docs/formats/wal.md shows; and bytes that are no log. */
class WalFixtureTest {
    private static final long NUMBER = 5;
    private static final String NAME = WalFiles.name(NUMBER);

    private final MemoryAccountant accountant = MemoryAccountant.unlimited();

    @Test
    void bytesOfVersion1AreFrozen() throws IOException {
        byte[] written = write();
        assertThat(HexExample.hex(written))
                .isEqualTo(HexExample.hex(HexExample.fixture(NAME, written)));
    }

    @Test
    void documentShowsTheFixture() throws IOException {
        assertThat(HexExample.inDocument("wal.md"))
                .isEqualTo(HexExample.hex(HexExample.fixture(NAME, write())));
    }

    @Test
    void fixtureIsRead() throws IOException {
        byte[] bytes = HexExample.fixture(NAME, write());
        FaultyFileSystem files = new FaultyFileSystem();
        try (var file = files.create(NAME)) {
            file.append(OffHeapMemory.wrap(bytes), 0, bytes.length);
        }
        try (WalReader log = WalReader.open(files, NUMBER, accountant)) {
            assertThat(log.appendedBefore()).isEqualTo(9);
            assertThat(log.durableBefore()).isEqualTo(9);
            assertThat(entries(log)).containsExactly("20 PUT fig=ripe", "21 DELETE pear=");
            assertThat(entries(log)).containsExactly("22 PUT fig=eaten");
            assertThat(log.nextBatch()).isFalse();
            assertThat(log.isSealed()).isTrue();
        }
    }

    private static List<String> entries(WalReader log) throws IOException {
        assertThat(log.nextBatch()).isTrue();
        List<String> entries = new ArrayList<>();
        while (log.nextEntry()) {
            entries.add(
                    log.sequenceNumber()
                            + (log.kindByte() == ValueKind.PUT ? " PUT " : " DELETE ")
                            + log.key(new BytesView())
                            + "="
                            + log.value(new BytesView()));
        }
        return entries;
    }

    /** Valid records of random bytes: nothing but corruption errors with their place. */
    @Test
    void anyPayloadIsABatchOrACorruptionError() {
        Seeds.run(
                1000,
                random -> {
                    FaultyFileSystem files = new FaultyFileSystem();
                    try (RecordWriter writer =
                                    RecordWriter.create(
                                            files, "", NAME, WalLayout.MAGIC, NUMBER, accountant);
                            RecordBuffer buffer = new RecordBuffer(accountant)) {
                        WriteBatchBuffer batch = batch();
                        buffer.putLong(random.skewed(10)).putLong(random.skewed(3));
                        writer.append(random.oneIn(20) ? 2 : 1, buffer);
                        for (int i = 0; i < 3; i++) {
                            buffer.clear(0)
                                    .putLong(random.oneIn(9) ? random.nextLong() : 1 + 2 * i)
                                    .putInt(random.oneIn(9) ? random.nextInt() : 2)
                                    .putInt(random.oneIn(9) ? random.nextInt() : batch.length())
                                    .putBytes(batch.memory(), 0, batch.length());
                            for (int d = random.nextInt(4); d > 0; d--) {
                                int at = buffer.offset() + 16 + random.nextInt(batch.length());
                                buffer.memory().putByte(at, (byte) random.nextInt(256));
                            }
                            writer.append(random.oneIn(20) ? 3 : 2, buffer);
                        }
                        writer.seal();
                    }
                    try (WalReader log = WalReader.open(files, NUMBER, accountant)) {
                        while (log.nextBatch()) {
                            int count = 0;
                            while (log.nextEntry()) {
                                count++;
                            }
                            assertThat(count).isEqualTo(log.entryCount());
                        }
                    } catch (CorruptDataException e) {
                        assertThat(e).hasMessageContaining(NAME).hasMessageContaining("offset=");
                    }
                    assertThat(accountant.reservedBytes()).isZero();
                });
    }

    private WriteBatchBuffer batch() {
        WriteBatchBuffer batch = new WriteBatchBuffer();
        add(batch, ValueKind.PUT, "fig", "ripe");
        add(batch, ValueKind.DELETE, "pear", "");
        return batch;
    }

    private static void add(WriteBatchBuffer batch, byte kind, String key, String value) {
        batch.add(
                kind,
                key.getBytes(StandardCharsets.US_ASCII),
                value.getBytes(StandardCharsets.US_ASCII));
    }

    private byte[] write() throws IOException {
        FaultyFileSystem files = new FaultyFileSystem();
        try (WalWriter writer =
                new WalWriter(
                        files,
                        WalOptions.everyWrite(),
                        NUMBER,
                        9,
                        accountant,
                        () -> 0,
                        new AtomicLong(19))) {
            WriteBatchBuffer batch = batch();
            writer.append(batch);
            add(batch.clear(), ValueKind.PUT, "fig", "eaten");
            writer.append(batch);
        }
        byte[] bytes = new byte[(int) files.size(NAME)];
        try (var file = files.open(NAME)) {
            file.read(0, OffHeapMemory.wrap(bytes), 0, bytes.length);
        }
        return bytes;
    }
}
