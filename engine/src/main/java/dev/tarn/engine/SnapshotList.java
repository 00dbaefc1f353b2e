package dev.tarn.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.tarn.memory.ClosedException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** The live snapshots of a store; any thread may call anything. */
final class SnapshotList {
    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private final Set<Snapshot> live = Collections.newSetFromMap(new IdentityHashMap<>());

    /**
     * Takes a snapshot of what the supplier returns.
     *
     * <p>The number is read under the mutex, so that {@link #sequenceNumbers} either shows it or
     * was read before it was visible.
     */
    Snapshot take(LongSupplier visibleSequence) {
        mutex.lock();
        try {
            Snapshot snapshot = new Snapshot(this, visibleSequence.getAsLong());
            live.add(snapshot);
            return snapshot;
        } finally {
            mutex.unlock();
        }
    }

    void release(Snapshot snapshot) {
        mutex.lock();
        try {
            if (!live.remove(snapshot)) {
                throw new ClosedException(
                        "snapshot closed twice: sequenceNumber=" + snapshot.sequenceNumber());
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Returns the distinct numbers of the live snapshots, ascending. */
    long[] sequenceNumbers() {
        mutex.lock();
        try {
            return live.stream().mapToLong(Snapshot::sequenceNumber).sorted().distinct().toArray();
        } finally {
            mutex.unlock();
        }
    }

    int count() {
        mutex.lock();
        try {
            return live.size();
        } finally {
            mutex.unlock();
        }
    }
}
