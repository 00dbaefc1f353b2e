package dev.tarn.engine.internal.compaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket that background I/O takes its bytes from before it moves them.
 *
 * <p>The bucket holds a tenth of a second's bytes. A request is granted as soon as anything is in
 * it, and may leave a debt that later ones wait for; requests beyond the bucket's size are taken in
 * several steps, so that an urgent one waits for one step at most.
 *
 * <p>Threads: any number; those that wait sleep, and within a priority are served in order.
 *
 * <p>Invariants: (1) in any time t no more than bucket + rate * t + one step is granted; (2) a
 * waiting {@link Priority#HIGH} request goes first, except that one in {@value #FAIRNESS} grants
 * goes to {@link Priority#LOW} when both wait, so that neither starves.
 *
 * <p>Units: bytes, bytes per second, nanoseconds.
 */
public final class RateLimiter {
    /** What is served first. */
    public enum Priority {
        /** Flushes, and what writers wait for. */
        HIGH,
        /** All other compactions. */
        LOW
    }

    /** A rate that never makes anybody wait. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    static final int FAIRNESS = 10;

    private static final double NANOS_PER_SECOND = 1e9;
    private static final int BUCKETS_PER_SECOND = 10;
    private static final Priority[] PRIORITIES = Priority.values();

    private final TimeSource time;
    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private final ArrayDeque<Condition> high = new ArrayDeque<>();

    @GuardedBy("mutex")
    private final ArrayDeque<Condition> low = new ArrayDeque<>();

    @GuardedBy("mutex")
    private final long[] grantedBytes = new long[PRIORITIES.length];

    @GuardedBy("mutex")
    private final long[] waitedNanos = new long[PRIORITIES.length];

    @GuardedBy("mutex")
    private double availableBytes;

    @GuardedBy("mutex")
    private long refillNanos;

    @GuardedBy("mutex")
    private int highGrantsInRow;

    @GuardedBy("mutex")
    private long bytesPerSecond;

    /** Creates a full bucket. */
    public RateLimiter(long bytesPerSecond, TimeSource time) {
        this.time = time;
        checkRate(bytesPerSecond);
        this.bytesPerSecond = bytesPerSecond;
        this.availableBytes = (double) bucketBytes(bytesPerSecond);
        this.refillNanos = time.nanoTime();
    }

    /** Changes the rate, also for those who wait. */
    public void setBytesPerSecond(long bytesPerSecond) {
        checkRate(bytesPerSecond);
        mutex.lock();
        try {
            refill();
            this.bytesPerSecond = bytesPerSecond;
            availableBytes = Math.min(availableBytes, (double) bucketBytes(bytesPerSecond));
            signalNext();
        } finally {
            mutex.unlock();
        }
    }

    public long bytesPerSecond() {
        mutex.lock();
        try {
            return bytesPerSecond;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Takes so many bytes, waiting for them as long as it needs.
     *
     * @throws InterruptedException if the thread is interrupted while it waits; part of the bytes
     *     may be taken then
     */
    public void acquire(long bytes, Priority priority) throws InterruptedException {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes must not be negative: bytes=" + bytes);
        }
        long leftBytes = bytes;
        while (leftBytes > 0) {
            leftBytes -= acquireStep(leftBytes, priority);
        }
    }

    /** The bytes that were granted so far. */
    public long grantedBytes(Priority priority) {
        mutex.lock();
        try {
            return grantedBytes[priority.ordinal()];
        } finally {
            mutex.unlock();
        }
    }

    /** The time that requests have waited so far. */
    public long waitedNanos(Priority priority) {
        mutex.lock();
        try {
            return waitedNanos[priority.ordinal()];
        } finally {
            mutex.unlock();
        }
    }

    /** The number of threads that wait at the moment. */
    public int waiterCount() {
        mutex.lock();
        try {
            return high.size() + low.size();
        } finally {
            mutex.unlock();
        }
    }

    private long acquireStep(long bytes, Priority priority) throws InterruptedException {
        mutex.lockInterruptibly();
        try {
            refill();
            if (availableBytes <= 0 || next() != null) {
                awaitTurn(priority);
            }
            // The rate may have changed while this thread waited, hence only now.
            long step = Math.min(bytes, bucketBytes(bytesPerSecond));
            if (bytesPerSecond != UNLIMITED) {
                availableBytes -= step;
            }
            grantedBytes[priority.ordinal()] += step;
            return step;
        } finally {
            mutex.unlock();
        }
    }

    /** Returns when it is this thread's turn and there is something in the bucket. */
    @GuardedBy("mutex")
    private void awaitTurn(Priority priority) throws InterruptedException {
        long startNanos = time.nanoTime();
        Condition turn = mutex.newCondition();
        ArrayDeque<Condition> queue = priority == Priority.HIGH ? high : low;
        queue.addLast(turn);
        try {
            while (true) {
                if (next() == turn) {
                    refill();
                    if (availableBytes > 0) {
                        break;
                    }
                    // At most a second: the rate may be so small that the sum overflows.
                    double nanos = (1 - availableBytes) * NANOS_PER_SECOND / bytesPerSecond;
                    time.await(turn, (long) Math.ceil(Math.min(nanos, NANOS_PER_SECOND)));
                } else {
                    turn.await();
                }
            }
            noteTurn(priority);
        } finally {
            queue.remove(turn);
            waitedNanos[priority.ordinal()] += time.nanoTime() - startNanos;
            signalNext();
        }
    }

    @GuardedBy("mutex")
    private void noteTurn(Priority priority) {
        highGrantsInRow = priority == Priority.HIGH && !low.isEmpty() ? highGrantsInRow + 1 : 0;
    }

    /** The waiter whose turn it is. */
    @GuardedBy("mutex")
    private @Nullable Condition next() {
        if (high.isEmpty() || (highGrantsInRow >= FAIRNESS - 1 && !low.isEmpty())) {
            return low.peekFirst();
        }
        return high.peekFirst();
    }

    @GuardedBy("mutex")
    private void signalNext() {
        Condition next = next();
        if (next != null) {
            next.signal();
        }
    }

    @GuardedBy("mutex")
    private void refill() {
        long nowNanos = time.nanoTime();
        double addedBytes = (nowNanos - refillNanos) * (double) bytesPerSecond / NANOS_PER_SECOND;
        availableBytes =
                Math.min(availableBytes + addedBytes, (double) bucketBytes(bytesPerSecond));
        refillNanos = nowNanos;
    }

    private static long bucketBytes(long bytesPerSecond) {
        return Math.max(1, bytesPerSecond / BUCKETS_PER_SECOND);
    }

    private static void checkRate(long bytesPerSecond) {
        if (bytesPerSecond <= 0) {
            throw new IllegalArgumentException(
                    "rate must be positive: bytesPerSecond=" + bytesPerSecond);
        }
    }
}
