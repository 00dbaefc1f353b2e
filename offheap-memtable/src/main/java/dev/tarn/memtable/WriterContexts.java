package dev.tarn.memtable;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;

/**
 * The writer contexts of a memtable: one in single mode; in multi mode as many as threads ever
 * wrote at once.
 *
 * <p>In multi mode a claimed context also says that its holder may be looking at index segments
 * that were in use when it claimed it: {@link #oldestClaim()}.
 *
 * <p>Threads: any.
 */
final class WriterContexts {
    private static final int SPINS_MAX = 1000;
    private static final long PARK_NANOS = 20_000;

    private static final AtomicReferenceFieldUpdater<WriterContexts, WriterContext[]> CONTEXTS =
            AtomicReferenceFieldUpdater.newUpdater(
                    WriterContexts.class, WriterContext[].class, "contexts");

    /** Never changed in place, only replaced by a longer copy. */
    private volatile WriterContext[] contexts = {new WriterContext()};

    /** Goes on whenever a segment was replaced. */
    private final AtomicLong epoch = new AtomicLong(1);

    /** The context of the only writer. */
    WriterContext first() {
        return contexts[0];
    }

    /** Takes a context that no other thread holds, for multi mode; never waits. */
    WriterContext claim() {
        long now = epoch.get();
        WriterContext[] current = contexts;
        int start = (int) Thread.currentThread().getId() % current.length;
        for (int i = start; i < current.length; i++) {
            if (current[i].tryClaim(now)) {
                return current[i];
            }
        }
        for (int i = 0; i < start; i++) {
            if (current[i].tryClaim(now)) {
                return current[i];
            }
        }
        return add(now);
    }

    private WriterContext add(long now) {
        WriterContext added = new WriterContext();
        if (!added.tryClaim(now)) {
            throw new AssertionError("new context is claimed");
        }
        while (true) {
            WriterContext[] current = contexts;
            WriterContext[] more = Arrays.copyOf(current, current.length + 1);
            more[current.length] = added;
            if (CONTEXTS.compareAndSet(this, current, more)) {
                return added;
            }
        }
    }

    /** Ends an epoch and returns it: later claims cannot see what was replaced before. */
    long endEpoch() {
        return epoch.getAndIncrement();
    }

    /** Returns the epoch of the oldest claim, or {@link Long#MAX_VALUE} if there is none. */
    long oldestClaim() {
        long oldest = Long.MAX_VALUE;
        for (WriterContext context : contexts) {
            long claimed = context.claimedEpoch();
            if (claimed != 0) {
                oldest = Math.min(oldest, claimed);
            }
        }
        return oldest;
    }

    /** Waits until every thread that holds a context now has given it back. */
    void awaitClaims() {
        for (WriterContext context : contexts) {
            int spins = 0;
            while (context.claimedEpoch() != 0) {
                if (spins++ < SPINS_MAX) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.parkNanos(this, PARK_NANOS);
                }
            }
        }
    }

    long entryCount() {
        long sum = 0;
        for (WriterContext context : contexts) {
            sum += context.entryCount();
        }
        return sum;
    }

    long entryBytes() {
        long sum = 0;
        for (WriterContext context : contexts) {
            sum += context.entryBytes();
        }
        return sum;
    }

    long slotCount() {
        long sum = 0;
        for (WriterContext context : contexts) {
            sum += context.slotCount();
        }
        return sum;
    }
}
