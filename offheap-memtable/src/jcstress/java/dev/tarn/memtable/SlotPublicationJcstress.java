package dev.tarn.memtable;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** A reader sees an entry whole or not at all, and never an older one after a newer one. */
final class SlotPublicationJcstress {
    private static final long HASH = 0x0123456789abcdefL;

    private SlotPublicationJcstress() {}

    @JCStressTest
    @Outcome(id = "0, 0, 2", expect = Expect.ACCEPTABLE, desc = "read before both")
    @Outcome(id = "0, 1, 2", expect = Expect.ACCEPTABLE, desc = "read between")
    @Outcome(id = "0, 2, 2", expect = Expect.ACCEPTABLE, desc = "read around both")
    @Outcome(id = "1, 1, 2", expect = Expect.ACCEPTABLE, desc = "read between")
    @Outcome(id = "1, 2, 2", expect = Expect.ACCEPTABLE, desc = "read around the second")
    @Outcome(id = "2, 2, 2", expect = Expect.ACCEPTABLE, desc = "read after both")
    @Outcome(expect = Expect.FORBIDDEN, desc = "torn, lost or going back")
    @State
    public static class Single {
        private final JcstressMemtable memtable = new JcstressMemtable(WriterMode.SINGLE);

        @Actor
        public void writer() {
            memtable.put(HASH, 7, 1, 10);
            memtable.put(HASH, 7, 2, 11);
        }

        @Actor
        public void reader(III_Result result) {
            result.r1 = memtable.get(HASH, 7, 100);
            result.r2 = memtable.get(HASH, 7, 100);
        }

        @Arbiter
        public void arbiter(III_Result result) {
            result.r3 = memtable.get(HASH, 7, 100);
            memtable.close();
        }
    }

    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "one slot, both versions")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a version is lost, or the tag has two slots")
    @State
    public static class TwoWriters {
        private final JcstressMemtable memtable = new JcstressMemtable(WriterMode.MULTI);

        @Actor
        public void first() {
            memtable.put(HASH, 7, 1, 10);
        }

        @Actor
        public void second() {
            memtable.put(HASH, 7, 2, 11);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = memtable.get(HASH, 7, 10);
            result.r2 = memtable.get(HASH, 7, 11);
            memtable.close();
        }
    }

    /** Two tags of one line: both writers want the same empty slot. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "two slots")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a slot is overwritten")
    @State
    public static class TwoTagsOneLine {
        private static final long NEIGHBOUR = HASH ^ 1L << 33;

        private final JcstressMemtable memtable = new JcstressMemtable(WriterMode.MULTI);

        @Actor
        public void first() {
            memtable.put(HASH, 7, 1, 10);
        }

        @Actor
        public void second() {
            memtable.put(NEIGHBOUR, 8, 2, 10);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = memtable.get(HASH, 7, 10);
            result.r2 = memtable.get(NEIGHBOUR, 8, 10);
            memtable.close();
        }
    }
}
