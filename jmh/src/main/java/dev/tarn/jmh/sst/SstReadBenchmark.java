package dev.tarn.jmh.sst;

import dev.tarn.jmh.data.Probes;
import dev.tarn.jmh.data.Records;
import dev.tarn.jmh.data.TemporaryDirectory;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does one read of a warm sorted file cost at steady state? For tuning one peer, with {@code
 * -prof gc} or a profiler; the comparison of all is {@link SstShootout}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
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
public class SstReadBenchmark {
    private static final int VALUE_LENGTH = 100;

    @Param("TARN")
    public SstPeers peer;

    @Param("5000000")
    public int entries;

    @Param("8")
    public int keyLength;

    @Param("1")
    public int files;

    private TemporaryDirectory directory;
    private SstPeer store;
    private long[] hits;
    private long[] misses;
    private long[] batches;
    private int index;

    @Setup(Level.Trial)
    public void setUp() throws Exception {
        directory = new TemporaryDirectory("tarn-sst");
        store = peer.create(new Records(keyLength, VALUE_LENGTH), directory.path());
        long[] sorted = Probes.sortedRecords(entries);
        store.build(SstShootout.split(sorted, files));
        store.open();
        for (long prefix : sorted) {
            store.get(prefix);
        }
        hits = Probes.hits(Probes.COUNT, entries, 0);
        misses = Probes.misses(Probes.COUNT, entries, 0);
        batches =
                Probes.sortedBatches(
                        Probes.hits(Probes.COUNT, entries, 1), SstShootout.BATCH_LENGTH);
    }

    @TearDown(Level.Trial)
    public void tearDown() throws Exception {
        store.close();
        directory.close();
    }

    private int next(int count) {
        int from = index;
        index = (from + count) & (Probes.COUNT - 1);
        return from;
    }

    @Benchmark
    public long hit() throws Exception {
        return store.get(hits[next(1)]);
    }

    @Benchmark
    public long miss() throws Exception {
        return store.get(misses[next(1)]);
    }

    @Benchmark
    @OperationsPerInvocation(SstShootout.BATCH_LENGTH)
    public long multiGet() throws Exception {
        return store.multiGet(batches, next(SstShootout.BATCH_LENGTH), SstShootout.BATCH_LENGTH);
    }
}
