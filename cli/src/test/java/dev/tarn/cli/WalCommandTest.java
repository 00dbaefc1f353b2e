package dev.tarn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.engine.LsmStore;
import dev.tarn.engine.StoreOptions;
import dev.tarn.io.LocalFileSystem;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WalCommandTest {
    @TempDir Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int dump() {
        return Main.run(
                new String[] {"wal", "dump", directory.toString()},
                new PrintWriter(out),
                new PrintWriter(errors));
    }

    @Test
    void dumpShowsWhatIsLogged() throws IOException {
        StoreOptions options =
                StoreOptions.builder().option("write-ahead-log.enabled", "true").build();
        try (LsmStore store = LsmStore.open(new LocalFileSystem(directory.toString()), options)) {
            store.put(bytes("apple"), bytes("red"));
            store.delete(bytes("pear"));
            assertThat(dump()).isEqualTo(ExitStatus.OK);
        }
        assertThat(out.toString().lines())
                .containsExactly(
                        "wal-000001.log start appendedBatches=0 durableBatches=0",
                        "wal-000001.log position=80 sequence=1 batch=1 kind=PUT key=apple"
                                + " value=red",
                        "wal-000001.log position=139 sequence=2 batch=2 kind=DELETE key=pear"
                                + " value=",
                        "wal-000001.log end open");
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void storeThatWasClosedHasNothingToDump() throws IOException {
        StoreOptions options =
                StoreOptions.builder().option("write-ahead-log.enabled", "true").build();
        LsmStore.open(new LocalFileSystem(directory.toString()), options).close();
        assertThat(dump()).isEqualTo(ExitStatus.OK);
        assertThat(out.toString()).isEmpty();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
