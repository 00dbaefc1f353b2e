package dev.tarn.engine.internal.version;

import dev.tarn.engine.internal.compaction.RunSize;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sorted runs of a tree at one moment.
 *
 * <p>Threads: immutable.
 *
 * <p>Invariants: (1) each table at level 0 is a run of its own, and each level above is one run;
 * (2) runs are ordered from the newest: level 0 by sequence number descending, then the levels; (3)
 * table ids are below {@link #nextTableId()}.
 */
public final class Version {
    /** The version of an empty tree. */
    public static final Version EMPTY = new Version(List.of(), 1, 0, 0);

    /**
     * Newest first; the id decides between tables of equal sequence numbers, as ingestion makes.
     */
    private static final Comparator<TableMetadata> NEWEST_FIRST =
            Comparator.comparingLong(TableMetadata::largestSequence)
                    .thenComparingLong(TableMetadata::smallestSequence)
                    .thenComparingLong(TableMetadata::id)
                    .reversed();

    private final List<SortedRun> runs;
    private final long nextTableId;
    private final long lastSequence;
    private final long logNumber;

    private Version(List<SortedRun> runs, long nextTableId, long lastSequence, long logNumber) {
        this.runs = runs;
        this.nextTableId = nextTableId;
        this.lastSequence = lastSequence;
        this.logNumber = logNumber;
    }

    /** All runs, newest first; those of level 0 before the levels above. */
    public List<SortedRun> runs() {
        return runs;
    }

    /** What the picker has to know, in the order of {@link #runs()}. */
    public List<RunSize> runSizes() {
        return runs.stream().map(run -> new RunSize(run.level(), run.sizeBytes())).toList();
    }

    /** All tables, in the order of their runs. */
    public List<TableMetadata> tables() {
        return runs.stream().flatMap(run -> run.tables().stream()).toList();
    }

    public long sizeBytes() {
        return runs.stream().mapToLong(SortedRun::sizeBytes).sum();
    }

    /** An id that no table has had. */
    public long nextTableId() {
        return nextTableId;
    }

    /** The newest sequence number in any table. */
    public long lastSequence() {
        return lastSequence;
    }

    /** The oldest write-ahead log that is still needed. */
    public long logNumber() {
        return logNumber;
    }

    /**
     * Returns the version that an edit makes of this one.
     *
     * @throws IllegalArgumentException if the edit names a table that is not there, adds one that
     *     is, or makes tables of a level overlap
     */
    public Version apply(VersionEdit edit) {
        Map<Long, TableMetadata> tables = new LinkedHashMap<>();
        for (TableMetadata table : tables()) {
            tables.put(table.id(), table);
        }
        for (long id : edit.removed()) {
            existing(tables.remove(id), id);
        }
        for (VersionEdit.Move move : edit.moved()) {
            TableMetadata table = existing(tables.get(move.tableId()), move.tableId());
            tables.put(table.id(), table.atLevel(move.level()));
        }
        for (VersionEdit.AddedGarbage more : edit.garbage()) {
            TableMetadata table = existing(tables.get(more.tableId()), more.tableId());
            tables.put(table.id(), table.withMoreGarbage(more.garbage()));
        }
        long nextId = edit.nextTableId().orElse(nextTableId);
        for (TableMetadata table : edit.added()) {
            if (tables.put(table.id(), table) != null) {
                throw new IllegalArgumentException("edit adds a table twice: " + table);
            }
            nextId = Math.max(nextId, table.id() + 1);
        }
        return new Version(
                runsOf(tables.values()),
                nextId,
                edit.lastSequence().orElse(lastSequence),
                edit.logNumber().orElse(logNumber));
    }

    /** Returns the edit that makes this version of {@link #EMPTY}. */
    public VersionEdit toEdit() {
        VersionEdit.Builder edit =
                VersionEdit.builder()
                        .nextTableId(nextTableId)
                        .lastSequence(lastSequence)
                        .logNumber(logNumber);
        tables().forEach(edit::add);
        return edit.build();
    }

    private static TableMetadata existing(
            @org.jspecify.annotations.Nullable TableMetadata table, long id) {
        if (table == null) {
            throw new IllegalArgumentException("edit names a table that is not there: id=" + id);
        }
        return table;
    }

    private static List<SortedRun> runsOf(Iterable<TableMetadata> tables) {
        List<TableMetadata> level0 = new ArrayList<>();
        Map<Integer, List<TableMetadata>> levels = new TreeMap<>();
        for (TableMetadata table : tables) {
            if (table.level() == 0) {
                level0.add(table);
            } else {
                levels.computeIfAbsent(table.level(), level -> new ArrayList<>()).add(table);
            }
        }
        level0.sort(NEWEST_FIRST);
        List<SortedRun> runs = new ArrayList<>();
        for (TableMetadata table : level0) {
            runs.add(SortedRun.of(List.of(table)));
        }
        for (List<TableMetadata> level : levels.values()) {
            runs.add(SortedRun.of(level));
        }
        return List.copyOf(runs);
    }

    @Override
    public String toString() {
        return "version[runs="
                + runs
                + " nextTableId="
                + nextTableId
                + " lastSequence="
                + lastSequence
                + " logNumber="
                + logNumber
                + "]";
    }
}
