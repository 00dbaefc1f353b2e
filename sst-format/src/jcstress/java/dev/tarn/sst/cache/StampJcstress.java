package dev.tarn.sst.cache;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A validated copy belongs to one block, whole, however evictions and reloads run beside it. */
final class StampJcstress {
    private static final FrameTable FRAMES = StressedFrames.FRAMES;
    private static final long OLD = 1;
    private static final long NEW = 2;

    private StampJcstress() {}

    /** Block 1 is evicted and block 2 loaded into its frame while a reader copies block 1. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "copied before the eviction")
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "evicted before or during the copy")
    @Outcome(expect = FORBIDDEN, desc = "a torn or foreign copy was validated")
    @State
    public static class CopyOfTheOldBlock {
        private final int frame = StressedFrames.newFrame(OLD, 0);

        @Actor
        public void reader(JJ_Result result) {
            copy(frame, OLD, result);
        }

        @Actor
        public void evictor() {
            evictAndLoad(frame);
        }
    }

    /** The same for a reader that wants block 2: publication. */
    @JCStressTest
    @Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "copied after the load")
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "not there yet")
    @Outcome(expect = FORBIDDEN, desc = "a block was seen before its bytes")
    @State
    public static class CopyOfTheNewBlock {
        private final int frame = StressedFrames.newFrame(OLD, 0);

        @Actor
        public void reader(JJ_Result result) {
            copy(frame, NEW, result);
        }

        @Actor
        public void evictor() {
            evictAndLoad(frame);
        }
    }

    /** The frame comes back to block 1 by way of block 2: only the generation tells. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "copied before or after")
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "disturbed")
    @Outcome(expect = FORBIDDEN, desc = "a torn or foreign copy was validated")
    @State
    public static class CopyWhileTheBlockGoesAndComesBack {
        private final int frame = StressedFrames.newFrame(OLD, 0);

        @Actor
        public void reader(JJ_Result result) {
            copy(frame, OLD, result);
        }

        @Actor
        public void evictor() {
            evictAndLoad(frame);
            FRAMES.tryClaim(frame);
            StressedFrames.load(frame, OLD, 0);
        }
    }

    private static void copy(int frame, long tag, JJ_Result result) {
        long stamp = FRAMES.stamp(frame, tag);
        long first = StressedFrames.first(frame);
        long second = StressedFrames.second(frame);
        boolean valid = stamp >= 0 && FRAMES.validate(frame, stamp);
        result.r1 = valid ? first : -1;
        result.r2 = valid ? second : -1;
    }

    private static void evictAndLoad(int frame) {
        FRAMES.tryClaim(frame);
        StressedFrames.load(frame, NEW, 0);
    }
}
