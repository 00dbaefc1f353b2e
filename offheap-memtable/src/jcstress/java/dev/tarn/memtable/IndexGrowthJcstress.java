package dev.tarn.memtable;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** A segment is replaced, or the directory doubled, while others read and write. */
final class IndexGrowthJcstress {
    /** So many keys fill the first segment that the next one makes it grow. */
    private static final int FILLING_COUNT = fillingCount();

    private IndexGrowthJcstress() {}

    private static long hash(int key) {
        long mixed = (key + 1) * 0x9e3779b97f4a7c15L;
        return mixed ^ mixed >>> 29;
    }

    private static void fill(JcstressMemtable memtable, int count) {
        for (int key = 0; key < count; key++) {
            memtable.put(hash(key), key, key + 1, 1);
        }
    }

    private static int get(JcstressMemtable memtable, int key) {
        return memtable.get(hash(key), key, 1);
    }

    private static void put(JcstressMemtable memtable, int key) {
        memtable.put(hash(key), key, key + 1, 1);
    }

    private static int fillingCount() {
        JcstressMemtable memtable = new JcstressMemtable(WriterMode.SINGLE);
        put(memtable, 0);
        IndexDirectory directory = memtable.memtable().index().directory;
        long segment = directory.entries.get(0);
        int count = 1;
        while (directory.entries.get(0) == segment) {
            put(memtable, count++);
        }
        memtable.close();
        return count - 1;
    }

    /** Returns 1 if all filling keys are found, otherwise 0. */
    private static int allFound(JcstressMemtable memtable) {
        int found = 1;
        for (int key = 0; key < FILLING_COUNT; key++) {
            found &= get(memtable, key) == key + 1 ? 1 : 0;
        }
        return found;
    }

    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "every key is always there")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a reader missed a key in the replaced segment")
    @State
    public static class ReaderBesideSingleWriter {
        private final JcstressMemtable memtable = new JcstressMemtable(WriterMode.SINGLE);

        public ReaderBesideSingleWriter() {
            fill(memtable, FILLING_COUNT);
            memtable.memtable().releaseWriter();
        }

        @Actor
        public void writer() {
            // The second goes on to fill the memory of the replaced segment.
            put(memtable, FILLING_COUNT);
            put(memtable, FILLING_COUNT + 1);
        }

        @Actor
        public void reader(II_Result result) {
            result.r1 = get(memtable, 0) == 1 ? 1 : 0;
            result.r2 = get(memtable, FILLING_COUNT / 2) == FILLING_COUNT / 2 + 1 ? 1 : 0;
        }

        @Arbiter
        public void arbiter() {
            memtable.close();
        }
    }

    @JCStressTest
    @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "both helped, nothing is lost")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a key is lost")
    @State
    public static class TwoWriters {
        private final JcstressMemtable memtable = new JcstressMemtable(WriterMode.MULTI);

        public TwoWriters() {
            fill(memtable, FILLING_COUNT);
        }

        @Actor
        public void first() {
            put(memtable, FILLING_COUNT);
        }

        @Actor
        public void second() {
            put(memtable, FILLING_COUNT + 1);
        }

        @Arbiter
        public void arbiter(III_Result result) {
            result.r1 = get(memtable, FILLING_COUNT) == FILLING_COUNT + 1 ? 1 : 0;
            result.r2 = get(memtable, FILLING_COUNT + 1) == FILLING_COUNT + 2 ? 1 : 0;
            result.r3 = allFound(memtable);
            memtable.close();
        }
    }

    /** A slot of the segment that is being frozen gets a new version. */
    @JCStressTest
    @Outcome(id = "1, 77, 1, 1", expect = Expect.ACCEPTABLE, desc = "the new version moved along")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a version is lost in the copy")
    @State
    public static class UpdateBesideGrowth {
        private final JcstressMemtable memtable = new JcstressMemtable(WriterMode.MULTI);

        public UpdateBesideGrowth() {
            fill(memtable, FILLING_COUNT);
        }

        @Actor
        public void grower() {
            put(memtable, FILLING_COUNT);
        }

        @Actor
        public void updater() {
            memtable.put(hash(0), 0, 77, 2);
        }

        @Arbiter
        public void arbiter(IIII_Result result) {
            result.r1 = get(memtable, 0);
            result.r2 = memtable.get(hash(0), 0, 2);
            result.r3 = get(memtable, FILLING_COUNT) == FILLING_COUNT + 1 ? 1 : 0;
            result.r4 = allFound(memtable);
            memtable.close();
        }
    }

    /** The directory doubles while a segment it names is replaced. */
    @JCStressTest
    @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "the entry moved along")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the doubled directory has the old segment")
    @State
    public static class DirectoryBesideGrowth {
        private final JcstressMemtable memtable = new JcstressMemtable(WriterMode.MULTI);

        public DirectoryBesideGrowth() {
            fill(memtable, FILLING_COUNT);
        }

        @Actor
        public void doubler(III_Result result) {
            SlotIndex index = memtable.memtable().index();
            index.deepen(index.directory);
            result.r1 = get(memtable, 0) == 1 ? 1 : 0;
        }

        @Actor
        public void grower() {
            put(memtable, FILLING_COUNT);
        }

        @Arbiter
        public void arbiter(III_Result result) {
            result.r2 = get(memtable, FILLING_COUNT) == FILLING_COUNT + 1 ? 1 : 0;
            result.r3 = allFound(memtable);
            memtable.close();
        }
    }
}
