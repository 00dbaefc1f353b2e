package dev.tarn.jmh.memtable;

import dev.tarn.jmh.data.PhaseRunner;
import dev.tarn.jmh.data.Probes;
import dev.tarn.jmh.data.Records;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * What does each phase in the life of a memtable cost, peer by peer: fill it in random order, look
 * up stored and absent keys one by one and in batches of 64, seal and sort it, read it in order?
 *
 * <p>One iteration is one life, and its phases are reported as secondary results: filling a skip
 * list of five million entries takes twenty seconds, so a benchmark per phase, each filling its
 * own, could not run in one sitting. Every phase is at least a quarter million operations between
 * two clock readings, and its answers are checked against their known sum. Warm-up lives are a
 * tenth the size.
 *
 * <p>Times are wall time over the operations of all threads: with two threads that do not hinder
 * each other they halve.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 1, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 2, time = 1, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 2,
        jvmArgsAppend = {
            "-Xms5g",
            "-Xmx5g",
            "-XX:+UseParallelGC",
            "-XX:MaxDirectMemorySize=8g",
            "--enable-native-access=ALL-UNNAMED"
        })
public class MemtableShootout {
    private static final int VALUE_LENGTH = 100;
    private static final int BATCH_LENGTH = 64;

    /** Loops run in slices, so that the JIT compiles a method, not one endless loop. */
    private static final int SLICE_LENGTH = 4096;

    private static final int PROBES = Probes.COUNT / 2;
    private static final int WARMUP_PROBES = Probes.COUNT / 8;

    @Param({"TARN", "TARN_MULTI", "CSLM", "TREEMAP", "SKIPLIST", "ROCKSDB"})
    public MemtablePeers peer;

    @Param("5000000")
    public int entries;

    /** Bytes; values have 100. */
    @Param("16")
    public int keyLength;

    @Param("1")
    public int threads;

    private Records records;
    private int liveEntries;
    private long[][] hits;
    private long[][] misses;
    private long[][] batches;
    private long expectedHitSum;
    private long expectedScanSum;

    /** Results per operation, in nanoseconds of wall time or in bytes on the Java heap. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Phases {
        public double putNanos;
        public double hitNanos;
        public double missNanos;
        public double multiGetNanos;
        public double sealNanos;
        public double scanNanos;
        public double putGarbageBytes;
        public double hitGarbageBytes;
        public double missGarbageBytes;
        public double multiGetGarbageBytes;
        public double entryBytes;
    }

    @Setup(Level.Iteration)
    public void setUp(IterationParams iteration) {
        boolean warmup = iteration.getType() == IterationType.WARMUP;
        records = new Records(keyLength, VALUE_LENGTH);
        liveEntries = warmup ? Math.max(100_000, entries / 10) : entries;
        int probes = warmup ? WARMUP_PROBES : PROBES;
        hits = new long[threads][];
        misses = new long[threads][];
        batches = new long[threads][];
        expectedHitSum = 0;
        for (int thread = 0; thread < threads; thread++) {
            hits[thread] = Probes.hits(probes, liveEntries, thread);
            misses[thread] = Probes.misses(probes, liveEntries, thread);
            batches[thread] = Probes.hits(probes, liveEntries, threads + thread);
            for (long prefix : hits[thread]) {
                expectedHitSum += records.expectedSum(prefix);
            }
        }
        expectedScanSum = 0;
        for (int i = 0; i < liveEntries; i++) {
            expectedScanSum += records.expectedSum(Records.prefix(i));
        }
    }

    @Benchmark
    public void life(Phases phases) {
        MemtablePeer memtable = peer.open(records, liveEntries, threads);
        try (PhaseRunner runner = new PhaseRunner(threads)) {
            List<MemtablePeer.Session> sessions = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                sessions.add(memtable.newSession());
            }
            var put = runner.run(thread -> fill(sessions.get(thread), thread));
            phases.putNanos = (double) put.nanos() / liveEntries;
            phases.putGarbageBytes = (double) put.allocatedBytes() / liveEntries;
            boolean onHeap = memtable.offHeapBytes() == MemtablePeer.ON_HEAP;
            long filledBytes = onHeap ? usedHeapBytes() : memtable.offHeapBytes();

            double probes = (double) threads * hits[0].length;
            var hit = runner.run(thread -> getAll(sessions.get(thread), hits[thread]));
            check("hit", expectedHitSum, hit.sum());
            phases.hitNanos = hit.nanos() / probes;
            phases.hitGarbageBytes = hit.allocatedBytes() / probes;

            var miss = runner.run(thread -> getAll(sessions.get(thread), misses[thread]));
            check("miss", ((long) probes) * Records.ABSENT, miss.sum());
            phases.missNanos = miss.nanos() / probes;
            phases.missGarbageBytes = miss.allocatedBytes() / probes;

            var multi = runner.run(thread -> multiGetAll(sessions.get(thread), batches[thread]));
            check("multiGet", expectedSum(batches), multi.sum());
            phases.multiGetNanos = multi.nanos() / probes;
            phases.multiGetGarbageBytes = multi.allocatedBytes() / probes;

            var seal = runner.run(thread -> thread == 0 ? sealed(memtable) : 0);
            phases.sealNanos = (double) seal.nanos() / liveEntries;

            var scan = runner.run(thread -> thread == 0 ? memtable.scan() : 0);
            phases.scanNanos = (double) scan.nanos() / liveEntries;
            check("scan", expectedScanSum, scan.sum());

            memtable.close();
            long emptyBytes = onHeap ? usedHeapBytes() : 0;
            phases.entryBytes = (double) (filledBytes - emptyBytes) / liveEntries;
        }
    }

    /** Thread {@code t} of {@code n} writes the slices {@code t}, {@code t + n} and so on. */
    private long fill(MemtablePeer.Session session, int thread) {
        int stride = SLICE_LENGTH * threads;
        for (int from = thread * SLICE_LENGTH; from < liveEntries; from += stride) {
            fillSlice(session, from, Math.min(liveEntries, from + SLICE_LENGTH));
        }
        return 0;
    }

    private static void fillSlice(MemtablePeer.Session session, int from, int to) {
        for (int i = from; i < to; i++) {
            session.put(Records.prefix(i));
        }
    }

    private static long getAll(MemtablePeer.Session session, long[] prefixes) {
        long sum = 0;
        for (int from = 0; from < prefixes.length; from += SLICE_LENGTH) {
            sum += getSlice(session, prefixes, from, from + SLICE_LENGTH);
        }
        return sum;
    }

    private static long getSlice(MemtablePeer.Session session, long[] prefixes, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += session.get(prefixes[i]);
        }
        return sum;
    }

    private static long multiGetAll(MemtablePeer.Session session, long[] prefixes) {
        long sum = 0;
        for (int from = 0; from < prefixes.length; from += BATCH_LENGTH) {
            sum += session.multiGet(prefixes, from, BATCH_LENGTH);
        }
        return sum;
    }

    private static long sealed(MemtablePeer memtable) {
        memtable.seal();
        return 0;
    }

    private long expectedSum(long[][] prefixesByThread) {
        long sum = 0;
        for (long[] prefixes : prefixesByThread) {
            for (long prefix : prefixes) {
                sum += records.expectedSum(prefix);
            }
        }
        return sum;
    }

    private static void check(String phase, long expected, long actual) {
        if (expected != actual) {
            throw new AssertionError(
                    "wrong answers: phase="
                            + phase
                            + " expected="
                            + expected
                            + " actual="
                            + actual);
        }
    }

    private static long usedHeapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
