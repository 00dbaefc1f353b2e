package dev.tarn.sst.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What stays and what goes, on one thread and so without any chance in it. */
class ReplacementTest {
    private static final int FRAME_BYTES = 128;

    private final BlockCache cache =
            new BlockCache(
                    MemoryAccountant.unlimited(),
                    BlockCacheOptions.builder(1 << 18).frameBytes(FRAME_BYTES).build());
    private final int frames = cache.statistics().frames();
    private int fileId;
    private int lookups;
    private int hits;

    @BeforeEach
    void open() {
        fileId = cache.newFileId();
    }

    @AfterEach
    void close() {
        assertThat(new BlockCacheVerifier(cache).verify()).isZero();
        cache.forgetFile(fileId);
        cache.close();
    }

    private boolean read(int blockNumber, Priority priority) throws IOException {
        return read(blockNumber, FRAME_BYTES, priority);
    }

    /** Reads as a reader does: pins if it is there, else loads; returns whether it was a hit. */
    private boolean read(int blockNumber, int length, Priority priority) throws IOException {
        long tag = BlockCache.tag(fileId, blockNumber);
        int frame = cache.pin(tag, BlockCache.NO_HINT);
        boolean hit = frame != BlockCache.NOT_RESIDENT;
        if (!hit) {
            frame = cache.load(tag, length, priority, TagBytes.loader(tag));
        }
        assertThat(TagBytes.firstWrong(cache.memory(frame), cache.offset(frame), length, tag))
                .isEqualTo(-1);
        cache.unpin(frame);
        lookups++;
        hits += hit ? 1 : 0;
        return hit;
    }

    private int hitsAmong(int lower, int upper, Priority priority) throws IOException {
        int hitsBefore = hits;
        for (int blockNumber = lower; blockNumber < upper; blockNumber++) {
            read(blockNumber, priority);
        }
        return hits - hitsBefore;
    }

    /** Counts without loading: what a read evicts would change what later ones meet. */
    private int residentAmong(int lower, int upper) {
        int resident = 0;
        for (int blockNumber = lower; blockNumber < upper; blockNumber++) {
            int frame = cache.find(BlockCache.tag(fileId, blockNumber), BlockCache.NO_HINT);
            resident += frame == BlockCache.NOT_RESIDENT ? 0 : 1;
        }
        return resident;
    }

    @Test
    void lowScanLeavesTheHotSetAlone() throws IOException {
        hitsAmong(0, frames, Priority.NORMAL);
        assertThat(hitsAmong(0, frames, Priority.NORMAL)).isEqualTo(frames);
        hitsAmong(1_000_000, 1_000_000 + 20 * frames, Priority.LOW);
        int lowFramesMax = (int) (frames * cache.options().lowShare());
        assertThat(cache.statistics().lowFrames()).isLessThanOrEqualTo(lowFramesMax);
        assertThat(residentAmong(0, frames)).isGreaterThanOrEqualTo(frames - lowFramesMax);
    }

    @Test
    void lowScanThatReadsEachBlockOftenLeavesTheHotSetAlone() throws IOException {
        hitsAmong(0, frames, Priority.NORMAL);
        hitsAmong(0, frames, Priority.NORMAL);
        for (int blockNumber = 1_000_000; blockNumber < 1_000_000 + 4 * frames; blockNumber++) {
            for (int entry = 0; entry < 5; entry++) {
                read(blockNumber, Priority.LOW);
            }
        }
        double lost = cache.options().lowShare() + cache.options().probationShare();
        assertThat(residentAmong(0, frames)).isGreaterThanOrEqualTo((int) (frames * (1 - lost)));
    }

    @Test
    void normalBlocksReadOnceDoNotDisplaceThoseReadTwice() throws IOException {
        int hot = frames / 2;
        hitsAmong(0, hot, Priority.NORMAL);
        hitsAmong(0, hot, Priority.NORMAL);
        hitsAmong(1_000_000, 1_000_000 + 20 * frames, Priority.NORMAL);
        assertThat(hitsAmong(0, hot, Priority.NORMAL)).isEqualTo(hot);
    }

    @Test
    void highBlocksKeepTheirShareWithoutBeingRead() throws IOException {
        int high = (int) (frames * cache.options().highShare());
        hitsAmong(0, high, Priority.HIGH);
        for (int round = 0; round < 20; round++) {
            hitsAmong(1_000_000, 1_000_000 + 2 * frames, Priority.NORMAL);
        }
        assertThat(hitsAmong(0, high, Priority.HIGH)).isEqualTo(high);
    }

    @Test
    void highBlocksBeyondTheirShareCompeteWithTheOthers() throws IOException {
        hitsAmong(0, frames, Priority.HIGH);
        int normal = frames / 4;
        for (int round = 0; round < 3; round++) {
            hitsAmong(1_000_000, 1_000_000 + normal, Priority.NORMAL);
        }
        assertThat(hitsAmong(1_000_000, 1_000_000 + normal, Priority.NORMAL)).isEqualTo(normal);
        assertThat(cache.statistics().highFrames())
                .isLessThanOrEqualTo((int) (frames * cache.options().highShare()));
    }

    @Test
    void blockThatComesBackSoonIsKept() throws IOException {
        hitsAmong(0, frames, Priority.NORMAL);
        hitsAmong(frames, frames + 100, Priority.NORMAL);
        assertThat(read(0, Priority.NORMAL)).as("evicted").isFalse();
        hitsAmong(1_000_000, 1_000_000 + 5 * frames, Priority.NORMAL);
        assertThat(read(0, Priority.NORMAL)).as("remembered, and kept").isTrue();
    }

    @Test
    void skewedReadsHitAlmostAsOftenAsTheBestChoiceOfBlocksWould() throws IOException {
        // Four fifths of the reads go to a set of half the cache, the rest to twenty caches.
        long state = 42;
        for (int i = 0; i < 40 * frames; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            int value = (int) (state >>> 33);
            boolean hot = value % 5 != 0;
            int blockNumber =
                    hot ? value / 5 % (frames / 2) : 1_000_000 + value / 5 % (20 * frames);
            if (i == 8 * frames) {
                lookups = 0;
                hits = 0;
            }
            read(blockNumber, Priority.NORMAL);
        }
        double best = 0.8 + 0.2 * 0.5 / 20;
        assertThat((double) hits / lookups).isGreaterThan(best - 0.02);
    }

    @Test
    void mixedSizesKeepTheCacheFull() throws IOException {
        long state = 7;
        for (int i = 0; i < 20_000; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            int blockNumber = (int) (state >>> 40) % 10_000;
            int length = 1 + blockNumber * 37 % (blockNumber % 10 == 0 ? 2 << 10 : FRAME_BYTES);
            read(blockNumber, length, Priority.NORMAL);
        }
        assertThat(cache.statistics().usedFrames()).isGreaterThan(frames * 9 / 10);
    }
}
