package dev.tarn.memtable;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Sealing and closing against puts and readers. */
final class SealJcstress {
    private static final long HASH = 0x0123456789abcdefL;

    private SealJcstress() {}

    @JCStressTest
    @Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "put, then seal")
    @Outcome(id = "2, 0, 0", expect = Expect.ACCEPTABLE, desc = "seal, then refused")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost after OK, or added after seal returned")
    @State
    public static class PutBesideSeal {
        private final JcstressMemtable memtable = new JcstressMemtable(WriterMode.MULTI);

        @Actor
        public void writer(III_Result result) {
            result.r1 = memtable.put(HASH, 7, 1, 10).ordinal();
        }

        @Actor
        public void sealer(III_Result result) {
            memtable.memtable().seal();
            result.r2 = memtable.get(HASH, 7, 10);
        }

        @Arbiter
        public void arbiter(III_Result result) {
            result.r3 = (int) memtable.memtable().entryCount();
            memtable.close();
        }
    }

    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "retained before the close")
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "closed before")
    @Outcome(expect = Expect.FORBIDDEN, desc = "memory went away under a reader")
    @State
    public static class ReaderBesideClose {
        private final JcstressMemtable memtable = new JcstressMemtable(WriterMode.SINGLE);

        public ReaderBesideClose() {
            memtable.put(HASH, 7, 1, 10);
        }

        @Actor
        public void reader(II_Result result) {
            if (memtable.memtable().tryRetain()) {
                result.r1 = 1;
                result.r2 = memtable.get(HASH, 7, 10);
                memtable.memtable().release();
            }
        }

        @Actor
        public void closer() {
            memtable.close();
        }
    }
}
