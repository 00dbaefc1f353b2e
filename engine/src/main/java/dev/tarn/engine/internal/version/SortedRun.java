package dev.tarn.engine.internal.version;

import dev.tarn.memory.OffHeapMemory;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Tables of one level whose key ranges do not meet, in key order.
 *
 * <p>Threads: immutable.
 *
 * <p>Invariants: (1) there is at least one table; (2) each table's largest key is smaller than the
 * next one's smallest; (3) all are at {@link #level()}.
 */
public final class SortedRun {
    private static final Comparator<TableMetadata> BY_SMALLEST_KEY =
            Comparator.comparing(TableMetadata::smallestKey, Arrays::compareUnsigned);

    private final int level;
    private final TableMetadata[] tables;
    private final long sizeBytes;
    private final long largestSequence;

    private SortedRun(int level, TableMetadata[] tables) {
        this.level = level;
        this.tables = tables;
        this.sizeBytes = Arrays.stream(tables).mapToLong(TableMetadata::sizeBytes).sum();
        this.largestSequence =
                Arrays.stream(tables).mapToLong(TableMetadata::largestSequence).max().orElse(0);
    }

    /**
     * Makes a run of tables in any order.
     *
     * @throws IllegalArgumentException if there are none, or two of them share a key or differ in
     *     level
     */
    public static SortedRun of(List<TableMetadata> tables) {
        if (tables.isEmpty()) {
            throw new IllegalArgumentException("run has no table");
        }
        TableMetadata[] sorted = tables.toArray(new TableMetadata[0]);
        Arrays.sort(sorted, BY_SMALLEST_KEY);
        for (int i = 0; i < sorted.length; i++) {
            if (sorted[i].level() != sorted[0].level()) {
                throw new IllegalArgumentException(
                        "run has tables of two levels: " + sorted[0] + " " + sorted[i]);
            }
            if (i > 0 && sorted[i - 1].overlaps(sorted[i])) {
                throw new IllegalArgumentException(
                        "tables of a run overlap: " + sorted[i - 1] + " " + sorted[i]);
            }
        }
        return new SortedRun(sorted[0].level(), sorted);
    }

    public int level() {
        return level;
    }

    public int tableCount() {
        return tables.length;
    }

    /** The table at an index in key order. */
    public TableMetadata table(int index) {
        return tables[index];
    }

    /** All tables, in key order. */
    public List<TableMetadata> tables() {
        return List.of(tables);
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    /** The newest sequence number in any table. */
    public long largestSequence() {
        return largestSequence;
    }

    /**
     * Returns the index of the first table whose largest key is not smaller than a user key: the
     * only one that may hold it, and where a scan from it starts; {@link #tableCount()} if there is
     * none. Allocates nothing.
     */
    public int ceiling(OffHeapMemory memory, int offset, int length) {
        int low = 0;
        int high = tables.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (tables[middle].compareToLargest(memory, offset, length) > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public String toString() {
        return "run[level=" + level + " tables=" + Arrays.toString(tables) + "]";
    }
}
