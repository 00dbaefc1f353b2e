package dev.tarn.engine.internal.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells when something that was replaced is read by nobody any more, without a lock or a shared
 * write on the side of the readers.
 *
 * <p>Threads: each reading thread pins through its own {@link Pin}; any thread may retire. See
 * docs/concurrency/reclamation.md.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>What is retired was unreachable for new readers before.
 *   <li>A pin that shows an epoch below the one of a retired thing may still read it; one that
 *       shows the same or a later epoch, or {@link #IDLE}, cannot.
 * </ol>
 *
 * <p>Publication: {@link Pin#enter} is a volatile store, so the loads of the reader that follow it
 * are not done before the store is visible; {@link #retire} raises the epoch after the caller has
 * published the replacement.
 */
public final class ReadEpochs {
    private static final long IDLE = Long.MAX_VALUE;

    private final AtomicLong epoch = new AtomicLong(1);
    private final ThreadLocal<Pin> pinOfThread = ThreadLocal.withInitial(this::register);

    @GuardedBy("this")
    private final List<Pin> pins = new ArrayList<>();

    @GuardedBy("this")
    private final ArrayDeque<Retired> retired = new ArrayDeque<>();

    private record Retired(long epoch, Runnable release) {}

    /** Keeps the epoch word of one thread on cache lines of its own. */
    @SuppressWarnings("UnusedVariable") // The padding is there to be unused.
    private abstract static class PaddingBefore {
        private long before0;
        private long before1;
        private long before2;
        private long before3;
        private long before4;
        private long before5;
        private long before6;
    }

    private abstract static class PinnedEpoch extends PaddingBefore {
        volatile long pinnedEpoch = IDLE;
    }

    /** The pin of one thread: entered and left any number of times, also nested. */
    @SuppressWarnings("UnusedVariable") // The padding is there to be unused.
    public static final class Pin extends PinnedEpoch {
        private static final VarHandle PINNED_EPOCH;

        static {
            try {
                PINNED_EPOCH =
                        MethodHandles.lookup()
                                .findVarHandle(PinnedEpoch.class, "pinnedEpoch", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private long after0;
        private long after1;
        private long after2;
        private long after3;
        private long after4;
        private long after5;
        private long after6;

        private final AtomicLong epoch;
        private final WeakReference<Thread> owner;
        private int depth;

        private Pin(AtomicLong epoch, Thread owner) {
            this.epoch = epoch;
            this.owner = new WeakReference<>(owner);
        }

        /** Pins: what is reachable from now on stays until {@link #leave}. */
        public void enter() {
            if (depth++ == 0) {
                // Volatile: the loads that follow must not pass this store, or the retiring thread
                // could miss a reader that has already loaded what it is about to free.
                pinnedEpoch = epoch.get();
            }
        }

        /** Unpins. */
        public void leave() {
            assert depth > 0 : "left more often than entered";
            if (--depth == 0) {
                // Release: the reads made under the pin stay before it.
                PINNED_EPOCH.setRelease(this, IDLE);
            }
        }
    }

    /** Returns the calling thread's pin. */
    public Pin pin() {
        return pinOfThread.get();
    }

    private synchronized Pin register() {
        pins.removeIf(
                pin -> {
                    Thread owner = pin.owner.get();
                    return owner == null || !owner.isAlive();
                });
        Pin pin = new Pin(epoch, Thread.currentThread());
        pins.add(pin);
        return pin;
    }

    /**
     * Runs {@code release} as soon as no pin can read what it frees: now, or in a later call of
     * this or of {@link #releaseUnread}.
     *
     * <p>The caller has made the thing unreachable for new readers before.
     */
    public void retire(Runnable release) {
        synchronized (this) {
            retired.add(new Retired(epoch.incrementAndGet(), release));
        }
        releaseUnread();
    }

    /** Releases what is no longer read; returns how many things still wait. */
    public int releaseUnread() {
        List<Runnable> releases = new ArrayList<>();
        int waiting;
        synchronized (this) {
            long oldestPinned = IDLE;
            for (Pin pin : pins) {
                oldestPinned = Math.min(oldestPinned, pin.pinnedEpoch);
            }
            while (!retired.isEmpty() && retired.peekFirst().epoch <= oldestPinned) {
                releases.add(retired.removeFirst().release);
            }
            waiting = retired.size();
        }
        releases.forEach(Runnable::run);
        return waiting;
    }
}
