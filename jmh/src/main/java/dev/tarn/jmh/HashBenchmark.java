package dev.tarn.jmh;

import dev.tarn.codec.Hash64;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;
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
 * What does hashing a short key cost, against lz4-java's XXHash64 in Java?
 *
 * <p>XXHash64 is measured on a heap array, the input it is fastest on, and on a direct buffer,
 * which is what an off-heap store would give it; {@link Hash64} on off-heap memory of each backend.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class HashBenchmark {
    private static final int COUNT = 256;

    /** Bytes per key. */
    @Param({"16"})
    public int keyLength;

    private byte[] array;
    private ByteBuffer buffer;
    private MemoryRegion region;
    private OffHeapMemory memory;
    private XXHash64 xxHash;

    @Setup(Level.Trial)
    public void setUp() {
        array = new byte[COUNT * keyLength];
        new SplittableRandom(1).nextBytes(array);
        buffer = ByteBuffer.allocateDirect(array.length).put(0, array);
        region =
                MemoryRegion.allocate(
                        MemoryAccountant.unlimited(),
                        MemoryPurpose.IO_BUFFER,
                        array.length,
                        MemoryRegion.CACHE_LINE_BYTES);
        memory = region.memory();
        memory.putBytes(0, array, 0, array.length);
        xxHash = XXHashFactory.fastestJavaInstance().hash64();
    }

    @TearDown(Level.Trial)
    public void tearDown() {
        region.close();
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long xxHash64Array() {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) {
            sum ^= xxHash.hash(array, i * keyLength, keyLength, 0);
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long xxHash64DirectByteBuffer() {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) {
            sum ^= xxHash.hash(buffer, i * keyLength, keyLength, 0);
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long hash64Array() {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) {
            sum ^= Hash64.hash(array, i * keyLength, keyLength);
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    @Fork(value = 3, jvmArgsAppend = "-Ddev.tarn.memory.backend=varhandle")
    public long hash64VarHandleBackend() {
        return hashAll();
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    @Fork(
            value = 3,
            jvmArgsAppend = {
                "-Ddev.tarn.memory.backend=agrona",
                "--add-exports",
                "java.base/jdk.internal.misc=ALL-UNNAMED"
            })
    public long hash64AgronaBackend() {
        return hashAll();
    }

    private long hashAll() {
        long sum = 0;
        for (int i = 0; i < COUNT; i++) {
            sum ^= Hash64.hash(memory, i * keyLength, keyLength);
        }
        return sum;
    }
}
