package dev.tarn.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.tarn.io.FileLock;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs the fixture's methods in a launcher of their own; the check registers itself there too. */
class LeakCheckTest {
    private static final List<AutoCloseable> LEAKED = new ArrayList<>();

    private static boolean launched;

    /** Fails on purpose, so only when it is launched here. */
    static class Fixture {
        @RegisterExtension final TestFiles files = new TestFiles();

        @BeforeAll
        static void skipElsewhere() {
            assumeTrue(launched);
        }

        @Test
        void leaksRegion() {
            LEAKED.add(region());
        }

        @Test
        void closesRegion() {
            region().close();
        }

        @Test
        void leaksFile() throws IOException {
            LEAKED.add(files.fileSystem().create("leaked"));
        }

        @Test
        void closesFiles() throws IOException {
            FileLock lock = files.fileSystem().lock("LOCK", "test");
            WritableFile file = files.fileSystem().create("file");
            file.close();
            files.fileSystem().open("file").close();
            lock.close();
        }

        @Test
        void leaksLock() throws IOException {
            LEAKED.add(files.fileSystem().directory("").lock("LOCK", "test"));
        }

        private static MemoryRegion region() {
            return MemoryRegion.allocate(
                    MemoryAccountant.unlimited(), MemoryPurpose.IO_BUFFER, 64, 64);
        }
    }

    @AfterEach
    void closeLeaked() throws Exception {
        for (AutoCloseable leaked : LEAKED) {
            leaked.close();
        }
        LEAKED.clear();
    }

    @Test
    void openRegionFailsTheTest() {
        assertThat(failure("leaksRegion"))
                .hasMessageContaining("left open")
                .hasMessageContaining("MemoryRegion")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    }

    @Test
    void openFileFailsTheTest() {
        assertThat(failure("leaksFile")).hasMessageContaining("WritableFile");
    }

    @Test
    void openLockFailsTheTest() {
        assertThat(failure("leaksLock")).hasMessageContaining("FileLock");
    }

    @Test
    void whatIsClosedPasses() {
        assertThat(failure("closesRegion")).isNull();
        assertThat(failure("closesFiles")).isNull();
    }

    private static @Nullable Throwable failure(String method) {
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectMethod(Fixture.class, method))
                        .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        launched = true;
        LauncherFactory.create().execute(request, listener);
        launched = false;
        assertThat(listener.getSummary().getTestsFoundCount()).isEqualTo(1);
        return listener.getSummary().getFailures().stream()
                .map(f -> f.getException())
                .findFirst()
                .orElse(null);
    }
}
