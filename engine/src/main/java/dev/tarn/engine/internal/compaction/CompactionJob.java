package dev.tarn.engine.internal.compaction;

import dev.tarn.engine.MergeOperator;
import dev.tarn.engine.internal.flush.TableBuilder;
import dev.tarn.engine.internal.iterator.EntryFold;
import dev.tarn.engine.internal.iterator.EntryIterator;
import dev.tarn.engine.internal.iterator.MergingIterator;
import dev.tarn.engine.internal.iterator.RunEntries;
import dev.tarn.engine.internal.version.SortedRun;
import dev.tarn.engine.internal.version.TableMetadata;
import dev.tarn.engine.internal.version.VersionEdit;
import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Merges the newest runs of a version into one run of a level.
 *
 * <p>The tables are cut into sections that share no key. A section of one table needs no merging:
 * the table moves to its level as it is, unless it has tombstones that could be dropped there.
 *
 * <p>Threads: runs on one thread; its inputs never change.
 *
 * <p>Errors: after a failure no new table is left behind, and the inputs are as they were.
 */
public final class CompactionJob {
    /** Opens the entries of an input table, reading past the cache. */
    @FunctionalInterface
    public interface TableScanner {
        EntryIterator scan(TableMetadata table) throws IOException;
    }

    private final List<SortedRun> inputs;
    private final CompactionPick pick;
    private final MemoryAccountant accountant;
    private final long[] snapshotSequences;
    private final @Nullable MergeOperator mergeOperator;
    private final TableScanner scanner;
    private final Supplier<TableBuilder> builders;
    private final Predicate<EntryIterator> isSpentTombstone;

    /**
     * Creates a job.
     *
     * @param inputs the picked runs, newest first
     * @param builders make the builders for tables of the output level
     */
    public CompactionJob(
            List<SortedRun> inputs,
            CompactionPick pick,
            MemoryAccountant accountant,
            long[] snapshotSequences,
            @Nullable MergeOperator mergeOperator,
            TableScanner scanner,
            Supplier<TableBuilder> builders) {
        this(
                inputs,
                pick,
                accountant,
                snapshotSequences,
                mergeOperator,
                scanner,
                builders,
                tombstone -> true);
    }

    /**
     * Creates a job whose tombstones may have to outlive what they hide.
     *
     * @param isSpentTombstone whether a tombstone that hides nothing any more may be dropped
     */
    public CompactionJob(
            List<SortedRun> inputs,
            CompactionPick pick,
            MemoryAccountant accountant,
            long[] snapshotSequences,
            @Nullable MergeOperator mergeOperator,
            TableScanner scanner,
            Supplier<TableBuilder> builders,
            Predicate<EntryIterator> isSpentTombstone) {
        this.isSpentTombstone = isSpentTombstone;
        this.inputs = inputs;
        this.pick = pick;
        this.accountant = accountant;
        this.snapshotSequences = snapshotSequences.clone();
        this.mergeOperator = mergeOperator;
        this.scanner = scanner;
        this.builders = builders;
    }

    /**
     * Runs the compaction; the tables it wrote are durable when it returns.
     *
     * @return the changes that put the output in place of the inputs
     */
    public VersionEdit.Builder run() throws IOException {
        VersionEdit.Builder edit = VersionEdit.builder();
        try (TableBuilder builder = builders.get()) {
            for (List<TableMetadata> section : sections()) {
                TableMetadata first = section.get(0);
                if (section.size() == 1 && moves(first)) {
                    // A table that is being written must not reach over one that stays.
                    builder.cut();
                    if (first.level() != pick.outputLevel()) {
                        edit.move(first.id(), pick.outputLevel());
                    }
                } else {
                    merge(section, builder);
                    section.forEach(table -> edit.remove(table.id()));
                }
            }
            builder.finish().forEach(edit::add);
        }
        return edit;
    }

    /** Tombstones end at the oldest data; on the way there a table may keep them. */
    private boolean moves(TableMetadata table) {
        TableMetadata.EntryCounts counts = table.entryCounts();
        return !pick.isFull()
                || counts.deletes() + counts.merges() == 0
                || table.level() == pick.outputLevel();
    }

    /** Cuts the input tables, in key order, where no table goes on. */
    private List<List<TableMetadata>> sections() {
        List<TableMetadata> tables = new ArrayList<>();
        inputs.forEach(run -> tables.addAll(run.tables()));
        tables.sort(Comparator.comparing(TableMetadata::smallestKey, Arrays::compareUnsigned));
        List<List<TableMetadata>> sections = new ArrayList<>();
        byte[] largestKey = new byte[0];
        for (TableMetadata table : tables) {
            boolean isNew =
                    sections.isEmpty()
                            || Arrays.compareUnsigned(table.smallestKey(), largestKey) > 0;
            if (isNew) {
                sections.add(new ArrayList<>());
            }
            sections.get(sections.size() - 1).add(table);
            if (isNew || Arrays.compareUnsigned(table.largestKey(), largestKey) > 0) {
                largestKey = table.largestKey();
            }
        }
        return sections;
    }

    private void merge(List<TableMetadata> section, TableBuilder builder) throws IOException {
        Set<Long> ids = section.stream().map(TableMetadata::id).collect(Collectors.toSet());
        List<EntryIterator> sources = new ArrayList<>();
        for (SortedRun run : inputs) {
            List<TableMetadata> ofRun =
                    run.tables().stream().filter(table -> ids.contains(table.id())).toList();
            if (!ofRun.isEmpty()) {
                SortedRun part = SortedRun.of(ofRun);
                sources.add(new RunEntries(part, index -> scanner.scan(part.table(index))));
            }
        }
        try (MergingIterator merging = new MergingIterator(sources);
                EntryFold fold =
                        new EntryFold(
                                accountant,
                                snapshotSequences,
                                pick.isFull(),
                                mergeOperator,
                                isSpentTombstone)) {
            merging.seekToFirst();
            fold.run(merging, builder);
        }
    }
}
