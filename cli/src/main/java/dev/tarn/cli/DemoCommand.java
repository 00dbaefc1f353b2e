package dev.tarn.cli;

import dev.tarn.engine.LsmStore;
import dev.tarn.engine.ReadSession;
import dev.tarn.engine.StoreOptions;
import dev.tarn.engine.StoreResources;
import dev.tarn.engine.StoreStatistics;
import dev.tarn.io.LocalFileSystem;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryBackend;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows on generated orders what the store does, and verifies all of it. */
@Command(
        name = "demo",
        description = {
            "Write generated orders to a store, change and cancel some, open the store again, look"
                    + " every order up and compare, with the rates.",
            "",
            "The exit status is 1 if a row is not what was written."
        })
final class DemoCommand extends TarnCommand {
    /** So that no product of two row numbers overflows. */
    static final long ROW_COUNT_MAX = 1_000_000_000;

    private static final long MEMORY_BUDGET_BYTES = 256L << 20;
    private static final long MEMTABLE_BUDGET_BYTES = 96L << 20;
    private static final long CACHE_BYTES = 64L << 20;

    /** Small, so that a million rows fill several memtables and compactions have work. */
    private static final String WRITE_BUFFER_SIZE = "16 mb";

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "Directory for the files, which stay there (default: a temporary one, which is"
                            + " deleted).")
    private @Nullable Path directory;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "How many orders to write (default: ${DEFAULT-VALUE}).")
    private long rowCount;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rowCount < DemoRows.PERIOD || rowCount > ROW_COUNT_MAX) {
            throw usageError(
                    "--rows must be in ["
                            + DemoRows.PERIOD
                            + ", "
                            + ROW_COUNT_MAX
                            + "]: "
                            + rowCount);
        }
        if (directory != null) {
            checkEmpty(Files.createDirectories(directory));
            return run(directory);
        }
        Path temporary = Files.createTempDirectory("tarn-demo-");
        try {
            return run(temporary);
        } finally {
            deleteTree(temporary);
        }
    }

    private int run(Path target) throws IOException, InterruptedException {
        FactSheet facts = new FactSheet();
        facts.add("directory", target.toAbsolutePath().toString());
        facts.add(
                "memory-backend", MemoryBackend.active().backend().name().toLowerCase(Locale.ROOT));
        MemoryAccountant accountant;
        long wrong;
        try (StoreResources resources = newResources();
                DemoRows rows = new DemoRows(resources.accountant(), rowCount)) {
            accountant = resources.accountant();
            LocalFileSystem files = new LocalFileSystem(target.toString());
            try (LsmStore store = LsmStore.open(resources, files, storeOptions())) {
                write(store, rows, facts);
            }
            try (LsmStore store = LsmStore.open(resources, files, storeOptions())) {
                wrong = verify(store, rows, facts);
                StoreStatistics statistics = store.statistics();
                facts.add("runs", statistics.runCount());
                facts.add("tables", statistics.tableCount());
                facts.add("tables-size-bytes", statistics.tableBytes());
                facts.add("memory-used-bytes", accountant.reservedBytes());
            }
        }
        facts.add("memory-left-bytes", accountant.reservedBytes());
        facts.printText(out());
        return wrong == 0 && accountant.reservedBytes() == 0 ? ExitStatus.OK : ExitStatus.NO;
    }

    static StoreResources newResources() {
        return StoreResources.builder()
                .memoryBudgetBytes(MEMORY_BUDGET_BYTES)
                .memtableBudgetBytes(MEMTABLE_BUDGET_BYTES)
                .blockCacheBytes(CACHE_BYTES)
                .build();
    }

    static StoreOptions storeOptions() {
        return StoreOptions.builder().option("write-buffer-size", WRITE_BUFFER_SIZE).build();
    }

    private void write(LsmStore store, DemoRows rows, FactSheet facts) throws InterruptedException {
        progress("writing " + rowCount + " orders, then changing and cancelling some ...");
        long start = System.nanoTime();
        long writes = 0;
        for (long arrival = 0; arrival < rowCount; arrival++) {
            put(store, rows, rows.arriving(arrival), 0);
            writes++;
        }
        for (long order = 0; order < rowCount; order++) {
            if (DemoRows.isUpdated(order)) {
                put(store, rows, order, 1);
                writes++;
            }
            if (DemoRows.isCancelled(order)) {
                store.delete(rows.key(order));
                writes++;
            }
        }
        store.flush();
        long nanos = System.nanoTime() - start;
        facts.add("writes", writes);
        facts.add("writes-per-second", perSecond(writes, nanos));
    }

    static void put(LsmStore store, DemoRows rows, long order, int changes) {
        store.put(rows.key(order), rows.row(order, changes));
    }

    /**
     * Looks up every order and as many keys that never were; returns how many answers are wrong.
     */
    private long verify(LsmStore store, DemoRows rows, FactSheet facts) throws IOException {
        progress("opened again; looking up all orders and as many keys that do not exist ...");
        long start = System.nanoTime();
        long wrong = 0;
        BytesView value = new BytesView();
        try (ReadSession session = store.openReadSession()) {
            for (long arrival = 0; arrival < rowCount; arrival++) {
                long order = rows.arriving(arrival);
                if (!isAsWritten(session, rows, order)) {
                    wrong++;
                }
                if (session.get(rows.key(order + rowCount), value)) {
                    wrong++;
                }
            }
        }
        long nanos = System.nanoTime() - start;
        facts.add("lookups", 2 * rowCount);
        facts.add("lookups-per-second", perSecond(2 * rowCount, nanos));
        facts.add("wrong-answers", wrong);
        return wrong;
    }

    static boolean isAsWritten(ReadSession session, DemoRows rows, long order) throws IOException {
        BytesView found = new BytesView();
        boolean isPresent = session.get(rows.key(order), found);
        if (DemoRows.isCancelled(order)) {
            return !isPresent;
        }
        return isPresent && found.contentEquals(rows.row(order, DemoRows.isUpdated(order) ? 1 : 0));
    }

    private static void checkEmpty(Path target) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(target)) {
            if (files.iterator().hasNext()) {
                throw new FileSystemException(target + ": the directory is not empty");
            }
        }
    }

    private static void deleteTree(Path directory) throws IOException {
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(directory)) {
            paths = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.delete(path);
        }
    }

    private static long perSecond(long count, long nanos) {
        return (long) (count * (double) TimeUnit.SECONDS.toNanos(1) / Math.max(nanos, 1));
    }
}
