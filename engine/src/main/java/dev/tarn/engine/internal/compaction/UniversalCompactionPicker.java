package dev.tarn.engine.internal.compaction;

import dev.tarn.engine.internal.compaction.CompactionPick.Reason;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The choice of runs to merge: universal compaction, decision for decision as Apache Paimon 1.3
 * takes it.
 *
 * <p>It asks in this order: is an early full compaction due (interval, total size, incremental
 * size); are the newer runs too large beside the oldest; are the newest of like size; are there too
 * many runs; must level 0 be emptied. The runs are those of a tree, newest first: each flushed
 * table, then the levels that are not empty.
 *
 * <p>The incremental threshold is not in Paimon 1.3.1; it is off by default, as {@link
 * UniversalCompactionOptions#absorbLevel1()} is, and with both off every decision is 1.3.1's.
 *
 * <p>Threads: belongs to one tree; called by one thread at a time.
 *
 * <p>Invariants: (1) a pick is a prefix of the runs; (2) its output level is at least 1, lies above
 * every picked level or equals the largest of them, and below the level of the next run, so that
 * levels stay ordered by age.
 */
public final class UniversalCompactionPicker {
    private static final long NEVER = Long.MIN_VALUE;

    private final UniversalCompactionOptions options;
    private final LongSupplier clockMillis;
    private final IntSupplier hourOfDay;

    private long lastFullMillis = NEVER;
    private int refusalCount;

    /**
     * Creates a picker that has seen no full compaction yet.
     *
     * @param clockMillis the wall clock; only differences count
     * @param hourOfDay the local hour, 0 to 23
     */
    public UniversalCompactionPicker(
            UniversalCompactionOptions options, LongSupplier clockMillis, IntSupplier hourOfDay) {
        this.options = options;
        this.clockMillis = clockMillis;
        this.hourOfDay = hourOfDay;
    }

    public UniversalCompactionOptions options() {
        return options;
    }

    /**
     * Tells when the last full compaction was, as the creation time of the newest table of the top
     * level does after a restart. Without it, an optimization interval is over at once.
     */
    public void restoreLastFullCompaction(long millis) {
        lastFullMillis = millis;
    }

    /**
     * Picks what to compact now.
     *
     * <p>A pick counts as done: a full one restarts the optimization interval.
     *
     * @param runs newest first; empty levels left out
     * @return null if nothing has to be done
     */
    public @Nullable CompactionPick pick(List<RunSize> runs) {
        CompactionPick pick = pickUniversal(runs);
        if (pick == null && options.forceUpLevel0()) {
            pick = pickForced(runs);
        }
        // An early full compaction of no runs is decided, but there is nothing to do.
        return pick == null || pick.runCount() == 0 ? null : pick;
    }

    /**
     * Picks everything, on request.
     *
     * @param rewrite also when there is nothing to merge
     * @return null if all data is in one run at the top level already, or there is none
     */
    public @Nullable CompactionPick pickFull(List<RunSize> runs, boolean rewrite) {
        if (runs.isEmpty()) {
            return null;
        }
        if (runs.size() == 1 && runs.get(0).level() == options.maxLevel() && !rewrite) {
            return null;
        }
        return full(runs, Reason.MANUAL);
    }

    private @Nullable CompactionPick pickUniversal(List<RunSize> runs) {
        CompactionPick pick = pickEarlyFull(runs);
        if (pick == null && runs.size() >= options.compactionTrigger()) {
            pick = pickForSizeAmplification(runs);
            if (pick == null) {
                pick = pickForSizeRatio(runs, 1, false, Reason.SIZE_RATIO);
            }
        }
        if (pick == null && runs.size() > options.compactionTrigger()) {
            int candidateCount = runs.size() - options.compactionTrigger() + 1;
            pick = pickForSizeRatio(runs, candidateCount, false, Reason.RUN_COUNT);
        }
        return pick;
    }

    private @Nullable CompactionPick pickEarlyFull(List<RunSize> runs) {
        if (runs.size() == 1) {
            return null;
        }
        if (options.optimizationIntervalMillis() != UniversalCompactionOptions.OFF
                && (lastFullMillis == NEVER
                        || clockMillis.getAsLong() - lastFullMillis
                                > options.optimizationIntervalMillis())) {
            noteFullCompaction();
            return full(runs, Reason.OPTIMIZATION_INTERVAL);
        }
        // Neither of these restarts the interval; that is Paimon's behaviour too.
        if (options.totalSizeThresholdBytes() != UniversalCompactionOptions.OFF
                && sizeBytes(runs, runs.size()) < options.totalSizeThresholdBytes()) {
            return full(runs, Reason.TOTAL_SIZE);
        }
        if (options.incrementalSizeThresholdBytes() != UniversalCompactionOptions.OFF
                && sizeBytesOutsideTopLevel(runs) > options.incrementalSizeThresholdBytes()) {
            return full(runs, Reason.INCREMENTAL_SIZE);
        }
        return null;
    }

    private @Nullable CompactionPick pickForSizeAmplification(List<RunSize> runs) {
        int last = runs.size() - 1;
        long newerBytes = sizeBytes(runs, last);
        if (newerBytes * 100 > options.maxSizeAmplificationPercent() * runs.get(last).sizeBytes()) {
            noteFullCompaction();
            return full(runs, Reason.SIZE_AMPLIFICATION);
        }
        return null;
    }

    /**
     * Extends a prefix of the runs while the next one is not larger than what it has, within the
     * ratio.
     *
     * @param candidateCount the runs taken in any case
     * @param force whether a prefix of one run is a pick
     */
    private @Nullable CompactionPick pickForSizeRatio(
            List<RunSize> runs, int candidateCount, boolean force, Reason reason) {
        double factorPercent = 100.0 + options.sizeRatio(hourOfDay.getAsInt());
        long candidateBytes = sizeBytes(runs, candidateCount);
        boolean triggered = force || candidateCount > 1;
        int count = candidateCount;
        while (count < runs.size()) {
            RunSize next = runs.get(count);
            // In double and in this order: rounding is part of the decision.
            boolean fits = candidateBytes * factorPercent / 100.0 >= next.sizeBytes();
            if (!fits && !(options.absorbLevel1() && triggered && next.level() <= 1)) {
                break;
            }
            candidateBytes += next.sizeBytes();
            triggered = true;
            count++;
        }
        return triggered ? prefix(runs, count, reason) : null;
    }

    private @Nullable CompactionPick pickForced(List<RunSize> runs) {
        if (options.forceUpMaxInterval() != UniversalCompactionOptions.OFF) {
            if (++refusalCount != options.forceUpMaxInterval()) {
                return null;
            }
            refusalCount = 0;
        }
        int level0Count = 0;
        while (level0Count < runs.size() && runs.get(level0Count).level() == 0) {
            level0Count++;
        }
        return level0Count == 0
                ? null
                : pickForSizeRatio(runs, level0Count, true, Reason.FORCE_UP_LEVEL_0);
    }

    private CompactionPick prefix(List<RunSize> runs, int candidateCount, Reason reason) {
        int count = candidateCount;
        int outputLevel = 0;
        if (count < runs.size()) {
            outputLevel = Math.max(0, runs.get(count).level() - 1);
        }
        // An output at level 0 would look newer than the flushed runs it is older than: take more
        // of them, up to the first level, which is then the output's.
        while (outputLevel == 0 && count < runs.size()) {
            outputLevel = runs.get(count).level();
            count++;
        }
        if (count == runs.size()) {
            noteFullCompaction();
            return full(runs, reason);
        }
        return new CompactionPick(count, outputLevel, false, reason);
    }

    private CompactionPick full(List<RunSize> runs, Reason reason) {
        return new CompactionPick(runs.size(), options.maxLevel(), true, reason);
    }

    private void noteFullCompaction() {
        lastFullMillis = clockMillis.getAsLong();
    }

    private long sizeBytesOutsideTopLevel(List<RunSize> runs) {
        long bytes = 0;
        for (RunSize run : runs) {
            if (run.level() != options.maxLevel()) {
                bytes += run.sizeBytes();
            }
        }
        return bytes;
    }

    private static long sizeBytes(List<RunSize> runs, int count) {
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            bytes += runs.get(i).sizeBytes();
        }
        return bytes;
    }
}
