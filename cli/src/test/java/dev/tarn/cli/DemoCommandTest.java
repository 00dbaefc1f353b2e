package dev.tarn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.io.LocalFileSystem;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.sst.SstProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoCommandTest {
    private static final long CACHE_BYTES = 1 << 20;

    @TempDir Path directory;

    private final MemoryAccountant accountant =
            new MemoryAccountant(64 << 20, Map.of(MemoryPurpose.MEMTABLE, 1L << 20));

    @ParameterizedTest
    @ValueSource(ints = {60, 61, 1000, 4096, 9973})
    void everyOrderArrivesOnce(int rowCount) {
        try (DemoRows rows = new DemoRows(accountant, rowCount)) {
            BitSet arrived = new BitSet();
            for (int arrival = 0; arrival < rowCount; arrival++) {
                arrived.set(Math.toIntExact(rows.arriving(arrival)));
            }
            assertThat(arrived.cardinality()).isEqualTo(rowCount);
            assertThat(arrived.length()).isEqualTo(rowCount);
        }
    }

    @Test
    void verificationNoticesWhatIsWrong() throws IOException {
        try (DemoStore store = newStore();
                DemoRows rows = new DemoRows(accountant, DemoRows.PERIOD)) {
            long plain = 0;
            long updated = 3;
            long cancelled = 7;
            long absent = 1;
            DemoCommand.put(store, rows, plain, 0);
            DemoCommand.put(store, rows, updated, 0);
            DemoCommand.put(store, rows, cancelled, 0);
            store.flush();

            assertThat(DemoCommand.isAsWritten(store, rows, plain)).isTrue();
            assertThat(DemoCommand.isAsWritten(store, rows, updated)).isFalse();
            assertThat(DemoCommand.isAsWritten(store, rows, cancelled)).isFalse();
            assertThat(DemoCommand.isAsWritten(store, rows, absent)).isFalse();

            DemoCommand.put(store, rows, updated, 1);
            DemoCommand.put(store, rows, plain, 2);
            store.flush();
            assertThat(DemoCommand.isAsWritten(store, rows, updated)).isTrue();
            assertThat(DemoCommand.isAsWritten(store, rows, plain)).isFalse();
        }
        assertThat(accountant.reservedBytes()).isZero();
    }

    @Test
    void fullMemtableIsFlushedAndNothingIsLost() throws IOException {
        long rowCount = 20_000;
        try (DemoStore store = newStore();
                DemoRows rows = new DemoRows(accountant, rowCount)) {
            for (long arrival = 0; arrival < rowCount; arrival++) {
                DemoCommand.put(store, rows, rows.arriving(arrival), 0);
            }
            store.flush();

            assertThat(store.properties()).hasSizeGreaterThan(1);
            assertThat(store.properties().stream().mapToLong(SstProperties::entryCount).sum())
                    .isEqualTo(rowCount);
        }
        assertThat(accountant.reservedBytes()).isZero();
    }

    private DemoStore newStore() {
        return new DemoStore(new LocalFileSystem(directory.toString()), accountant, CACHE_BYTES);
    }
}
