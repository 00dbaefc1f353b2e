package dev.tarn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.engine.LsmStore;
import dev.tarn.engine.ReadSession;
import dev.tarn.engine.StoreResources;
import dev.tarn.io.LocalFileSystem;
import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoCommandTest {
    @TempDir Path directory;

    private final MemoryAccountant accountant = MemoryAccountant.unlimited();

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
        long plain = 0;
        long updated = 3;
        long cancelled = 7;
        long absent = 1;
        try (StoreResources resources = DemoCommand.newResources();
                LsmStore store =
                        LsmStore.open(
                                resources,
                                new LocalFileSystem(directory.toString()),
                                DemoCommand.storeOptions());
                DemoRows rows = new DemoRows(accountant, DemoRows.PERIOD)) {
            DemoCommand.put(store, rows, plain, 0);
            DemoCommand.put(store, rows, updated, 0);
            DemoCommand.put(store, rows, cancelled, 0);
            try (ReadSession session = store.openReadSession()) {
                assertThat(DemoCommand.isAsWritten(session, rows, plain)).isTrue();
                assertThat(DemoCommand.isAsWritten(session, rows, updated)).isFalse();
                assertThat(DemoCommand.isAsWritten(session, rows, cancelled)).isFalse();
                assertThat(DemoCommand.isAsWritten(session, rows, absent)).isFalse();
            }

            DemoCommand.put(store, rows, plain, 2);
            DemoCommand.put(store, rows, updated, 1);
            store.delete(rows.key(cancelled));
            try (ReadSession session = store.openReadSession()) {
                assertThat(DemoCommand.isAsWritten(session, rows, plain)).isFalse();
                assertThat(DemoCommand.isAsWritten(session, rows, updated)).isTrue();
                assertThat(DemoCommand.isAsWritten(session, rows, cancelled)).isTrue();
            }
        }
    }
}
