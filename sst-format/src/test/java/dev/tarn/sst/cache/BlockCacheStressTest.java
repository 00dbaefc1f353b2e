package dev.tarn.sst.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads on a cache of a few frames, each checking every byte it is given. */
class BlockCacheStressTest {
    private static final int FRAME_BYTES = 256;
    private static final int CAPACITY_BYTES = 16 << 10;
    private static final int BLOCK_COUNT = 200;
    private static final int FILE_COUNT = 3;

    @Test
    void everyReadHasTheRightBytes() {
        Seeds.run(6, random -> new Run(random, 10_000).readAndForget());
    }

    @Test
    @Tag("long")
    void everyReadHasTheRightBytesForLonger() {
        Seeds.run(60, random -> new Run(random, 200_000).readAndForget());
    }

    @Test
    void closeAndForgetBesideReadsFreeEverythingInTheEnd() {
        Seeds.run(60, random -> new Run(random, 300).readAndClose());
    }

    /** One cache with its threads. */
    private static final class Run {
        private final RandomSource random;
        private final int operations;
        private final int threadCount;
        private final MemoryAccountant accountant = new MemoryAccountant(CAPACITY_BYTES);
        private final BlockCache cache;
        private final int frames;

        /** The open file ids; 0 where there is none. */
        private final AtomicIntegerArray files = new AtomicIntegerArray(FILE_COUNT);

        /** Threads that read a file optimistically: it is not forgotten before they are done. */
        private final AtomicIntegerArray readers = new AtomicIntegerArray(FILE_COUNT);

        /** Tags of the loads in progress: none is there twice. */
        private final Set<Long> loading = ConcurrentHashMap.newKeySet();

        private final AtomicLong checkedCopies = new AtomicLong();
        private final AtomicLong checkedPins = new AtomicLong();
        private final AtomicInteger closes = new AtomicInteger();

        Run(RandomSource random, int operations) {
            this.random = random;
            this.operations = operations;
            this.threadCount = random.between(4, 9);
            this.cache =
                    new BlockCache(
                            accountant,
                            BlockCacheOptions.builder(CAPACITY_BYTES)
                                    .frameBytes(FRAME_BYTES)
                                    .slabBytes(random.pick(2, 4, 16) << 10)
                                    .blockBytesMax(4 * FRAME_BYTES)
                                    .build());
            this.frames = cache.statistics().frames();
            for (int slot = 0; slot < FILE_COUNT; slot++) {
                files.set(slot, cache.newFileId());
            }
        }

        void readAndForget() throws Exception {
            inThreads(this::readSome);
            assertThat(new BlockCacheVerifier(cache).verify()).as("pins left").isZero();
            assertThat(checkedCopies.get()).isPositive();
            assertThat(checkedPins.get()).isPositive();
            assertThat(cache.statistics().evictions()).isPositive();
            assertThat(cache.statistics().loadFailures()).isPositive();
            assertThat(cache.statistics().pinnedForgottenBlocks()).isZero();
            for (int slot = 0; slot < FILE_COUNT; slot++) {
                cache.forgetFile(files.get(slot));
            }
            assertThat(cache.statistics().usedFrames()).isZero();
            cache.close();
            assertFreed();
        }

        void readAndClose() throws Exception {
            inThreads(this::readOrClose);
            if (closes.get() == 0) {
                cache.close();
            }
            for (int slot = 0; slot < FILE_COUNT; slot++) {
                if (files.get(slot) != 0) {
                    cache.forgetFile(files.get(slot));
                }
            }
            assertFreed();
        }

        private void readOrClose(RandomSource own) throws IOException {
            try {
                if (own.oneIn(3) && closes.getAndIncrement() == 0) {
                    for (int i = own.between(0, 200); i > 0; i--) {
                        readOne(own);
                    }
                    cache.close();
                    replaceFile(own.between(0, FILE_COUNT));
                }
                readSome(own);
            } catch (ClosedException e) {
                assertThat(closes.get()).as("closed by this test: " + e).isPositive();
            }
        }

        private void assertFreed() {
            assertThat(cache.isFreed()).isTrue();
            assertThat(accountant.reservedBytes()).isZero();
        }

        private void inThreads(Seeds.RandomTest body) throws Exception {
            ExecutorService pool = Executors.newFixedThreadPool(threadCount);
            List<Future<?>> results = new ArrayList<>();
            try {
                for (int thread = 0; thread < threadCount; thread++) {
                    RandomSource own = random.split();
                    results.add(
                            pool.submit(
                                    () -> {
                                        body.run(own);
                                        return null;
                                    }));
                }
                for (Future<?> result : results) {
                    result.get();
                }
            } catch (ExecutionException e) {
                throw new AssertionError("a thread failed: " + e.getCause(), e.getCause());
            } finally {
                pool.shutdown();
            }
        }

        private void readSome(RandomSource own) throws IOException {
            for (int i = 0; i < operations; i++) {
                if (own.oneIn(1000)) {
                    replaceFile(own.between(0, FILE_COUNT));
                } else {
                    readOne(own);
                }
                if (own.oneIn(64)) {
                    checkCapacity();
                }
            }
        }

        private void checkCapacity() {
            assertThat(cache.statistics().allocatedBytes()).isLessThanOrEqualTo(CAPACITY_BYTES);
            assertThat(cache.statistics().usedFrames()).isBetween(0, frames);
            assertThat(accountant.reservedBytes(MemoryPurpose.BLOCK_CACHE))
                    .isIn(0L, (long) CAPACITY_BYTES);
        }

        private void replaceFile(int slot) {
            int fileId = files.getAndSet(slot, 0);
            if (fileId == 0) {
                return;
            }
            while (readers.get(slot) != 0) {
                Thread.onSpinWait();
            }
            // Its blocks may still be pinned, and loaded.
            cache.forgetFile(fileId);
            files.set(slot, cache.newFileId());
        }

        private void readOne(RandomSource own) throws IOException {
            int slot = own.between(0, FILE_COUNT);
            // Some blocks are wanted more often than others.
            int blockNumber = own.skewed(BLOCK_COUNT);
            int length = length(blockNumber);
            int pinned = BlockCache.NOT_RESIDENT;
            long tag;
            readers.incrementAndGet(slot);
            try {
                int fileId = files.get(slot);
                if (fileId == 0) {
                    return;
                }
                tag = BlockCache.tag(fileId, blockNumber);
                int hint = own.between(-1, frames + 1);
                if (own.oneIn(2)) {
                    pinned = cache.pin(tag, hint);
                } else if (copyAndCheck(tag, length, hint)) {
                    return;
                }
            } finally {
                readers.decrementAndGet(slot);
            }
            // From here on the file may be forgotten, and its pinned blocks stay.
            if (pinned < 0) {
                pinned = load(own, slot, tag);
            }
            if (pinned >= 0) {
                try {
                    checkPinned(pinned, tag);
                    if (own.oneIn(8)) {
                        holdAnother(own, slot, BlockCache.fileIdOf(tag));
                        checkPinned(pinned, tag);
                    }
                } finally {
                    cache.unpin(pinned);
                }
                checkedPins.incrementAndGet();
            }
        }

        private static int length(int blockNumber) {
            return 1 + blockNumber * 97 % (4 * FRAME_BYTES);
        }

        /** Takes a second pin while the first is held, so that evictions meet pinned neighbours. */
        private void holdAnother(RandomSource own, int slot, int fileId) throws IOException {
            long tag = BlockCache.tag(fileId, own.between(0, BLOCK_COUNT));
            int second = load(own, slot, tag);
            if (second >= 0) {
                checkPinned(second, tag);
                cache.unpin(second);
            }
        }

        private boolean copyAndCheck(long tag, int length, int hint) {
            int frame = cache.find(tag, hint);
            if (frame < 0) {
                return false;
            }
            long stamp = cache.stamp(frame, tag);
            if (stamp < 0) {
                return false;
            }
            int wrong = TagBytes.firstWrong(cache.memory(frame), cache.offset(frame), length, tag);
            int seenLength = cache.length(frame);
            if (!cache.validate(frame, stamp)) {
                return false;
            }
            assertThat(wrong).as("first wrong byte of a validated copy").isEqualTo(-1);
            assertThat(seenLength).isEqualTo(length);
            checkedCopies.incrementAndGet();
            return true;
        }

        private void checkPinned(int frame, long tag) {
            int length = length((int) tag);
            assertThat(cache.length(frame)).isEqualTo(length);
            assertThat(TagBytes.firstWrong(cache.memory(frame), cache.offset(frame), length, tag))
                    .as("first wrong byte of a pinned block")
                    .isEqualTo(-1);
        }

        private int load(RandomSource own, int slot, long tag) throws IOException {
            int failure = own.between(0, 40);
            boolean slow = own.oneIn(10);
            BlockLoader loader =
                    (target, targetOffset, rawLength) -> {
                        assertThat(rawLength).isEqualTo(length((int) tag));
                        assertThat(loading.add(tag)).as("one load per block").isTrue();
                        try {
                            if (slow) {
                                LockSupport.parkNanos(20_000);
                            }
                            if (failure < 2) {
                                TagBytes.fill(target, targetOffset, rawLength, ~tag);
                                throw failure == 0
                                        ? new IOException("planned")
                                        : new InterruptedIOException("planned");
                            }
                            TagBytes.fill(target, targetOffset, rawLength, tag);
                        } finally {
                            loading.remove(tag);
                        }
                    };
            try {
                return cache.load(tag, length((int) tag), own.pick(Priority.values()), loader);
            } catch (IOException e) {
                assertThat(e).hasMessage("planned");
                return BlockCache.NOT_RESIDENT;
            } catch (ClosedException e) {
                if (files.get(slot) == BlockCache.fileIdOf(tag)) {
                    throw e;
                }
                return BlockCache.NOT_RESIDENT;
            }
        }
    }
}
