package dev.tarn.sst.cache;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** One load per missing block, and blocks of a forgotten file that do not stay. */
final class LoadJcstress {
    private static final int FRAME_BYTES = 64;

    /** Holds a block for every instance that a test keeps at once. */
    private static final BlockCache CACHE =
            new BlockCache(
                    MemoryAccountant.unlimited(),
                    BlockCacheOptions.builder(32 << 20).frameBytes(FRAME_BYTES).build());

    private static final int FILE = CACHE.newFileId();
    private static final AtomicInteger NEXT_BLOCK = new AtomicInteger();

    private LoadJcstress() {}

    @JCStressTest
    @Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "one load, both have its frame and bytes")
    @Outcome(expect = FORBIDDEN, desc = "loaded twice, two frames, or wrong bytes")
    @State
    public static class TwoLoadsOfOneBlock {
        private final long tag = BlockCache.tag(FILE, NEXT_BLOCK.getAndIncrement());
        private final AtomicInteger loads = new AtomicInteger();
        private int firstFrame;
        private int secondFrame;

        @Actor
        public void first(III_Result result) {
            firstFrame = load(tag, loads);
            result.r1 = holds(firstFrame, tag) ? 1 : 0;
        }

        @Actor
        public void second(III_Result result) {
            secondFrame = load(tag, loads);
            result.r2 = holds(secondFrame, tag) ? 1 : 0;
        }

        @Arbiter
        public void compare(III_Result result) {
            result.r3 = firstFrame == secondFrame ? loads.get() : -1;
            CACHE.unpin(firstFrame);
            CACHE.unpin(secondFrame);
        }
    }

    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "loaded, its pin outlived the file")
    @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "the file was forgotten first")
    @Outcome(expect = FORBIDDEN, desc = "wrong bytes, or a block of a forgotten file stayed")
    @State
    public static class LoadAgainstForgetting {
        private final int fileId = CACHE.newFileId();
        private final long tag = BlockCache.tag(fileId, 1);
        private int frame = BlockCache.NOT_RESIDENT;

        @Actor
        public void loader(II_Result result) {
            try {
                frame = load(tag, new AtomicInteger());
                result.r1 = holds(frame, tag) ? 1 : 0;
                CACHE.unpin(frame);
            } catch (ClosedException e) {
                result.r1 = 2;
            }
        }

        @Actor
        public void forgetter() {
            CACHE.forgetFile(fileId);
        }

        @Arbiter
        public void look(II_Result result) {
            boolean found = CACHE.find(tag, frame) != BlockCache.NOT_RESIDENT;
            result.r2 = found || CACHE.statistics().pinnedForgottenBlocks() != 0 ? 1 : 0;
        }
    }

    private static int load(long tag, AtomicInteger loads) {
        try {
            return CACHE.load(
                    tag,
                    FRAME_BYTES,
                    Priority.NORMAL,
                    (target, targetOffset, rawLength) -> {
                        loads.incrementAndGet();
                        target.putLong(targetOffset, tag);
                        target.putLong(targetOffset + FRAME_BYTES - Long.BYTES, ~tag);
                    });
        } catch (IOException e) {
            throw new AssertionError("the loader does not throw", e);
        }
    }

    private static boolean holds(int frame, long tag) {
        int offset = CACHE.offset(frame);
        return CACHE.memory(frame).getLong(offset) == tag
                && CACHE.memory(frame).getLong(offset + FRAME_BYTES - Long.BYTES) == ~tag;
    }
}
