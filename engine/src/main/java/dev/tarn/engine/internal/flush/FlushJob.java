package dev.tarn.engine.internal.flush;

import dev.tarn.engine.MergeOperator;
import dev.tarn.engine.internal.iterator.EntryFold;
import dev.tarn.engine.internal.iterator.MemtableEntries;
import dev.tarn.engine.internal.version.TableMetadata;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memtable.Memtable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a sealed memtable to a table of level 0.
 *
 * <p>Threads: runs on one thread; the memtable is sealed, so nobody changes it.
 *
 * <p>Errors: after a failure no table is left behind and the memtable is as it was.
 */
public final class FlushJob {
    private FlushJob() {}

    /**
     * Runs the flush.
     *
     * @param snapshotSequences of the live snapshots, taken after every entry of the memtable had
     *     become visible
     * @param builder of one table; closed by the caller
     * @return the table; none if nothing of the memtable is still needed
     */
    public static List<TableMetadata> run(
            Memtable memtable,
            MemoryAccountant accountant,
            long[] snapshotSequences,
            @Nullable MergeOperator mergeOperator,
            TableBuilder builder)
            throws IOException {
        try (MemtableEntries entries = new MemtableEntries(memtable);
                EntryFold fold =
                        new EntryFold(accountant, snapshotSequences, false, mergeOperator)) {
            entries.seekToFirst();
            fold.run(entries, builder);
            return builder.finish();
        }
    }
}
