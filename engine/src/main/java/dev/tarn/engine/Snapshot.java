package dev.tarn.engine;

/**
 * A state of the store that stays readable: what was visible when it was taken.
 *
 * <p>Owner: the caller, who closes it once; until then compaction keeps the versions it sees.
 *
 * <p>Threads: any thread may read with it; one closes it, after the reads.
 */
public final class Snapshot implements AutoCloseable {
    private final SnapshotList list;
    private final long sequenceNumber;

    Snapshot(SnapshotList list, long sequenceNumber) {
        this.list = list;
        this.sequenceNumber = sequenceNumber;
    }

    /** The newest sequence number it sees. */
    public long sequenceNumber() {
        return sequenceNumber;
    }

    @Override
    public void close() {
        list.release(this);
    }
}
