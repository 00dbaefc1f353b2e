package dev.tarn.sst.cache;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JZ_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A pinned frame keeps its block, and the last one to let go of a doomed block frees it. */
final class PinJcstress {
    private static final FrameTable FRAMES = StressedFrames.FRAMES;
    private static final long OLD = 1;
    private static final long NEW = 2;

    private PinJcstress() {}

    @JCStressTest
    @Outcome(id = "1, false", expect = ACCEPTABLE, desc = "pinned first")
    @Outcome(id = "-1, true", expect = ACCEPTABLE, desc = "evicted first")
    @Outcome(expect = FORBIDDEN, desc = "both, neither, or foreign bytes under a pin")
    @State
    public static class PinAgainstEviction {
        private final int frame = StressedFrames.newFrame(OLD, 0);

        @Actor
        public void reader(JZ_Result result) {
            result.r1 = FRAMES.tryPin(frame, OLD) ? StressedFrames.first(frame) : -1;
        }

        @Actor
        public void evictor(JZ_Result result) {
            result.r2 = FRAMES.tryClaim(frame);
            if (result.r2) {
                StressedFrames.load(frame, NEW, 0);
            }
        }
    }

    @JCStressTest
    @Outcome(id = "2, true", expect = ACCEPTABLE, desc = "pinned after the load")
    @Outcome(id = "-1, true", expect = ACCEPTABLE, desc = "not there yet")
    @Outcome(expect = FORBIDDEN, desc = "pinned before its bytes were there")
    @State
    public static class PinAgainstLoad {
        private final int frame = StressedFrames.newFrame(OLD, 0);

        @Actor
        public void reader(JZ_Result result) {
            result.r1 = FRAMES.tryPin(frame, NEW) ? StressedFrames.second(frame) : -1;
        }

        @Actor
        public void evictor(JZ_Result result) {
            result.r2 = FRAMES.tryClaim(frame);
            if (result.r2) {
                StressedFrames.load(frame, NEW, 0);
            }
        }
    }

    /** The bytes are read before the unpin and overwritten after the eviction that it allows. */
    @JCStressTest
    @Outcome(id = "1, true", expect = ACCEPTABLE, desc = "unpinned, then evicted")
    @Outcome(id = "1, false", expect = ACCEPTABLE, desc = "still pinned")
    @Outcome(expect = FORBIDDEN, desc = "bytes changed under the pin")
    @State
    public static class UnpinAgainstEviction {
        private final int frame = StressedFrames.newFrame(OLD, 1);

        @Actor
        public void reader(JZ_Result result) {
            result.r1 = StressedFrames.second(frame);
            FRAMES.unpin(frame);
        }

        @Actor
        public void evictor(JZ_Result result) {
            result.r2 = FRAMES.tryClaim(frame);
            if (result.r2) {
                StressedFrames.load(frame, NEW, 0);
            }
        }
    }

    /** The file is forgotten while the last pin is given back: exactly one of the two frees. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "doomed first: the unpin frees")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "unpinned first: forgetting frees")
    @Outcome(expect = FORBIDDEN, desc = "freed twice or never")
    @State
    public static class UnpinAgainstDoom {
        private final int frame = StressedFrames.newFrame(OLD, 1);

        @Actor
        public void reader(ZZ_Result result) {
            result.r1 = FRAMES.unpin(frame);
        }

        @Actor
        public void forgetter(ZZ_Result result) {
            result.r2 = !FRAMES.tryDoom(frame) && FRAMES.tryClaim(frame);
        }
    }

    @JCStressTest
    @Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "the first thread was last")
    @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "the second thread was last")
    @Outcome(expect = FORBIDDEN, desc = "freed twice or never, or a pin was lost")
    @State
    public static class TwoUnpinsOfADoomedBlock {
        private final int frame = StressedFrames.newFrame(OLD, 2);

        public TwoUnpinsOfADoomedBlock() {
            FRAMES.tryDoom(frame);
        }

        @Actor
        public void first(ZZI_Result result) {
            result.r1 = FRAMES.unpin(frame);
        }

        @Actor
        public void second(ZZI_Result result) {
            result.r2 = FRAMES.unpin(frame);
        }

        @Arbiter
        public void pins(ZZI_Result result) {
            result.r3 = FrameTable.pins(FRAMES.word(frame));
        }
    }

    /** The reference bit and pins share a word: neither swallows the other. */
    @JCStressTest
    @Outcome(id = "true, true, 1", expect = ACCEPTABLE, desc = "stamped and pinned")
    @Outcome(expect = FORBIDDEN, desc = "a pin was lost")
    @State
    public static class StampAgainstPin {
        private final int frame = StressedFrames.newFrame(OLD, 0);

        @Actor
        public void stamper(ZZI_Result result) {
            result.r1 = FRAMES.stamp(frame, OLD) >= 0;
        }

        @Actor
        public void pinner(ZZI_Result result) {
            result.r2 = FRAMES.tryPin(frame, OLD);
        }

        @Arbiter
        public void pins(ZZI_Result result) {
            result.r3 = FrameTable.pins(FRAMES.word(frame));
        }
    }
}
