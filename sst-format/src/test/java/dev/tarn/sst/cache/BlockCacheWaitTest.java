package dev.tarn.sst.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Threads that wait for one load, in an order that the test decides. */
class BlockCacheWaitTest {
    private static final int WAITERS = 5;
    private static final int LENGTH = 700;

    private final MemoryAccountant accountant = new MemoryAccountant(1 << 20);
    private final CountDownLatch loaderEntered = new CountDownLatch(1);
    private final CountDownLatch loaderMayEnd = new CountDownLatch(1);
    private final AtomicInteger loads = new AtomicInteger();
    private final List<Asker> askers = new ArrayList<>();
    private BlockCache cache;
    private int fileId;
    private long tag;

    @BeforeEach
    void open() {
        cache = new BlockCache(accountant, BlockCacheOptions.builder(1 << 18).build());
        fileId = cache.newFileId();
        tag = BlockCache.tag(fileId, 1);
    }

    @AfterEach
    void close() {
        assertThat(new BlockCacheVerifier(cache).verify()).as("pins left").isZero();
        cache.forgetFile(fileId);
        cache.close();
        assertThat(accountant.reservedBytes()).isZero();
    }

    /** A thread that asks for the block once. */
    private final class Asker extends Thread {
        private final BlockLoader loader;
        private int frame = BlockCache.NOT_RESIDENT;
        private @Nullable Throwable failure;
        private boolean interruptedAfterwards;

        Asker(BlockLoader loader) {
            this.loader = loader;
        }

        @Override
        public void run() {
            try {
                frame = cache.load(tag, LENGTH, Priority.NORMAL, loader);
            } catch (IOException | RuntimeException | Error e) {
                failure = e;
            }
            interruptedAfterwards = Thread.interrupted();
        }

        void assertHoldsTheBlock() {
            assertThat(failure).isNull();
            assertThat(TagBytes.firstWrong(cache.memory(frame), cache.offset(frame), LENGTH, tag))
                    .isEqualTo(-1);
            cache.unpin(frame);
        }
    }

    private void startLoaderAndWaiters(@Nullable Throwable firstFailure) throws Exception {
        BlockLoader first =
                (target, targetOffset, rawLength) -> {
                    loads.incrementAndGet();
                    loaderEntered.countDown();
                    awaitUninterruptibly(loaderMayEnd);
                    if (firstFailure instanceof IOException exception) {
                        throw exception;
                    }
                    if (firstFailure instanceof RuntimeException exception) {
                        throw exception;
                    }
                    TagBytes.fill(target, targetOffset, rawLength, tag);
                };
        BlockLoader later =
                (target, targetOffset, rawLength) -> {
                    loads.incrementAndGet();
                    TagBytes.fill(target, targetOffset, rawLength, tag);
                };
        askers.add(new Asker(first));
        askers.get(0).start();
        loaderEntered.await();
        for (int i = 0; i < WAITERS; i++) {
            Asker waiter = new Asker(later);
            askers.add(waiter);
            waiter.start();
            // Nobody holds the mutex, so a thread that is parked waits for the load.
            while (waiter.getState() != Thread.State.WAITING) {
                assertThat(waiter.isAlive()).as("the waiter waits").isTrue();
                Thread.onSpinWait();
            }
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void endLoadAndJoin() throws InterruptedException {
        loaderMayEnd.countDown();
        for (Asker asker : askers) {
            asker.join();
        }
    }

    @Test
    void allGetTheFrameOfOneLoadWithAPinEach() throws Exception {
        startLoaderAndWaiters(null);
        endLoadAndJoin();
        assertThat(loads).hasValue(1);
        assertThat(FrameTable.pins(cache.frames().word(askers.get(0).frame)))
                .isEqualTo(1 + WAITERS);
        assertThat(askers).extracting(asker -> asker.frame).containsOnly(askers.get(0).frame);
        askers.forEach(Asker::assertHoldsTheBlock);
        assertThat(cache.statistics().misses()).isEqualTo(1 + WAITERS);
        assertThat(cache.statistics().hits()).isZero();
    }

    @Test
    void allGetTheErrorOfOneLoad() throws Exception {
        IOException failure = new IOException("disk fell off");
        startLoaderAndWaiters(failure);
        endLoadAndJoin();
        assertThat(loads).hasValue(1);
        assertThat(askers).extracting(asker -> asker.failure).containsOnly(failure);
        assertThat(cache.statistics().usedFrames()).isZero();
        assertThat(cache.statistics().misses()).isEqualTo(1 + WAITERS);
    }

    @Test
    void uncheckedErrorsReachAllAsWell() throws Exception {
        IllegalArgumentException failure = new IllegalArgumentException("damaged");
        startLoaderAndWaiters(failure);
        endLoadAndJoin();
        assertThat(askers).extracting(asker -> asker.failure).containsOnly(failure);
    }

    @Test
    void interruptOfTheLoadingThreadIsNotTheOthersProblem() throws Exception {
        ClosedByInterruptException failure = new ClosedByInterruptException();
        startLoaderAndWaiters(failure);
        endLoadAndJoin();
        assertThat(askers.get(0).failure).isSameAs(failure);
        assertThat(loads).as("one of the waiters took over").hasValue(2);
        askers.subList(1, askers.size()).forEach(Asker::assertHoldsTheBlock);
    }

    @Test
    void interruptOfAWaiterChangesNothingButItsStatus() throws Exception {
        startLoaderAndWaiters(null);
        Asker interrupted = askers.get(2);
        interrupted.interrupt();
        endLoadAndJoin();
        assertThat(loads).hasValue(1);
        askers.forEach(Asker::assertHoldsTheBlock);
        for (Asker asker : askers) {
            assertThat(asker.interruptedAfterwards).isEqualTo(asker == interrupted);
        }
    }

    @Test
    void fileForgottenDuringTheLoadStillServesAllWaiters() throws Exception {
        startLoaderAndWaiters(null);
        cache.forgetFile(fileId);
        endLoadAndJoin();
        assertThat(cache.statistics().pinnedForgottenBlocks()).isEqualTo(1);
        askers.forEach(Asker::assertHoldsTheBlock);
        assertThat(cache.statistics().pinnedForgottenBlocks()).isZero();
        assertThat(cache.statistics().usedFrames()).isZero();
        fileId = cache.newFileId();
    }

    @Test
    void closeDuringTheLoadStillServesAllWaiters() throws Exception {
        startLoaderAndWaiters(null);
        cache.close();
        cache.forgetFile(fileId);
        assertThat(cache.isFreed()).isFalse();
        endLoadAndJoin();
        assertThat(cache.isFreed()).isFalse();
        askers.forEach(Asker::assertHoldsTheBlock);
        assertThat(cache.isFreed()).isTrue();
        open();
    }
}
