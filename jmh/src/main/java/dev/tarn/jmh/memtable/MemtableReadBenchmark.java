package dev.tarn.jmh.memtable;

import dev.tarn.jmh.data.Probes;
import dev.tarn.jmh.data.Records;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
 * What does one read of a filled memtable cost at steady state? For tuning one peer, with {@code
 * -prof gc}, {@code -t 2} or a profiler; the comparison of all is {@link MemtableShootout}.
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
            "--enable-native-access=ALL-UNNAMED"
        })
public class MemtableReadBenchmark {
    private static final int VALUE_LENGTH = 100;
    private static final int BATCH_LENGTH = 64;

    @Param({"TARN"})
    public MemtablePeers peer;

    @Param("5000000")
    public int entries;

    @Param("16")
    public int keyLength;

    private MemtablePeer memtable;
    private final AtomicInteger streams = new AtomicInteger();

    @Setup(Level.Trial)
    public void setUp() {
        memtable = peer.open(new Records(keyLength, VALUE_LENGTH), entries, 1);
        MemtablePeer.Session session = memtable.newSession();
        for (int i = 0; i < entries; i++) {
            session.put(Records.prefix(i));
        }
    }

    @TearDown(Level.Trial)
    public void tearDown() {
        memtable.close();
    }

    /** One thread's session and probes. */
    @State(Scope.Thread)
    public static class Reader {
        private MemtablePeer.Session session;
        private long[] hits;
        private long[] misses;
        private int index;

        @Setup(Level.Trial)
        public void setUp(MemtableReadBenchmark benchmark) {
            int stream = benchmark.streams.getAndIncrement();
            session = benchmark.memtable.newSession();
            hits = Probes.hits(Probes.COUNT, benchmark.entries, stream);
            misses = Probes.misses(Probes.COUNT, benchmark.entries, stream);
        }

        private int next(int count) {
            int from = index;
            index = (from + count) & (Probes.COUNT - 1);
            return from;
        }
    }

    @Benchmark
    public long hit(Reader reader) {
        return reader.session.get(reader.hits[reader.next(1)]);
    }

    @Benchmark
    public long miss(Reader reader) {
        return reader.session.get(reader.misses[reader.next(1)]);
    }

    @Benchmark
    @OperationsPerInvocation(BATCH_LENGTH)
    public long multiGet(Reader reader) {
        return reader.session.multiGet(reader.hits, reader.next(BATCH_LENGTH), BATCH_LENGTH);
    }
}
