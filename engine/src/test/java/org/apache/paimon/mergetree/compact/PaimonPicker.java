package org.apache.paimon.mergetree.compact;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.compact.CompactUnit;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.mergetree.LevelSortedRun;
import org.apache.paimon.mergetree.SortedRun;

/**
 * Paimon's own picker, as the reference of differential tests; in Paimon's package to be able to
 * set its clock.
 */
public final class PaimonPicker {
    /** A run of one file. */
    public record Run(int level, long sizeBytes) {}

    /** The decision: how many files, from the newest, go to which level. */
    public record Decision(int runCount, int outputLevel) {}

    private final CompactStrategy strategy;
    private final int numLevels;
    private long nowMillis;

    public PaimonPicker(
            int maxSizeAmplificationPercent,
            int sizeRatio,
            int compactionTrigger,
            int numLevels,
            Long optimizationIntervalMillis,
            Long totalSizeThresholdBytes,
            OffPeakHours offPeakHours,
            boolean forceUpLevel0,
            Integer forceUpMaxInterval) {
        this.numLevels = numLevels;
        FullCompactTrigger early =
                optimizationIntervalMillis == null && totalSizeThresholdBytes == null
                        ? null
                        : new FullCompactTrigger(
                                optimizationIntervalMillis, totalSizeThresholdBytes) {
                            @Override
                            long currentTimeMillis() {
                                return nowMillis;
                            }
                        };
        UniversalCompaction universal =
                new UniversalCompaction(
                        maxSizeAmplificationPercent,
                        sizeRatio,
                        compactionTrigger,
                        early,
                        offPeakHours);
        strategy =
                forceUpLevel0
                        ? new ForceUpLevel0Compaction(universal, forceUpMaxInterval)
                        : universal;
    }

    public void setNowMillis(long nowMillis) {
        this.nowMillis = nowMillis;
    }

    /** Asks the strategy, and drops what Paimon's manager of compactions drops. */
    public Optional<Decision> pick(List<Run> runs) {
        List<LevelSortedRun> paimonRuns = convert(runs);
        return decision(strategy.pick(numLevels, paimonRuns), paimonRuns)
                .filter(d -> d.runCount > 1 || runs.get(0).level != d.outputLevel);
    }

    public Optional<Decision> pickFull(List<Run> runs, boolean rewrite) {
        List<LevelSortedRun> paimonRuns = convert(runs);
        return decision(
                CompactStrategy.pickFullCompaction(numLevels, paimonRuns, null, null, rewrite),
                paimonRuns);
    }

    private static Optional<Decision> decision(
            Optional<CompactUnit> unit, List<LevelSortedRun> runs) {
        if (unit.isEmpty() || unit.get().files().isEmpty()) {
            return Optional.empty();
        }
        List<DataFileMeta> files = unit.get().files();
        for (int i = 0; i < files.size(); i++) {
            if (files.get(i) != runs.get(i).run().files().get(0)) {
                throw new AssertionError("Paimon picked other than the newest runs: " + i);
            }
        }
        return Optional.of(new Decision(files.size(), unit.get().outputLevel()));
    }

    private static List<LevelSortedRun> convert(List<Run> runs) {
        List<LevelSortedRun> converted = new ArrayList<>();
        for (Run run : runs) {
            converted.add(new LevelSortedRun(run.level, SortedRun.fromSingle(file(run))));
        }
        return converted;
    }

    private static DataFileMeta file(Run run) {
        return (DataFileMeta)
                Proxy.newProxyInstance(
                        DataFileMeta.class.getClassLoader(),
                        new Class<?>[] {DataFileMeta.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "fileSize" -> run.sizeBytes;
                                    case "level" -> run.level;
                                    default ->
                                            throw new UnsupportedOperationException(
                                                    method.getName());
                                });
    }
}
