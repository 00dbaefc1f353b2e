package dev.tarn.sst.cache;

import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * One block that is being loaded, by one thread for all that want it; reused for other blocks.
 *
 * <p>Threads: every field is read and written under the mutex of the cache.
 */
final class PendingLoad {
    final Condition finished;

    long tag;
    int frame;
    int queue;
    @Nullable Thread loader;

    /** Threads in {@link BlockCache#load} that will take the result from here. */
    int waiterCount;

    boolean done;

    /** What the loader threw; null if the block is there, or if a waiter should try again. */
    @Nullable Throwable failure;

    /** Whether only the loading thread was disturbed, which is no reason for others to fail. */
    boolean interrupted;

    PendingLoad(Condition finished) {
        this.finished = finished;
    }

    void begin(long tag, int frame, int queue) {
        this.tag = tag;
        this.frame = frame;
        this.queue = queue;
        loader = Thread.currentThread();
        waiterCount = 0;
        done = false;
        failure = null;
        interrupted = false;
    }
}
