package dev.tarn.engine.internal.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.engine.internal.compaction.RateLimiter.Priority;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RateLimiterTest {
    private static final long RATE = 10_000_000;
    private static final long BUCKET = RATE / 10;

    private final ManualTime time = new ManualTime();

    @Test
    void fullBucketIsGrantedAtOnce() throws InterruptedException {
        RateLimiter limiter = new RateLimiter(RATE, time);
        long start = time.nanoTime();
        limiter.acquire(BUCKET, Priority.LOW);
        assertThat(time.nanoTime()).isEqualTo(start);
        limiter.acquire(1, Priority.LOW);
        assertThat(time.nanoTime()).isGreaterThan(start);
    }

    @Test
    void rateHoldsForRequestsOfAnySize() throws InterruptedException {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        RateLimiter limiter = new RateLimiter(RATE, time);
        long start = time.nanoTime();
        long granted = 0;
        for (int i = 0; i < 10_000; i++) {
            int bytes = random.nextInt(1 << random.nextInt(1, 25));
            limiter.acquire(bytes, random.nextBoolean() ? Priority.HIGH : Priority.LOW);
            granted += bytes;
            double seconds = (time.nanoTime() - start) / 1e9;
            assertThat((double) granted)
                    .as("seed=%d", seed)
                    .isLessThanOrEqualTo(2.0 * BUCKET + RATE * seconds + 1)
                    .isGreaterThanOrEqualTo(RATE * seconds - 2.0 * BUCKET - 1);
        }
        assertThat(limiter.grantedBytes(Priority.HIGH) + limiter.grantedBytes(Priority.LOW))
                .isEqualTo(granted);
    }

    @Test
    void idleTimeIsSavedUpToOneBucketOnly() throws InterruptedException {
        RateLimiter limiter = new RateLimiter(RATE, time);
        time.advance(TimeUnit.HOURS.toNanos(1));
        limiter.acquire(BUCKET, Priority.LOW);
        long start = time.nanoTime();
        limiter.acquire(2 * BUCKET, Priority.LOW);
        assertThat(time.nanoTime() - start)
                .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
    }

    @Test
    void unlimitedRateNeverWaits() throws InterruptedException {
        RateLimiter limiter = new RateLimiter(RateLimiter.UNLIMITED, time);
        long start = time.nanoTime();
        for (int i = 0; i < 100; i++) {
            limiter.acquire(Long.MAX_VALUE / 200, Priority.LOW);
        }
        assertThat(time.nanoTime()).isEqualTo(start);
        limiter.setBytesPerSecond(RATE);
        limiter.acquire(BUCKET, Priority.LOW);
        assertThat(time.nanoTime()).isEqualTo(start);
        limiter.acquire(BUCKET, Priority.LOW);
        assertThat(time.nanoTime()).isGreaterThan(start);
    }

    @Test
    void highGoesFirstAndLowIsNotStarved() throws InterruptedException {
        SteppedTime stepped = new SteppedTime();
        long nanosPerByte = 1_000_000;
        RateLimiter limiter = new RateLimiter(1_000_000_000 / nanosPerByte, stepped);
        limiter.acquire(100, Priority.LOW);
        List<Priority> order = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        int lowCount = 4;
        int highCount = 2 * RateLimiter.FAIRNESS;
        for (int i = 0; i < lowCount + highCount; i++) {
            Priority priority = i < lowCount ? Priority.LOW : Priority.HIGH;
            threads.add(
                    new Thread(
                            () -> {
                                try {
                                    limiter.acquire(1, priority);
                                    order.add(priority);
                                } catch (InterruptedException e) {
                                    throw new AssertionError(e);
                                }
                            }));
        }
        for (int i = 0; i < threads.size(); i++) {
            threads.get(i).start();
            while (limiter.waiterCount() <= i) {
                Thread.onSpinWait();
            }
        }
        for (int granted = 1; granted <= threads.size(); granted++) {
            stepped.nanos.addAndGet(nanosPerByte);
            while (order.size() < granted) {
                Thread.onSpinWait();
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        List<Priority> expected = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            expected.addAll(Collections.nCopies(RateLimiter.FAIRNESS - 1, Priority.HIGH));
            expected.add(Priority.LOW);
        }
        expected.addAll(List.of(Priority.HIGH, Priority.HIGH, Priority.LOW, Priority.LOW));
        assertThat(order).isEqualTo(expected);
    }

    /** Time that passes when the test says so, for threads that do wait. */
    private static final class SteppedTime implements TimeSource {
        private final AtomicLong nanos = new AtomicLong();

        @Override
        public long nanoTime() {
            return nanos.get();
        }

        @Override
        public void await(Condition condition, long nanos) throws InterruptedException {
            // The step is not signalled: look again soon.
            TimeSource.SYSTEM.await(condition, 100_000);
        }

        @Override
        public void park(long nanos) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void interruptedWaiterLeavesTheQueue() throws InterruptedException {
        RateLimiter limiter = new RateLimiter(1, TimeSource.SYSTEM);
        limiter.acquire(1, Priority.LOW);
        List<Throwable> thrown = Collections.synchronizedList(new ArrayList<>());
        Thread waiter =
                new Thread(
                        () -> {
                            try {
                                limiter.acquire(1_000_000, Priority.HIGH);
                            } catch (InterruptedException e) {
                                thrown.add(e);
                            }
                        });
        waiter.start();
        while (limiter.waiterCount() == 0) {
            Thread.onSpinWait();
        }
        waiter.interrupt();
        waiter.join();
        assertThat(thrown).hasSize(1);
        assertThat(limiter.waiterCount()).isZero();
        limiter.setBytesPerSecond(1 << 30);
        limiter.acquire(1, Priority.LOW);
    }

    @Test
    void rateMustBePositive() {
        assertThatThrownBy(() -> new RateLimiter(0, time))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytesPerSecond=0");
    }
}
