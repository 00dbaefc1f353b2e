package dev.tarn.memtable;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

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
}
