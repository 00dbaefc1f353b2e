package dev.tarn.engine.internal.compaction;

/**
 * The newest runs of a tree, to be merged into one run.
 *
 * @param runCount how many of the runs that the picker saw, counted from the newest
 * @param outputLevel where the merged run goes, never 0
 * @param isFull whether all runs take part, so that nothing older than the output exists
 * @param reason why
 */
public record CompactionPick(int runCount, int outputLevel, boolean isFull, Reason reason) {
    /** Why a compaction was picked, in the order in which the picker asks. */
    public enum Reason {
        /** The optimization interval has passed since the last full compaction. */
        OPTIMIZATION_INTERVAL,
        /** The whole tree is smaller than the threshold. */
        TOTAL_SIZE,
        /** What lies above the top level is larger than the threshold. */
        INCREMENTAL_SIZE,
        /** The newer runs are too large beside the oldest. */
        SIZE_AMPLIFICATION,
        /** The newest runs are of like size. */
        SIZE_RATIO,
        /** There are too many runs. */
        RUN_COUNT,
        /** Level 0 has to be emptied, whatever it costs. */
        FORCE_UP_LEVEL_0,
        /** A full compaction was asked for. */
        MANUAL
    }
}
