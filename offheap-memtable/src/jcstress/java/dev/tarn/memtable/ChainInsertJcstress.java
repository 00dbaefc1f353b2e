package dev.tarn.memtable;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Late entries are linked into the middle of a chain through the {@code older} word. */
final class ChainInsertJcstress {
    private static final long HASH = 0x0123456789abcdefL;

    private ChainInsertJcstress() {}

    @JCStressTest
    @Outcome(id = "1, 2, 3", expect = Expect.ACCEPTABLE, desc = "all in order")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a late entry is lost or out of order")
    @State
    public static class TwoLateWriters {
        private final JcstressMemtable memtable = new JcstressMemtable(WriterMode.MULTI);

        public TwoLateWriters() {
            memtable.put(HASH, 7, 3, 100);
        }

        @Actor
        public void first() {
            memtable.put(HASH, 7, 1, 10);
        }

        @Actor
        public void second() {
            memtable.put(HASH, 7, 2, 20);
        }

        @Arbiter
        public void arbiter(III_Result result) {
            result.r1 = memtable.get(HASH, 7, 15);
            result.r2 = memtable.get(HASH, 7, 25);
            result.r3 = memtable.get(HASH, 7, 100);
            memtable.close();
        }
    }

    @JCStressTest
    @Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "before")
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "after")
    @Outcome(expect = Expect.FORBIDDEN, desc = "torn, or the newer entry is lost")
    @State
    public static class ReaderBesideLateWriter {
        private final JcstressMemtable memtable = new JcstressMemtable(WriterMode.MULTI);

        public ReaderBesideLateWriter() {
            memtable.put(HASH, 7, 2, 100);
        }

        @Actor
        public void writer() {
            memtable.put(HASH, 7, 1, 10);
        }

        @Actor
        public void reader(II_Result result) {
            result.r1 = memtable.get(HASH, 7, 50);
            result.r2 = memtable.get(HASH, 7, 100);
        }

        @Arbiter
        public void arbiter() {
            memtable.close();
        }
    }
}
