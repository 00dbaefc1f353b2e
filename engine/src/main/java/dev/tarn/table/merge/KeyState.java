package dev.tarn.table.merge;

import dev.tarn.memory.BytesView;

/**
 * What a table knows of a key at one moment: nothing, a row, or a delete that remembers.
 *
 * <p>Owner: only points at the stored bytes. Lifetime: as whoever filled it says. Threads: belongs
 * to one thread.
 */
public final class KeyState {
    /** The kinds of a state. */
    public enum Presence {
        /** There is no row and nothing to remember. */
        ABSENT,
        /** There is a row. */
        PRESENT,
        /** There is no row, but its delete has something to remember, such as its sequence. */
        DELETED
    }

    private Presence presence = Presence.ABSENT;
    private final BytesView stored = new BytesView();

    public Presence presence() {
        return presence;
    }

    public boolean isPresent() {
        return presence == Presence.PRESENT;
    }

    /** The value as the tree stores it; see {@link StoredState}. Meaningless if absent. */
    public BytesView stored() {
        return stored;
    }

    public KeyState setAbsent() {
        presence = Presence.ABSENT;
        return this;
    }

    /** Points at a stored value. */
    public KeyState set(Presence newPresence, BytesView bytes) {
        presence = newPresence;
        stored.wrap(bytes.memory(), bytes.offset(), bytes.length());
        return this;
    }
}
