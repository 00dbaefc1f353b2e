package dev.tarn.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.testing.Seeds;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class MemoryAccountantTest {
    @Test
    void refusesWhatExceedsTheLimitAndChangesNothing() {
        MemoryAccountant accountant = new MemoryAccountant(100);
        accountant.reserve(MemoryPurpose.MEMTABLE, 60);
        assertThat(accountant.tryReserve(MemoryPurpose.BLOCK_CACHE, 41)).isFalse();
        assertThatThrownBy(() -> accountant.reserve(MemoryPurpose.BLOCK_CACHE, 41))
                .isInstanceOf(MemoryBudgetExceededException.class)
                .hasMessageContaining("purpose=BLOCK_CACHE requestedBytes=41")
                .hasMessageContaining("MEMTABLE=60");
        assertThat(accountant.tryReserve(MemoryPurpose.BLOCK_CACHE, Long.MAX_VALUE)).isFalse();
        assertThat(accountant.reservedBytes()).isEqualTo(60);
        assertThat(accountant.tryReserve(MemoryPurpose.BLOCK_CACHE, 40)).isTrue();
        assertThat(accountant.tryReserve(MemoryPurpose.FILTER, 1)).isFalse();
        assertThat(accountant.tryReserve(MemoryPurpose.FILTER, 0)).isTrue();
        assertThat(accountant.reservedBytes(MemoryPurpose.BLOCK_CACHE)).isEqualTo(40);
        assertThat(accountant.report())
                .containsEntry(MemoryPurpose.MEMTABLE, 60L)
                .containsEntry(MemoryPurpose.BLOCK_CACHE, 40L)
                .containsEntry(MemoryPurpose.INDEX, 0L);
    }

    @Test
    void purposesHaveLimitsOfTheirOwn() {
        MemoryAccountant accountant =
                new MemoryAccountant(
                        100, Map.of(MemoryPurpose.FILTER, 10L, MemoryPurpose.INDEX, 1000L));
        assertThat(accountant.limitBytes()).isEqualTo(100);
        assertThat(accountant.limitBytes(MemoryPurpose.FILTER)).isEqualTo(10);
        assertThat(accountant.limitBytes(MemoryPurpose.INDEX)).isEqualTo(100);
        assertThat(accountant.limitBytes(MemoryPurpose.MEMTABLE)).isEqualTo(100);
        assertThat(accountant.tryReserve(MemoryPurpose.FILTER, 11)).isFalse();
        assertThat(accountant.tryReserve(MemoryPurpose.FILTER, 10)).isTrue();
        assertThat(accountant.tryReserve(MemoryPurpose.INDEX, 90)).isTrue();
    }

    @Test
    void argumentsAreChecked() {
        assertThatThrownBy(() -> new MemoryAccountant(0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new MemoryAccountant(1, Map.of(MemoryPurpose.INDEX, -1L)))
                .isInstanceOf(IllegalArgumentException.class);
        MemoryAccountant accountant = new MemoryAccountant(100);
        assertThatThrownBy(() -> accountant.tryReserve(MemoryPurpose.INDEX, -1))
                .isInstanceOf(IllegalArgumentException.class);
        accountant.reserve(MemoryPurpose.INDEX, 10);
        assertThatThrownBy(() -> accountant.release(MemoryPurpose.FILTER, 1))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> accountant.release(MemoryPurpose.INDEX, 11))
                .isInstanceOf(IllegalStateException.class);
        assertThat(accountant.reservedBytes()).isEqualTo(10);
    }

    @Test
    void timedReserveGivesUp() throws InterruptedException {
        MemoryAccountant accountant = new MemoryAccountant(100);
        accountant.reserve(MemoryPurpose.MEMTABLE, 100);
        assertThat(accountant.reserve(MemoryPurpose.INDEX, 1, 1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(accountant.reserve(MemoryPurpose.INDEX, 1, 0, TimeUnit.SECONDS)).isFalse();
        assertThat(accountant.reservedBytes()).isEqualTo(100);
    }

    @Test
    void timedReserveOfTheImpossibleFailsAtOnce() {
        MemoryAccountant accountant = new MemoryAccountant(100, Map.of(MemoryPurpose.FILTER, 10L));
        assertThatThrownBy(() -> accountant.reserve(MemoryPurpose.FILTER, 11, 1, TimeUnit.DAYS))
                .isInstanceOf(MemoryBudgetExceededException.class);
    }

    @Test
    void releaseWakesWhoWaits() throws InterruptedException {
        MemoryAccountant accountant = new MemoryAccountant(100);
        accountant.reserve(MemoryPurpose.MEMTABLE, 100);
        CountDownLatch got = new CountDownLatch(2);
        Thread[] waiters = new Thread[2];
        for (int i = 0; i < waiters.length; i++) {
            waiters[i] =
                    new Thread(
                            () -> {
                                try {
                                    if (accountant.reserve(
                                            MemoryPurpose.INDEX, 50, 1, TimeUnit.DAYS)) {
                                        got.countDown();
                                    }
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            });
            waiters[i].start();
        }
        for (Thread waiter : waiters) {
            awaitTimedWaiting(waiter);
        }
        accountant.release(MemoryPurpose.MEMTABLE, 100);
        got.await();
        for (Thread waiter : waiters) {
            waiter.join();
        }
        assertThat(accountant.reservedBytes(MemoryPurpose.INDEX)).isEqualTo(100);
    }

    @Test
    void interruptEndsTheWaitAndReservesNothing() throws InterruptedException {
        MemoryAccountant accountant = new MemoryAccountant(100);
        accountant.reserve(MemoryPurpose.MEMTABLE, 100);
        AtomicReference<Exception> thrown = new AtomicReference<>();
        Thread waiter =
                new Thread(
                        () -> {
                            try {
                                accountant.reserve(MemoryPurpose.INDEX, 1, 1, TimeUnit.DAYS);
                            } catch (InterruptedException e) {
                                thrown.set(e);
                            }
                        });
        waiter.start();
        awaitTimedWaiting(waiter);
        waiter.interrupt();
        waiter.join();
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(accountant.reservedBytes()).isEqualTo(100);
    }

    private static void awaitTimedWaiting(Thread thread) {
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    /** A counter beside the accountant bounds what is held from below: it must never exceed. */
    @Test
    void racingThreadsNeverOvershoot() {
        Seeds.run(
                3,
                random -> {
                    long limit = 1000;
                    MemoryAccountant accountant =
                            new MemoryAccountant(limit, Map.of(MemoryPurpose.FILTER, 300L));
                    AtomicLong held = new AtomicLong();
                    AtomicLong heldFilter = new AtomicLong();
                    AtomicLong most = new AtomicLong();
                    AtomicLong mostFilter = new AtomicLong();
                    Thread[] threads = new Thread[4];
                    for (int t = 0; t < threads.length; t++) {
                        var own = random.split();
                        boolean filter = t % 2 == 0;
                        MemoryPurpose purpose =
                                filter ? MemoryPurpose.FILTER : MemoryPurpose.MEMTABLE;
                        threads[t] =
                                new Thread(
                                        () -> {
                                            for (int i = 0; i < 20_000; i++) {
                                                long bytes = own.between(1, 600);
                                                if (accountant.tryReserve(purpose, bytes)) {
                                                    most.accumulateAndGet(
                                                            held.addAndGet(bytes), Math::max);
                                                    if (filter) {
                                                        mostFilter.accumulateAndGet(
                                                                heldFilter.addAndGet(bytes),
                                                                Math::max);
                                                        heldFilter.addAndGet(-bytes);
                                                    }
                                                    held.addAndGet(-bytes);
                                                    accountant.release(purpose, bytes);
                                                }
                                            }
                                        });
                        threads[t].start();
                    }
                    for (Thread thread : threads) {
                        thread.join();
                    }
                    assertThat(most.get()).isBetween(1L, limit);
                    assertThat(mostFilter.get()).isBetween(1L, 300L);
                    assertThat(accountant.reservedBytes()).isZero();
                });
    }
}
