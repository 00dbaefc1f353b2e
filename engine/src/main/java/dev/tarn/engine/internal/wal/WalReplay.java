package dev.tarn.engine.internal.wal;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;

/**
 * Replays the logs that a start finds: exactly the acknowledged batches that are durable, in order,
 * without a gap.
 *
 * <p>With syncs at an interval or off, a power cut may lose the end of a log and keep the one after
 * it. What comes behind such a gap is left out, log by log, so that what is replayed is a prefix of
 * what was written. If the start of a later log says that the missing part was durable, it is
 * damage, and an error.
 *
 * <p>Threads: stateless. Errors: as {@link WalReader} says.
 */
public final class WalReplay {
    /** Takes a batch: reads its entries from the reader it stands on. */
    @FunctionalInterface
    public interface BatchVisitor {
        /** Takes a batch; must not move to another. */
        void visit(WalReader batch) throws IOException;
    }

    /**
     * What was replayed.
     *
     * @param lastSequence the largest sequence number, or 0 if there was none
     * @param appendedBatches how many batches there have ever been, for the next {@link WalWriter}
     * @param nextLogNumber larger than that of any log there
     * @param batchCount how many batches were shown
     * @param tornLogCount in how many logs bytes of a torn tail were left out
     * @param skippedLogCount how many logs were left out behind a gap
     */
    public record Result(
            long lastSequence,
            long appendedBatches,
            long nextLogNumber,
            long batchCount,
            int tornLogCount,
            int skippedLogCount) {}

    private WalReplay() {}

    /**
     * Shows all batches from a log on, and makes durable what was shown: a process that was killed
     * leaves a log that can be read, and that a later power cut could still take back.
     *
     * @param fileSystem whose root is the directory of the logs
     * @param fromLogNumber the oldest log that is still needed: the number of a log that there was,
     *     or that of the first there ever is
     */
    public static Result replay(
            FileSystem fileSystem,
            long fromLogNumber,
            MemoryAccountant accountant,
            BatchVisitor visitor)
            throws IOException {
        Replay replay = new Replay(fileSystem, fromLogNumber, accountant, visitor);
        long nextLogNumber = Math.max(1, fromLogNumber);
        for (long number : WalFiles.list(fileSystem)) {
            nextLogNumber = Math.max(nextLogNumber, number + 1);
            if (number >= fromLogNumber) {
                replay.log(number);
            }
        }
        return new Result(
                replay.lastSequence,
                replay.appendedBatches,
                nextLogNumber,
                replay.batchCount,
                replay.tornLogCount,
                replay.skippedLogCount);
    }

    /** The state between two logs. */
    private static final class Replay {
        private final FileSystem fileSystem;
        private final long fromLogNumber;
        private final MemoryAccountant accountant;
        private final BatchVisitor visitor;

        /** Whether a start has told what the logs before the first had. */
        private boolean isAnchored;

        private long lastSequence;
        private long appendedBatches;
        private long batchCount;
        private int tornLogCount;
        private int skippedLogCount;

        Replay(
                FileSystem fileSystem,
                long fromLogNumber,
                MemoryAccountant accountant,
                BatchVisitor visitor) {
            this.fileSystem = fileSystem;
            this.fromLogNumber = fromLogNumber;
            this.accountant = accountant;
            this.visitor = visitor;
        }

        void log(long number) throws IOException {
            try (WalReader log = WalReader.open(fileSystem, number, accountant)) {
                if (isBehindGap(log, number)) {
                    skippedLogCount++;
                    return;
                }
                if (log.hasStart()) {
                    isAnchored = true;
                    // There may be more: batches that failed, and are in the log all the same.
                    appendedBatches = log.appendedBefore();
                }
                // Before the first batch is shown: what comes of it may become durable at once.
                WalFiles.makeDurable(fileSystem, number);
                batches(log);
                tornLogCount += log.isTorn() ? 1 : 0;
            }
        }

        private boolean isBehindGap(WalReader log, long number) {
            if (isAnchored) {
                if (log.appendedBefore() > appendedBatches) {
                    checkGap(log);
                    return true;
                }
                return false;
            }
            // A power cut has taken the first log, or its start: if it took acknowledged batches as
            // well, they were not durable.
            return number > fromLogNumber && log.appendedBefore() > log.durableBefore();
        }

        private void batches(WalReader log) throws IOException {
            while (log.nextBatch()) {
                visitor.visit(log);
                lastSequence = Math.max(lastSequence, log.lastSequence());
                appendedBatches++;
                batchCount++;
            }
        }

        private void checkGap(WalReader log) {
            if (log.durableBefore() > appendedBatches) {
                throw new CorruptDataException(
                        "durable batches are missing before a log: file="
                                + log.describe()
                                + " offset=0 durableBatches="
                                + log.durableBefore()
                                + " foundBatches="
                                + appendedBatches);
            }
        }
    }
}
