package dev.tarn.engine;

import dev.tarn.engine.internal.version.Version;
import dev.tarn.memtable.Memtable;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a read looks at: the active memtable, the sealed ones, the tables of a version.
 *
 * <p>Immutable but for its reference count; replaced as a whole by {@link StoreState}. A view keeps
 * its memtables retained and its tables open.
 *
 * <p>Threads: any thread that pinned its epoch before it loaded the view, or holds a reference. See
 * docs/concurrency/reclamation.md.
 */
final class StoreView {
    private final Memtable active;
    private final Memtable[] sealed;
    private final Version version;
    private final TableRun[] runs;

    /** One for being current, one for each iterator that holds it; 0 once nobody may. */
    private final AtomicInteger references = new AtomicInteger(1);

    StoreView(Memtable active, Memtable[] sealed, Version version, TableRun[] runs) {
        this.active = active;
        this.sealed = sealed;
        this.version = version;
        this.runs = runs;
    }

    Memtable active() {
        return active;
    }

    /** The sealed memtables that are not flushed yet, newest first; not to be changed. */
    Memtable[] sealed() {
        return sealed;
    }

    Version version() {
        return version;
    }

    /** The runs, newest first; not to be changed. */
    TableRun[] runs() {
        return runs;
    }

    /** Keeps the view beyond the pin; false if it is too late for that. */
    boolean tryRetain() {
        int count = references.get();
        while (count > 0) {
            if (references.compareAndSet(count, count + 1)) {
                return true;
            }
            count = references.get();
        }
        return false;
    }

    /** Gives a reference back; returns whether it was the last. */
    boolean release() {
        int count = references.decrementAndGet();
        assert count >= 0 : "view released more often than retained";
        return count == 0;
    }
}
