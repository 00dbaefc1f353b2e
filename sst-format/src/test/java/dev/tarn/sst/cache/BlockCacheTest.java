package dev.tarn.sst.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryBudgetExceededException;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BlockCacheTest {
    private static final int FRAME_BYTES = 256;
    private static final int CAPACITY_BYTES = 32 << 10;

    private final MemoryAccountant accountant = new MemoryAccountant(1 << 20);
    private BlockCache cache;
    private int fileId;

    @BeforeEach
    void open() {
        cache = new BlockCache(accountant, options().build());
        fileId = cache.newFileId();
    }

    @AfterEach
    void memoryComesBack() {
        if (!cache.isFreed()) {
            assertThat(new BlockCacheVerifier(cache).verify()).as("pins left").isZero();
            cache.forgetFile(fileId);
            cache.close();
        }
        assertThat(cache.isFreed()).isTrue();
        assertThat(accountant.reservedBytes()).isZero();
    }

    private static BlockCacheOptions.Builder options() {
        return BlockCacheOptions.builder(CAPACITY_BYTES).frameBytes(FRAME_BYTES).slabBytes(8 << 10);
    }

    private int load(int blockNumber, int length, Priority priority) throws IOException {
        long tag = BlockCache.tag(fileId, blockNumber);
        return cache.load(tag, length, priority, TagBytes.loader(tag));
    }

    private void loadAndUnpin(int blockNumber, Priority priority) throws IOException {
        cache.unpin(load(blockNumber, FRAME_BYTES, priority));
    }

    private void assertHolds(int frame, int blockNumber, int length) {
        long tag = BlockCache.tag(fileId, blockNumber);
        assertThat(cache.length(frame)).isEqualTo(length);
        assertThat(TagBytes.firstWrong(cache.memory(frame), cache.offset(frame), length, tag))
                .as("first wrong byte")
                .isEqualTo(-1);
    }

    @Test
    void loadsOnceAndFindsAfterwards() throws IOException {
        long tag = BlockCache.tag(fileId, 7);
        assertThat(cache.find(tag, BlockCache.NO_HINT)).isEqualTo(BlockCache.NOT_RESIDENT);
        assertThat(cache.pin(tag, BlockCache.NO_HINT)).isEqualTo(BlockCache.NOT_RESIDENT);
        int frame = load(7, 200, Priority.NORMAL);
        assertHolds(frame, 7, 200);
        assertThat(cache.find(tag, BlockCache.NO_HINT)).isEqualTo(frame);
        assertThat(cache.find(tag, frame)).isEqualTo(frame);
        assertThat(load(7, 200, Priority.NORMAL)).isEqualTo(frame);
        cache.unpin(frame);
        cache.unpin(frame);
        BlockCacheStatistics statistics = cache.statistics();
        assertThat(statistics.loads()).isEqualTo(1);
        assertThat(statistics.misses()).isEqualTo(1);
        assertThat(statistics.hits()).isEqualTo(3);
    }

    @Test
    void wrongHintsCostNothingButALook() throws IOException {
        int first = load(1, FRAME_BYTES, Priority.NORMAL);
        int second = load(2, FRAME_BYTES, Priority.NORMAL);
        long tag = BlockCache.tag(fileId, 1);
        int[] hints = {
            second,
            second + 1,
            -1,
            -5,
            Integer.MAX_VALUE,
            Integer.MIN_VALUE,
            cache.statistics().frames()
        };
        for (int hint : hints) {
            assertThat(cache.find(tag, hint)).isEqualTo(first);
            assertThat(cache.pin(tag, hint)).isEqualTo(first);
            cache.unpin(first);
        }
        cache.unpin(first);
        cache.unpin(second);
    }

    @Test
    void blocksAreAlignedAndContiguous() throws IOException {
        for (int blockNumber = 0; blockNumber < 40; blockNumber++) {
            int length = 1 + blockNumber * 41 % 1500;
            int frame = load(blockNumber, length, Priority.NORMAL);
            assertThat(cache.offset(frame) % 64).isZero();
            assertThat(cache.offset(frame) + length)
                    .isLessThanOrEqualTo(cache.memory(frame).capacity());
            assertHolds(frame, blockNumber, length);
            cache.unpin(frame);
            new BlockCacheVerifier(cache).verify();
        }
    }

    @Test
    void stampIsOnlyForTheBlockInTheFrame() throws IOException {
        int frame = load(1, FRAME_BYTES, Priority.NORMAL);
        assertThat(cache.stamp(frame, BlockCache.tag(fileId, 2))).isEqualTo(-1);
        assertThat(cache.stamp(frame + 1, BlockCache.tag(fileId, 1))).isEqualTo(-1);
        long stamp = cache.stamp(frame, BlockCache.tag(fileId, 1));
        assertThat(stamp).isNotNegative();
        assertThat(cache.validate(frame, stamp)).isTrue();
        cache.unpin(frame);
        assertThat(cache.validate(frame, stamp)).as("pins do not matter to stamps").isTrue();
    }

    @Test
    void stampEndsWithTheEviction() throws IOException {
        int frame = load(1, FRAME_BYTES, Priority.NORMAL);
        long stamp = cache.stamp(frame, BlockCache.tag(fileId, 1));
        for (int blockNumber = 2; blockNumber < 1000; blockNumber++) {
            if (cache.find(BlockCache.tag(fileId, 1), frame) == BlockCache.NOT_RESIDENT) {
                break;
            }
            assertThat(cache.validate(frame, stamp)).isTrue();
            if (blockNumber == 2) {
                cache.unpin(frame);
            }
            loadAndUnpin(blockNumber, Priority.NORMAL);
            loadAndUnpin(blockNumber, Priority.NORMAL);
        }
        assertThat(cache.validate(frame, stamp)).isFalse();
        assertThat(cache.stamp(frame, BlockCache.tag(fileId, 1))).isEqualTo(-1);
    }

    @Test
    void pinnedBlocksStayAndTheirLackOfRoomIsReported() throws IOException {
        int frames = cache.statistics().frames();
        int[] pinned = new int[frames];
        for (int i = 0; i < frames; i++) {
            pinned[i] = load(i, FRAME_BYTES, Priority.NORMAL);
            assertThat(pinned[i]).isNotNegative();
        }
        assertThat(load(frames, FRAME_BYTES, Priority.HIGH)).isEqualTo(BlockCache.ALL_PINNED);
        assertThat(load(frames, 2 * FRAME_BYTES, Priority.HIGH)).isEqualTo(BlockCache.ALL_PINNED);
        assertThat(cache.statistics().refusals()).isEqualTo(2);
        for (int i = 0; i < frames; i++) {
            assertHolds(pinned[i], i, FRAME_BYTES);
        }
        cache.unpin(pinned[5]);
        int replacement = load(frames, FRAME_BYTES, Priority.NORMAL);
        assertThat(replacement).isEqualTo(pinned[5]);
        assertThat(load(frames + 1, FRAME_BYTES, Priority.LOW)).isEqualTo(BlockCache.ALL_PINNED);
        for (int frame : pinned) {
            cache.unpin(frame);
        }
    }

    @Test
    void largeBlockFindsTheOnlyWindowWithoutPins() throws IOException {
        int frames = cache.statistics().frames();
        int[] pinned = new int[frames];
        for (int i = 0; i < frames; i++) {
            pinned[i] = load(i, FRAME_BYTES, Priority.NORMAL);
        }
        // Every second frame free of pins: no two neighbours.
        for (int i = 0; i < frames; i += 2) {
            cache.unpin(pinned[i]);
        }
        assertThat(load(frames, 2 * FRAME_BYTES, Priority.NORMAL)).isEqualTo(BlockCache.ALL_PINNED);
        cache.unpin(pinned[41]);
        int large = load(frames, 3 * FRAME_BYTES, Priority.NORMAL);
        assertThat(large).isEqualTo(pinned[40]);
        assertHolds(large, frames, 3 * FRAME_BYTES);
        cache.unpin(large);
        for (int i = 1; i < frames; i += 2) {
            if (i != 41) {
                assertHolds(pinned[i], i, FRAME_BYTES);
                cache.unpin(pinned[i]);
            }
        }
    }

    @Test
    void tooLargeBlocksAreRefused() throws IOException {
        int limit = cache.blockBytesMax();
        int frame = load(1, limit, Priority.NORMAL);
        assertHolds(frame, 1, limit);
        cache.unpin(frame);
        assertThat(load(2, limit + 1, Priority.NORMAL)).isEqualTo(BlockCache.TOO_LARGE);
        assertThat(cache.statistics().loads()).isEqualTo(1);
        assertThat(cache.statistics().misses()).isEqualTo(2);
    }

    @Test
    void failedLoadLeavesNothingBehind() throws IOException {
        long tag = BlockCache.tag(fileId, 1);
        IOException failure = new IOException("disk fell off");
        BlockLoader failing =
                (target, targetOffset, rawLength) -> {
                    throw failure;
                };
        for (int i = 0; i < 1000; i++) {
            assertThatThrownBy(() -> cache.load(tag, 700, Priority.HIGH, failing))
                    .isSameAs(failure);
        }
        assertThat(cache.find(tag, BlockCache.NO_HINT)).isEqualTo(BlockCache.NOT_RESIDENT);
        BlockCacheStatistics statistics = cache.statistics();
        assertThat(statistics.loadFailures()).isEqualTo(1000);
        assertThat(statistics.usedFrames()).isZero();
        cache.unpin(load(1, 700, Priority.HIGH));
    }

    @Test
    void loaderMustNotLoad() {
        long tag = BlockCache.tag(fileId, 1);
        BlockLoader nested =
                (target, targetOffset, rawLength) -> load(2, FRAME_BYTES, Priority.NORMAL);
        assertThatThrownBy(() -> cache.load(tag, FRAME_BYTES, Priority.NORMAL, nested))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("load within a loader");
    }

    @Test
    void forgottenFileGoesAtOnceOrWithItsLastPin() throws IOException {
        int otherFile = cache.newFileId();
        long otherTag = BlockCache.tag(otherFile, 1);
        int pinned = cache.load(otherTag, 600, Priority.NORMAL, TagBytes.loader(otherTag));
        long secondTag = BlockCache.tag(otherFile, 2);
        cache.unpin(cache.load(secondTag, 600, Priority.NORMAL, TagBytes.loader(secondTag)));
        loadAndUnpin(1, Priority.NORMAL);
        long stamp = cache.stamp(pinned, otherTag);
        cache.forgetFile(otherFile);

        assertThat(new BlockCacheVerifier(cache).verify()).isEqualTo(1);
        assertThat(cache.find(otherTag, pinned)).isEqualTo(BlockCache.NOT_RESIDENT);
        assertThat(cache.pin(otherTag, pinned)).isEqualTo(BlockCache.NOT_RESIDENT);
        assertThat(cache.find(secondTag, BlockCache.NO_HINT)).isEqualTo(BlockCache.NOT_RESIDENT);
        assertThat(cache.find(BlockCache.tag(fileId, 1), BlockCache.NO_HINT)).isNotNegative();
        assertThat(cache.statistics().pinnedForgottenBlocks()).isEqualTo(1);
        assertThat(cache.validate(pinned, stamp)).as("its bytes still stand").isTrue();
        assertThat(TagBytes.firstWrong(cache.memory(pinned), cache.offset(pinned), 600, otherTag))
                .isEqualTo(-1);
        cache.unpin(pinned);
        assertThat(cache.validate(pinned, stamp)).isFalse();
        assertThat(cache.statistics().usedFrames()).isEqualTo(1);
        assertThatThrownBy(() -> cache.load(otherTag, 9, Priority.LOW, TagBytes.loader(otherTag)))
                .isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> cache.forgetFile(otherFile))
                .isInstanceOf(IllegalStateException.class);
        assertThat(cache.newFileId()).as("ids are never reused").isGreaterThan(otherFile);
        cache.forgetFile(otherFile + 1);
    }

    @Test
    void fileForgottenDuringItsLoadStillServesThePin() throws IOException {
        int otherFile = cache.newFileId();
        long tag = BlockCache.tag(otherFile, 1);
        BlockLoader forgetting =
                (target, targetOffset, rawLength) -> {
                    cache.forgetFile(otherFile);
                    TagBytes.fill(target, targetOffset, rawLength, tag);
                };
        int frame = cache.load(tag, 600, Priority.NORMAL, forgetting);
        assertThat(TagBytes.firstWrong(cache.memory(frame), cache.offset(frame), 600, tag))
                .isEqualTo(-1);
        assertThat(cache.find(tag, frame)).isEqualTo(BlockCache.NOT_RESIDENT);
        assertThat(new BlockCacheVerifier(cache).verify()).isEqualTo(1);
        cache.unpin(frame);
        assertThat(cache.statistics().usedFrames()).isZero();
    }

    @Test
    void closeWaitsForPinsAndFilesWithoutBlocking() throws IOException {
        int frame = load(1, 600, Priority.NORMAL);
        cache.close();
        assertThat(cache.isFreed()).isFalse();
        assertThatThrownBy(() -> load(2, 600, Priority.NORMAL)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> cache.newFileId()).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> cache.close()).isInstanceOf(ClosedException.class);
        assertHolds(frame, 1, 600);
        cache.forgetFile(fileId);
        assertThat(cache.isFreed()).isFalse();
        assertThat(accountant.reservedBytes(MemoryPurpose.BLOCK_CACHE)).isEqualTo(CAPACITY_BYTES);
        assertHolds(frame, 1, 600);
        cache.unpin(frame);
        assertThat(cache.isFreed()).isTrue();
    }

    @Test
    void closeDuringALoadFreesWithTheLastPin() throws IOException {
        long tag = BlockCache.tag(fileId, 1);
        BlockLoader closing =
                (target, targetOffset, rawLength) -> {
                    cache.close();
                    cache.forgetFile(fileId);
                    TagBytes.fill(target, targetOffset, rawLength, tag);
                };
        int frame = cache.load(tag, FRAME_BYTES, Priority.NORMAL, closing);
        assertThat(cache.isFreed()).isFalse();
        assertHolds(frame, 1, FRAME_BYTES);
        cache.unpin(frame);
        assertThat(cache.isFreed()).isTrue();
    }

    @Test
    void closeDuringAFailingLoadFreesWithIt() {
        long tag = BlockCache.tag(fileId, 1);
        BlockLoader closing =
                (target, targetOffset, rawLength) -> {
                    cache.close();
                    cache.forgetFile(fileId);
                    throw new IOException("closed under it");
                };
        assertThatThrownBy(() -> cache.load(tag, FRAME_BYTES, Priority.NORMAL, closing))
                .isInstanceOf(IOException.class);
        assertThat(cache.isFreed()).isTrue();
    }

    @Test
    void unpinWithoutPinIsRefused() throws IOException {
        int frame = load(1, FRAME_BYTES, Priority.NORMAL);
        cache.unpin(frame);
        assertThatThrownBy(() -> cache.unpin(frame)).isInstanceOf(IllegalStateException.class);
        assertThat(cache.pin(BlockCache.tag(fileId, 1), frame)).isEqualTo(frame);
        cache.unpin(frame);
    }

    @Test
    void wholeCapacityIsReservedAndNeverExceeded() throws IOException {
        assertThat(accountant.reservedBytes(MemoryPurpose.BLOCK_CACHE)).isEqualTo(CAPACITY_BYTES);
        long tablesOnly = cache.statistics().allocatedBytes();
        assertThat(tablesOnly).isLessThan(CAPACITY_BYTES / 4);
        for (int i = 0; i < 1000; i++) {
            loadAndUnpin(i, Priority.values()[i % 3]);
            assertThat(cache.statistics().allocatedBytes()).isLessThanOrEqualTo(CAPACITY_BYTES);
        }
        assertThat(cache.statistics().allocatedBytes())
                .as("little is left unused")
                .isGreaterThan(CAPACITY_BYTES - FRAME_BYTES * 2);
        assertThat(accountant.reservedBytes(MemoryPurpose.BLOCK_CACHE)).isEqualTo(CAPACITY_BYTES);
    }

    @Test
    void budgetIsAskedFirst() {
        MemoryAccountant small = new MemoryAccountant(CAPACITY_BYTES - 1);
        assertThatThrownBy(() -> new BlockCache(small, options().build()))
                .isInstanceOf(MemoryBudgetExceededException.class);
        assertThat(small.reservedBytes()).isZero();
    }

    @Test
    void capacityForLessThanFourFramesIsRefused() {
        assertThatThrownBy(
                        () -> new BlockCache(accountant, BlockCacheOptions.builder(8192).build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytesNeeded=");
        assertThat(accountant.reservedBytes()).isEqualTo(CAPACITY_BYTES);
    }

    @Test
    void emptyBlocksAreRefused() {
        BlockLoader none = (OffHeapMemory target, int targetOffset, int rawLength) -> {};
        assertThatThrownBy(() -> cache.load(BlockCache.tag(fileId, 1), 0, Priority.NORMAL, none))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
