package dev.tarn.cli;

import dev.tarn.codec.ValueKind;
import dev.tarn.io.LocalFileSystem;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryBackend;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.SstProperties;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows on generated orders what the memtable and the SST files do, and verifies all of it. */
@Command(
        name = "demo",
        description = {
            "Write generated orders to a memtable, flush it to SST files as it fills, look every"
                    + " order up again and compare, with the rates.",
            "",
            "The exit status is 1 if a row is not what was written."
        })
final class DemoCommand extends TarnCommand {
    /** So that no product of two row numbers overflows. */
    static final long ROW_COUNT_MAX = 1_000_000_000;

    private static final long MEMTABLE_BYTES = 32L << 20;
    private static final long CACHE_BYTES = 32L << 20;
    private static final long BUDGET_BYTES = 256L << 20;

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
    public Integer call() throws IOException {
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
            return run(Files.createDirectories(directory));
        }
        Path temporary = Files.createTempDirectory("tarn-demo-");
        try {
            return run(temporary);
        } finally {
            deleteWithFiles(temporary);
        }
    }

    private int run(Path target) throws IOException {
        MemoryAccountant accountant =
                new MemoryAccountant(BUDGET_BYTES, Map.of(MemoryPurpose.MEMTABLE, MEMTABLE_BYTES));
        FactSheet facts = new FactSheet();
        facts.add("directory", target.toAbsolutePath().toString());
        facts.add(
                "memory-backend", MemoryBackend.active().backend().name().toLowerCase(Locale.ROOT));
        long wrong;
        try (DemoStore store =
                        new DemoStore(
                                new LocalFileSystem(target.toString()), accountant, CACHE_BYTES);
                DemoRows rows = new DemoRows(accountant, rowCount)) {
            write(store, rows, facts);
            wrong = verify(store, rows, facts);
            facts.add("memory-used-bytes", accountant.reservedBytes());
        }
        facts.add("memory-left-bytes", accountant.reservedBytes());
        facts.printText(out());
        return wrong == 0 && accountant.reservedBytes() == 0 ? ExitStatus.OK : ExitStatus.NO;
    }

    private void write(DemoStore store, DemoRows rows, FactSheet facts) throws IOException {
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
                cancel(store, rows, order);
                writes++;
            }
        }
        store.flush();
        long nanos = System.nanoTime() - start;
        facts.add("writes", writes);
        facts.add("writes-per-second", perSecond(writes, nanos));
        facts.add("files", store.properties().size());
        facts.add(
                "file-entries",
                store.properties().stream().mapToLong(SstProperties::entryCount).sum());
        facts.add("files-size-bytes", store.sizeBytes());
    }

    static void put(DemoStore store, DemoRows rows, long order, int changes) throws IOException {
        rows.makeKey(order);
        rows.makeRow(order, changes);
        store.put(
                rows.memory(),
                rows.keyOffset(),
                DemoRows.KEY_LENGTH,
                rows.rowOffset(),
                rows.rowLength(),
                ValueKind.PUT);
    }

    private static void cancel(DemoStore store, DemoRows rows, long order) throws IOException {
        rows.makeKey(order);
        store.put(
                rows.memory(),
                rows.keyOffset(),
                DemoRows.KEY_LENGTH,
                rows.rowOffset(),
                0,
                ValueKind.DELETE);
    }

    /**
     * Looks up every order and as many keys that never were; returns how many answers are wrong.
     */
    private long verify(DemoStore store, DemoRows rows, FactSheet facts) throws IOException {
        progress("looking up all orders and as many keys that do not exist ...");
        long start = System.nanoTime();
        long wrong = 0;
        for (long arrival = 0; arrival < rowCount; arrival++) {
            long order = rows.arriving(arrival);
            if (!isAsWritten(store, rows, order)) {
                wrong++;
            }
            rows.makeKey(order + rowCount);
            if (store.get(rows.memory(), rows.keyOffset(), DemoRows.KEY_LENGTH) != null) {
                wrong++;
            }
        }
        long nanos = System.nanoTime() - start;
        facts.add("lookups", 2 * rowCount);
        facts.add("lookups-per-second", perSecond(2 * rowCount, nanos));
        facts.add("lookup-filter-negatives", store.filterNegatives());
        facts.add("lookup-block-reads", store.blockReads());
        facts.add("wrong-answers", wrong);
        return wrong;
    }

    static boolean isAsWritten(DemoStore store, DemoRows rows, long order) throws IOException {
        rows.makeKey(order);
        BytesView found = store.get(rows.memory(), rows.keyOffset(), DemoRows.KEY_LENGTH);
        if (DemoRows.isCancelled(order)) {
            return found == null;
        }
        rows.makeRow(order, DemoRows.isUpdated(order) ? 1 : 0);
        return found != null
                && found.length() == rows.rowLength()
                && OffHeapMemory.equal(
                        found.memory(),
                        found.offset(),
                        rows.memory(),
                        rows.rowOffset(),
                        rows.rowLength());
    }

    private static void deleteWithFiles(Path temporary) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(temporary)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(temporary);
    }

    private static long perSecond(long count, long nanos) {
        return (long) (count * (double) TimeUnit.SECONDS.toNanos(1) / Math.max(nanos, 1));
    }
}
