package dev.tarn.engine;

import dev.tarn.engine.internal.version.SortedRun;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.SstReader;
import org.jspecify.annotations.Nullable;

/**
 * A sorted run with its open tables.
 *
 * <p>Immutable; any thread may search it.
 */
final class TableRun {
    private final SortedRun run;
    private final TableFile[] tables;

    /**
     * Pairs a run with its tables.
     *
     * @param tables in the order of the run
     */
    TableRun(SortedRun run, TableFile[] tables) {
        this.run = run;
        this.tables = tables;
    }

    SortedRun run() {
        return run;
    }

    TableFile table(int index) {
        return tables[index];
    }

    int tableCount() {
        return tables.length;
    }

    /** Returns the table whose range covers the key, or null; allocates nothing. */
    @Nullable SstReader find(OffHeapMemory key, int offset, int length) {
        int index = run.ceiling(key, offset, length);
        return index < tables.length && run.table(index).compareToSmallest(key, offset, length) >= 0
                ? tables[index].reader()
                : null;
    }
}
