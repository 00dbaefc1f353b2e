package dev.tarn.engine;

import dev.tarn.engine.internal.compaction.WriteStallController;
import dev.tarn.engine.internal.version.TableMetadata;
import dev.tarn.memtable.Memtable;

/**
 * The shape of a store at one moment.
 *
 * @param memtableBytes off-heap memory of all memtables
 * @param sealedMemtableCount memtables that wait to be flushed
 * @param runCount sorted runs, what the compaction triggers count
 * @param tableCount tables of all runs
 * @param tableBytes size of all tables
 * @param entryCount entries of all tables, every version and tombstone counted
 * @param snapshotCount live snapshots
 * @param delayedNanos time that writers were slowed down, added up since the open
 * @param stoppedNanos time that writers were stopped, added up since the open
 */
public record StoreStatistics(
        long memtableBytes,
        int sealedMemtableCount,
        int runCount,
        int tableCount,
        long tableBytes,
        long entryCount,
        int snapshotCount,
        long delayedNanos,
        long stoppedNanos) {
    static StoreStatistics of(StoreView view, WriteStallController stall, int snapshotCount) {
        long memtableBytes = view.active().approximateBytes();
        for (Memtable sealed : view.sealed()) {
            memtableBytes += sealed.approximateBytes();
        }
        return new StoreStatistics(
                memtableBytes,
                view.sealed().length,
                view.runs().length,
                view.version().tables().size(),
                view.version().sizeBytes(),
                view.version().tables().stream()
                        .map(TableMetadata::entryCounts)
                        .mapToLong(TableMetadata.EntryCounts::total)
                        .sum(),
                snapshotCount,
                stall.delayedNanos(),
                stall.stoppedNanos());
    }
}
