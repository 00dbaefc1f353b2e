package dev.tarn.engine.internal.compaction;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;

/**
 * Time that passes, and waiting for it; replaced in tests.
 *
 * <p>Threads: any.
 */
public interface TimeSource {
    /** The time of the machine. */
    TimeSource SYSTEM =
            new TimeSource() {
                @Override
                public long nanoTime() {
                    return System.nanoTime();
                }

                @Override
                @SuppressWarnings("WaitNotInLoop") // The callers' loops.
                public void await(Condition condition, long nanos) throws InterruptedException {
                    // What is left of the time is of no use: callers read the clock.
                    long unused = condition.awaitNanos(nanos);
                }

                @Override
                public void park(long nanos) {
                    LockSupport.parkNanos(nanos);
                }
            };

    /** Nanoseconds since some moment; only differences count. */
    long nanoTime();

    /** Waits, with the condition's lock held, until signalled or so much time has passed. */
    void await(Condition condition, long nanos) throws InterruptedException;

    /** Lets so much time pass, or less; returns at once if the thread is interrupted. */
    void park(long nanos);
}
