package dev.tarn.memtable;

import java.util.Arrays;

/**
 * Walks the entries of one key, from the newest visible one to the oldest and back.
 *
 * <p>Reusable: {@link Memtable#versions} positions it again. Grows with the longest walk and
 * allocates nothing after that.
 *
 * <p>Lifetime: what it points at is valid while the memtable is open or retained.
 *
 * <p>Threads: belongs to one thread.
 */
public final class VersionCursor {
    private static final int UNITS_LENGTH_MIN = 16;

    private final EntryView entry = new EntryView();
    private final EntryView candidate = new EntryView();

    /** The versions passed so far, the current one last. */
    private int[] units = new int[UNITS_LENGTH_MIN];

    private int depth;
    private EntryLog log;

    /** Creates a cursor that points at nothing. */
    @SuppressWarnings("NullAway.Init") // log is set by start(), before which isValid() is false
    public VersionCursor() {}

    void start(EntryLog log, int newest) {
        this.log = log;
        depth = 0;
        entry.clear();
        if (newest != 0) {
            push(newest);
        }
    }

    /** Returns whether this points at an entry. */
    public boolean isValid() {
        return depth > 0;
    }

    /** The current entry; the same object each time. */
    public EntryView entry() {
        return entry;
    }

    /** The unit of the current entry. */
    int unit() {
        return units[depth - 1];
    }

    /**
     * Goes to the next older version of the key.
     *
     * @return whether there is one; otherwise this stays where it is
     */
    public boolean older() {
        int unit = units[depth - 1];
        while (true) {
            unit = EntryChain.older(log, unit);
            if (unit == 0) {
                return false;
            }
            candidate.wrap(log.memory(unit), log.offset(unit));
            if (sameKey()) {
                push(unit);
                return true;
            }
        }
    }

    /**
     * Goes back to the next newer version.
     *
     * @return whether there is one, up to the one where the walk began; otherwise this stays
     */
    public boolean newer() {
        if (depth <= 1) {
            return false;
        }
        depth--;
        entry.wrap(log.memory(units[depth - 1]), log.offset(units[depth - 1]));
        return true;
    }

    /** Goes to the oldest version, from where {@link #newer()} leads through all of them. */
    public void toOldest() {
        boolean moved = isValid();
        while (moved) {
            moved = older();
        }
    }

    private boolean sameKey() {
        int length = entry.keyLength();
        return candidate.keyLength() == length
                && dev.tarn.memory.OffHeapMemory.equal(
                        entry.memory(),
                        entry.keyOffset(),
                        candidate.memory(),
                        candidate.keyOffset(),
                        length);
    }

    private void push(int unit) {
        if (depth == units.length) {
            units = Arrays.copyOf(units, 2 * depth);
        }
        units[depth++] = unit;
        entry.wrap(log.memory(unit), log.offset(unit));
    }
}
