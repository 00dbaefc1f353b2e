package dev.tarn.engine.internal.compaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.tarn.engine.WritesStoppedException;
import dev.tarn.memory.ClosedException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The brake on the writers of one tree: none up to the compaction trigger, then a delay that grows
 * smoothly with the runs and the bytes on their way to become one, a full stop at the stop trigger.
 *
 * <p>What counts are the runs and the sealed memtables together, since each of those becomes a run.
 * Between trigger and stop trigger the rate of all writers falls geometrically from its maximum to
 * its minimum.
 *
 * <p>Threads: writers call {@link #beforeWrite}; flushes and compactions call {@link #update},
 * {@link #noteProgress}, {@link #fail} and {@link #clearFailure}; any number of each.
 *
 * <p>Invariants: (1) a writer that does not have to wait reads one field, takes no lock and
 * allocates nothing; (2) no writer sleeps longer than {@link #QUANTUM_NANOS} without looking at the
 * state again; (3) a stopped writer is released by fewer runs, a failure, closing, an interrupt or
 * the timeout, whichever comes first: it never hangs.
 *
 * <p>Publication: all state changes under the mutex; {@code state} is volatile and is written last.
 */
public final class WriteStallController implements AutoCloseable {
    /** The longest sleep of a delayed writer: short, so that a delay ends when its cause does. */
    public static final long QUANTUM_NANOS = 1_000_000;

    /** Shorter delays are saved up, since a thread cannot sleep so briefly. */
    private static final long SLEEP_NANOS_MIN = 200_000;

    private static final double NANOS_PER_SECOND = 1e9;

    /** What {@link #beforeWrite} does. */
    public enum State {
        FREE,
        DELAYED,
        STOPPED,
        /** Writers get the failure. */
        FAILED,
        CLOSED
    }

    private final WriteStallOptions options;
    private final TimeSource time;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition released = mutex.newCondition();

    private final AtomicLong debtNanos = new AtomicLong();
    private final AtomicLong bytesSinceUpdate = new AtomicLong();
    private final LongAdder delayedNanos = new LongAdder();
    private final LongAdder stoppedNanos = new LongAdder();
    private final LongAdder stopCount = new LongAdder();

    @GuardedBy("mutex")
    private @Nullable Throwable failure;

    @GuardedBy("mutex")
    private boolean closed;

    @GuardedBy("mutex")
    private long progressNanos;

    private volatile int pendingRunCount;

    /** Counts updates: a delay that was computed before the last one is void. */
    private final AtomicLong generation = new AtomicLong();

    private volatile State state = State.FREE;

    public WriteStallController(WriteStallOptions options, TimeSource time) {
        this.options = options;
        this.time = time;
        this.progressNanos = time.nanoTime();
    }

    /**
     * Holds the calling writer back as the state asks for.
     *
     * @param bytes about to be written
     * @throws WritesStoppedException if the background has failed, has made no progress within the
     *     timeout, or the thread is interrupted while stopped; the write must not take place
     * @throws ClosedException if this was closed
     */
    public void beforeWrite(long bytes) {
        if (state != State.FREE) {
            holdBack(bytes);
        }
    }

    /** Tells how many runs and sealed memtables there are, after each event that changes them. */
    public void update(int runCount, int sealedMemtableCount) {
        mutex.lock();
        try {
            pendingRunCount = runCount + sealedMemtableCount;
            bytesSinceUpdate.set(0);
            // A delay that was saved up under the old state must not outlive it.
            debtNanos.set(0);
            progressNanos = time.nanoTime();
            changeState();
        } finally {
            mutex.unlock();
        }
    }

    /** Tells that the background works, so that the timeout starts again. */
    public void noteProgress() {
        mutex.lock();
        try {
            progressNanos = time.nanoTime();
        } finally {
            mutex.unlock();
        }
    }

    /** Makes every writer get an error with this cause, until {@link #clearFailure}. */
    public void fail(Throwable cause) {
        mutex.lock();
        try {
            if (failure == null) {
                failure = cause;
            }
            changeState();
        } finally {
            mutex.unlock();
        }
    }

    /** Lets writers in again, as far as the runs do. */
    public void clearFailure() {
        mutex.lock();
        try {
            failure = null;
            progressNanos = time.nanoTime();
            changeState();
        } finally {
            mutex.unlock();
        }
    }

    public State state() {
        return state;
    }

    /** The delay of the next byte, in nanoseconds; 0 unless delayed. */
    public double delayNanosPerByte() {
        return state == State.DELAYED ? NANOS_PER_SECOND / delayedBytesPerSecond() : 0;
    }

    /** The time that writers have slept because of the delay, added up. */
    public long delayedNanos() {
        return delayedNanos.sum();
    }

    /** The time that writers have been stopped, added up. */
    public long stoppedNanos() {
        return stoppedNanos.sum();
    }

    /** How often a writer was stopped. */
    public long stopCount() {
        return stopCount.sum();
    }

    /** Releases all writers with {@link ClosedException}; may be called again. */
    @Override
    public void close() {
        mutex.lock();
        try {
            closed = true;
            changeState();
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private void changeState() {
        State next;
        if (closed) {
            next = State.CLOSED;
        } else if (failure != null) {
            next = State.FAILED;
        } else if (pendingRunCount >= options.stopTrigger()) {
            next = State.STOPPED;
        } else if (pendingRunCount >= options.compactionTrigger()) {
            next = State.DELAYED;
        } else {
            next = State.FREE;
        }
        generation.incrementAndGet();
        state = next;
        released.signalAll();
    }

    private void holdBack(long bytes) {
        switch (state) {
            case FREE -> {}
            case DELAYED -> delay(bytes);
            case STOPPED, FAILED, CLOSED -> {
                awaitRelease();
                if (state == State.DELAYED) {
                    delay(bytes);
                }
            }
        }
    }

    private double delayedBytesPerSecond() {
        double range = options.stopTrigger() - options.compactionTrigger();
        double fill = Math.min(1, (double) bytesSinceUpdate.get() / options.memtableSizeBytes());
        double position = (pendingRunCount - options.compactionTrigger() + fill) / range;
        double fall =
                (double) options.delayedBytesPerSecondMin() / options.delayedBytesPerSecondMax();
        return options.delayedBytesPerSecondMax()
                * Math.pow(fall, Math.max(0, Math.min(1, position)));
    }

    private void delay(long bytes) {
        long start = generation.get();
        double nanos = bytes * NANOS_PER_SECOND / delayedBytesPerSecond();
        bytesSinceUpdate.addAndGet(bytes);
        if (debtNanos.addAndGet((long) nanos) < SLEEP_NANOS_MIN) {
            return;
        }
        long owedNanos = Math.max(0, debtNanos.getAndSet(0));
        long startNanos = time.nanoTime();
        long sleptNanos = 0;
        while (sleptNanos < owedNanos
                && generation.get() == start
                && !Thread.currentThread().isInterrupted()) {
            time.park(Math.min(QUANTUM_NANOS, owedNanos - sleptNanos));
            sleptNanos = time.nanoTime() - startNanos;
        }
        delayedNanos.add(sleptNanos);
        if (generation.get() == start) {
            // Overslept: the next delays are so much shorter.
            debtNanos.addAndGet(Math.max(-QUANTUM_NANOS, owedNanos - sleptNanos));
        }
    }

    /** Returns when the state is neither stopped nor worse. */
    private void awaitRelease() {
        mutex.lock();
        try {
            if (state == State.STOPPED) {
                stopCount.increment();
                awaitWhileStopped();
            }
            if (closed) {
                throw new ClosedException("store is closed");
            }
            if (failure != null) {
                throw new WritesStoppedException(
                        "writes are stopped by a failure in the background: cause=" + failure,
                        failure);
            }
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private void awaitWhileStopped() {
        long startNanos = time.nanoTime();
        try {
            while (state == State.STOPPED) {
                long leftNanos = options.timeoutNanos() - (time.nanoTime() - progressNanos);
                if (leftNanos <= 0) {
                    throw new WritesStoppedException(
                            "writes are stopped and the background makes no progress: runCount="
                                    + pendingRunCount
                                    + " stopTrigger="
                                    + options.stopTrigger()
                                    + " timeoutNanos="
                                    + options.timeoutNanos(),
                            null);
                }
                time.await(released, leftNanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WritesStoppedException(
                    "interrupted while writes are stopped: runCount="
                            + pendingRunCount
                            + " stopTrigger="
                            + options.stopTrigger(),
                    e);
        } finally {
            stoppedNanos.add(time.nanoTime() - startNanos);
        }
    }
}
