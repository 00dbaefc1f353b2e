package dev.tarn.jmh.sst;

import dev.tarn.jmh.data.PhaseRunner;
import dev.tarn.jmh.data.Probes;
import dev.tarn.jmh.data.ProcessIo;
import dev.tarn.jmh.data.Records;
import dev.tarn.jmh.data.TemporaryDirectory;
import java.util.Arrays;
import java.util.SplittableRandom;
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
 * What does each phase in the life of a sorted file cost, peer by peer: build it from sorted input,
 * look up stored and absent keys when all of it is in memory, in batches of 64 and a million sorted
 * keys, scan it, and look keys up when nothing of it is in memory?
 *
 * <p>One iteration is one life, and its phases are reported as secondary results, for the reason
 * given at {@link dev.tarn.jmh.memtable.MemtableShootout}; answers are checked against their known
 * sum. With several files every key is in one of them and all their ranges overlap, as the sorted
 * runs of a bucket do; stores that have one tree keep one.
 *
 * <p>Cold lookups are of keys far enough apart that no two share a block, in random order, with
 * empty caches; their reads are counted by the kernel.
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
            "--enable-native-access=ALL-UNNAMED",
            "--add-opens",
            "java.base/java.nio=ALL-UNNAMED",
            "--add-opens",
            "java.base/sun.nio.ch=ALL-UNNAMED"
        })
public class SstShootout {
    static final int BATCH_LENGTH = 64;

    private static final int VALUE_LENGTH = 100;
    private static final int PROBES = Probes.COUNT / 2;
    private static final int WARMUP_PROBES = Probes.COUNT / 8;
    private static final int SORTED_PROBES = 1_000_000;

    /** A block of 4 KiB holds fewer than 40 records of 108 bytes. */
    private static final int RECORDS_PER_BLOCK_MAX = 64;

    /** Every so many records one is read, to bring every block into memory. */
    private static final int RECORDS_PER_TOUCH = 16;

    private static final int COLD_PROBES_MAX = 10_000;

    @Param({"TARN", "ROCKSDB", "PAIMON_TUNED", "PAIMON", "LMDB", "MVSTORE"})
    public SstPeers peer;

    @Param("5000000")
    public int entries;

    /** Bytes; values have 100. */
    @Param("8")
    public int keyLength;

    /** Sorted runs; every key is in one of them. */
    @Param({"1", "8"})
    public int files;

    private Records records;
    private long[] sortedRecords;
    private long[][] prefixesByFile;
    private long[] hits;
    private long[] misses;
    private long[] batches;
    private long[] sortedProbes;
    private long[] coldHits;

    /** Results per operation: nanoseconds, bytes on the Java heap, or counts. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Phases {
        public double buildNanos;
        public double hitNanos;
        public double missNanos;
        public double multiGetNanos;
        public double sortedNanos;
        public double scanNanos;
        public double hitGarbageBytes;
        public double missGarbageBytes;
        public double multiGetGarbageBytes;
        public double coldHitNanos;
        public double coldHitReadCalls;
        public double coldHitDeviceBytes;
        public double coldMissReadCalls;

        /** 1 if the page cache of the machine was dropped too, 0 if that was not allowed. */
        public double coldPageCacheDropped;
    }

    @Setup(Level.Iteration)
    public void setUp(IterationParams iteration) {
        boolean warmup = iteration.getType() == IterationType.WARMUP;
        int live = warmup ? Math.max(100_000, entries / 10) : entries;
        int probes = warmup ? WARMUP_PROBES : PROBES;
        records = new Records(keyLength, VALUE_LENGTH);
        sortedRecords = Probes.sortedRecords(live);
        prefixesByFile = split(sortedRecords, files);
        hits = Probes.hits(probes, live, 0);
        misses = Probes.misses(probes, live, 0);
        batches = Probes.sortedBatches(Probes.hits(probes, live, 1), BATCH_LENGTH);
        sortedProbes = Probes.sortedDistinct(Probes.hits(Math.min(live, SORTED_PROBES), live, 2));
        coldHits = distantRecords(sortedRecords, files);
    }

    /** Deals the records out like cards, so that every file covers the whole range of keys. */
    static long[][] split(long[] sorted, int files) {
        long[][] split = new long[files][];
        for (int file = 0; file < files; file++) {
            split[file] = new long[(sorted.length - file + files - 1) / files];
            for (int i = 0; i < split[file].length; i++) {
                split[file][i] = sorted[i * files + file];
            }
        }
        return split;
    }

    private static long[] distantRecords(long[] sorted, int files) {
        int distance = Math.max(RECORDS_PER_BLOCK_MAX * files, sorted.length / COLD_PROBES_MAX);
        // A multiple of the files plus one moves on to another file each time.
        long[] distant = new long[sorted.length / (distance + 1)];
        for (int i = 0; i < distant.length; i++) {
            distant[i] = sorted[i * (distance + 1)];
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int i = distant.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            long swapped = distant[i];
            distant[i] = distant[j];
            distant[j] = swapped;
        }
        return distant;
    }

    @Benchmark
    public void life(Phases phases) throws Exception {
        try (TemporaryDirectory directory = new TemporaryDirectory("tarn-sst");
                PhaseRunner runner = new PhaseRunner(1)) {
            SstPeer store = peer.create(records, directory.path());
            var build = runner.run(thread -> built(store));
            phases.buildNanos = (double) build.nanos() / sortedRecords.length;
            store.open();
            try {
                warm(store, phases, runner);
            } finally {
                store.close();
            }
            cold(store, phases);
        }
    }

    private long built(SstPeer store) throws Exception {
        store.build(prefixesByFile);
        return 0;
    }

    private void warm(SstPeer store, Phases phases, PhaseRunner runner) {
        runner.run(thread -> touchAll(store));

        var hit = runner.run(thread -> getAll(store, hits));
        check("hit", expectedSum(hits), hit.sum());
        phases.hitNanos = (double) hit.nanos() / hits.length;
        phases.hitGarbageBytes = (double) hit.allocatedBytes() / hits.length;

        var miss = runner.run(thread -> getAll(store, misses));
        check("miss", misses.length * Records.ABSENT, miss.sum());
        phases.missNanos = (double) miss.nanos() / misses.length;
        phases.missGarbageBytes = (double) miss.allocatedBytes() / misses.length;

        var multi = runner.run(thread -> multiGetAll(store, batches));
        check("multiGet", expectedSum(batches), multi.sum());
        phases.multiGetNanos = (double) multi.nanos() / batches.length;
        phases.multiGetGarbageBytes = (double) multi.allocatedBytes() / batches.length;

        var sorted = runner.run(thread -> store.getSorted(sortedProbes));
        check("sorted", expectedSum(sortedProbes), sorted.sum());
        phases.sortedNanos = (double) sorted.nanos() / sortedProbes.length;

        if (store.canScan()) {
            var scan = runner.run(thread -> store.scan());
            check("scan", expectedSum(sortedRecords), scan.sum());
            phases.scanNanos = (double) scan.nanos() / sortedRecords.length;
        }
    }

    private void cold(SstPeer store, Phases phases) throws Exception {
        phases.coldPageCacheDropped = ProcessIo.dropPageCache() ? 1 : 0;
        store.open();
        try {
            ProcessIo first = ProcessIo.now();
            ProcessIo second = ProcessIo.now();
            ProcessIo cost = second.since(first, new ProcessIo(0, 0));

            long start = System.nanoTime();
            long sum = getAll(store, coldHits);
            long nanos = System.nanoTime() - start;
            ProcessIo afterHits = ProcessIo.now();
            check("cold hit", expectedSum(coldHits), sum);
            phases.coldHitNanos = (double) nanos / coldHits.length;
            ProcessIo hit = afterHits.since(second, cost);
            phases.coldHitReadCalls = (double) hit.readCalls() / coldHits.length;
            phases.coldHitDeviceBytes = (double) hit.deviceBytes() / coldHits.length;

            ProcessIo beforeMisses = ProcessIo.now();
            long missSum = getAll(store, misses);
            ProcessIo afterMisses = ProcessIo.now();
            check("cold miss", misses.length * Records.ABSENT, missSum);
            ProcessIo miss = afterMisses.since(beforeMisses, cost);
            phases.coldMissReadCalls = (double) miss.readCalls() / misses.length;
        } finally {
            store.close();
        }
    }

    private long touchAll(SstPeer store) throws Exception {
        long sum = 0;
        for (long[] prefixes : prefixesByFile) {
            for (int i = 0; i < prefixes.length; i += RECORDS_PER_TOUCH) {
                sum += store.get(prefixes[i]);
            }
        }
        return sum;
    }

    private static long getAll(SstPeer store, long[] prefixes) throws Exception {
        long sum = 0;
        for (long prefix : prefixes) {
            sum += store.get(prefix);
        }
        return sum;
    }

    private static long multiGetAll(SstPeer store, long[] prefixes) throws Exception {
        long sum = 0;
        for (int from = 0; from < prefixes.length; from += BATCH_LENGTH) {
            sum += store.multiGet(prefixes, from, BATCH_LENGTH);
        }
        return sum;
    }

    private long expectedSum(long[] prefixes) {
        return Arrays.stream(prefixes).map(records::expectedSum).sum();
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
}
