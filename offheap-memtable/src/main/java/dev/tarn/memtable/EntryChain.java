package dev.tarn.memtable;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.memory.OffHeapMemory;

/**
 * The entries that share a slot, newest first by sequence number whatever the order they came in.
 *
 * <p>Entries are only ever added, so a link that was read stays part of the chain.
 */
final class EntryChain {
    private EntryChain() {}

    /** Returns the unit of the next older entry, or 0. */
    static int older(EntryLog log, int unit) {
        // Acquire: pairs with the compare-and-set in insertBehind; publishes the older entry.
        return log.memory(unit).getIntAcquire(log.offset(unit) + EntryLayout.OLDER_OFFSET);
    }

    static long sequenceNumber(EntryLog log, int unit) {
        return SequenceNumbers.sequenceNumber(log.memory(unit).getLong(log.offset(unit)));
    }

    /**
     * Links an entry into the chain behind {@code newest}, which has a larger sequence number.
     *
     * <p>Threads: any writer; the compare-and-set settles races.
     */
    static void insertBehind(
            EntryLog log,
            int newest,
            OffHeapMemory memory,
            int offset,
            int unit,
            long sequenceNumber) {
        int newer = newest;
        while (true) {
            int older = older(log, newer);
            if (older != 0 && sequenceNumber(log, older) > sequenceNumber) {
                newer = older;
                continue;
            }
            memory.putInt(offset + EntryLayout.OLDER_OFFSET, older);
            // Publishes the entry: pairs with the acquire in older().
            if (log.memory(newer)
                    .compareAndSetInt(log.offset(newer) + EntryLayout.OLDER_OFFSET, older, unit)) {
                return;
            }
        }
    }
}
