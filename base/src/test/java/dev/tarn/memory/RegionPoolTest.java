package dev.tarn.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RegionPoolTest {
    private final MemoryAccountant accountant = new MemoryAccountant(4096);
    private final List<MemoryRegion> lent = new ArrayList<>();
    private final RegionPool pool = new RegionPool(accountant, MemoryPurpose.BLOCK_CACHE, 1024, 64);

    private MemoryRegion acquire() {
        @Nullable MemoryRegion region = pool.tryAcquire();
        assertThat(region).isNotNull();
        if (region == null) {
            throw new AssertionError();
        }
        lent.add(region);
        return region;
    }

    private void release(MemoryRegion region) {
        pool.release(region);
        lent.remove(region);
    }

    @AfterEach
    void closePool() {
        lent.forEach(pool::release);
        pool.close();
        assertThat(accountant.reservedBytes()).isZero();
    }

    @Test
    void regionsAreRecycledWithTheirContents() {
        MemoryRegion region = acquire();
        assertThat(region.sizeBytes()).isEqualTo(pool.regionSizeBytes()).isEqualTo(1024);
        region.memory().putLong(8, 42);
        release(region);
        assertThat(pool.idleCount()).isEqualTo(1);
        assertThat(region.memory().getLong(8)).isEqualTo(42);
        assertThat(acquire()).isSameAs(region);
        assertThat(pool.lentCount()).isEqualTo(1);
        assertThat(pool.idleCount()).isZero();
        assertThat(accountant.reservedBytes()).isEqualTo(1024);
    }

    @Test
    void budgetLimitsWhatIsLent() {
        for (int i = 0; i < 4; i++) {
            acquire();
        }
        assertThat(pool.tryAcquire()).isNull();
        release(lent.get(0));
        acquire();
        assertThat(pool.tryAcquire()).isNull();
        assertThat(pool.lentCount()).isEqualTo(4);
    }

    @Test
    void misuseThrows() {
        MemoryRegion region = acquire();
        release(region);
        assertThatThrownBy(() -> pool.release(region)).isInstanceOf(IllegalStateException.class);
        try (MemoryRegion foreign =
                MemoryRegion.allocate(accountant, MemoryPurpose.BLOCK_CACHE, 1024, 64)) {
            assertThatThrownBy(() -> pool.release(foreign))
                    .isInstanceOf(IllegalStateException.class);
        }
        acquire();
        assertThatThrownBy(pool::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("lentCount=1");
        assertThat(region.isClosed()).isFalse();
    }

    @Test
    void trimFreesIdleRegions() {
        for (int i = 0; i < 4; i++) {
            acquire();
        }
        List.copyOf(lent).forEach(this::release);
        assertThat(pool.trim(1)).isEqualTo(3);
        assertThat(pool.idleCount()).isEqualTo(1);
        assertThat(accountant.reservedBytes()).isEqualTo(1024);
        assertThat(pool.trim(1)).isZero();
    }

    @Test
    void closedPoolThrows() {
        RegionPool closed = new RegionPool(accountant, MemoryPurpose.BLOCK_CACHE, 1024, 64);
        closed.close();
        assertThatThrownBy(closed::close).isInstanceOf(ClosedException.class);
        assertThatThrownBy(closed::tryAcquire).isInstanceOf(ClosedException.class);
    }

    /** Each borrower marks its region; a region lent twice at once would show another's mark. */
    @Test
    void noRegionIsLentToTwoThreads() throws InterruptedException {
        AtomicInteger violations = new AtomicInteger();
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            long mark = t + 1L;
            threads[t] =
                    new Thread(
                            () -> {
                                for (int i = 0; i < 20_000; i++) {
                                    MemoryRegion region = pool.tryAcquire();
                                    if (region == null) {
                                        continue;
                                    }
                                    region.memory().putLongVolatile(0, mark);
                                    Thread.onSpinWait();
                                    if (region.memory().getLongVolatile(0) != mark) {
                                        violations.incrementAndGet();
                                    }
                                    pool.release(region);
                                }
                            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(violations.get()).isZero();
        assertThat(pool.lentCount()).isZero();
    }
}
