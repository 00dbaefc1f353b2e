package dev.tarn.engine;

import static dev.tarn.engine.LsmStoreWalCrashTest.abandon;
import static dev.tarn.engine.LsmStoreWalCrashTest.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.FaultyFileSystem.Crash;
import dev.tarn.testing.RandomSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WalDumpTest {
    private static final StoreOptions OPTIONS =
            StoreOptions.builder()
                    .option("write-ahead-log.enabled", "true")
                    .mergeOperator(LsmStoreModelTest.APPEND)
                    .build();

    private final MemoryAccountant accountant = MemoryAccountant.unlimited();

    @Test
    void showsALinePerEntryAndHowEachLogEnds() throws Exception {
        FaultyFileSystem files = new FaultyFileSystem();
        LsmStore store = LsmStore.open(files, OPTIONS);
        store.put(bytes("a"), bytes("flushed"));
        store.flush();
        store.write(new WriteBatch().put(bytes("b"), new byte[] {0}).delete(bytes("a")));
        store.merge(bytes("c"), bytes("x"));
        FaultyFileSystem survivors = files.crash(Crash.PROCESS_KILLED, new RandomSource(1));
        abandon(store);
        assertThat(lines(survivors))
                .containsExactly(
                        "wal-000002.log start appendedBatches=1 durableBatches=1",
                        "wal-000002.log position=80 sequence=2 batch=2 kind=PUT key=b value=\\x00",
                        "wal-000002.log position=80 sequence=3 batch=2 kind=DELETE key=a value=",
                        "wal-000002.log position=137 sequence=4 batch=4 kind=MERGE key=c value=x",
                        "wal-000002.log end open");
        survivors.resize("wal-000002.log", survivors.size("wal-000002.log") - 1);
        assertThat(lines(survivors)).hasSize(4).last().isEqualTo("wal-000002.log end torn");
        assertThat(accountant.reservedBytes()).isZero();
    }

    private List<String> lines(FaultyFileSystem files) throws Exception {
        List<String> lines = new ArrayList<>();
        WalDump.print(files, accountant, lines::add);
        return lines;
    }
}
