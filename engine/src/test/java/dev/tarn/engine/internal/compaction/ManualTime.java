package dev.tarn.engine.internal.compaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * Time for tests with one thread: waiting lets it pass at once, and runs what the test put there.
 */
final class ManualTime implements TimeSource {
    private static final long EVENT_NANOS = 1_000_000;

    private final List<Long> parksNanos = new ArrayList<>();
    private long nanos = 1_000_000_007L;
    private @Nullable Runnable onWait;

    /** Sets what happens in the background whenever the thread waits. */
    void onWait(Runnable onWait) {
        this.onWait = onWait;
    }

    void advance(long nanos) {
        this.nanos += nanos;
    }

    List<Long> parksNanos() {
        return parksNanos;
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public void await(Condition condition, long nanos) {
        pass(nanos);
    }

    @Override
    public void park(long nanos) {
        parksNanos.add(nanos);
        pass(nanos);
    }

    private void pass(long nanos) {
        if (onWait == null) {
            this.nanos += nanos;
        } else {
            // Something happens before the time is over.
            this.nanos += Math.min(nanos, EVENT_NANOS);
            onWait.run();
        }
    }
}
