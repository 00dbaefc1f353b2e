package dev.tarn.jmh;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryBackend;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does reading and writing a long through {@link OffHeapMemory} cost, for each backend,
 * against a plain {@code long[]} and a raw direct ByteBuffer?
 *
 * <p>All go through 32 KiB, which the first-level cache holds, at the same scattered indexes: an
 * odd stride modulo the size. A loop in index order would measure whether the JIT turns it into
 * vector code, and no lookup reads memory that way.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class OffHeapAccessBenchmark {
    private static final int COUNT = 4096;
    private static final int MASK = COUNT - 1;
    private static final int STRIDE = 1663;
    private static final int OFFSET_MASK = MASK * Long.BYTES;
    private static final int OFFSET_STRIDE = STRIDE * Long.BYTES;

    private final long[] array = new long[COUNT];
    private final ByteBuffer buffer =
            ByteBuffer.allocateDirect(COUNT * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /** A long array on the heap: the bar's unit. */
    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long getLongArray() {
        long[] source = array;
        long sum = 0;
        for (int i = 0, at = 0; i < COUNT; i++, at += STRIDE) {
            sum += source[at & MASK];
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public void putLongArray() {
        long[] target = array;
        for (int i = 0, at = 0; i < COUNT; i++, at += STRIDE) {
            target[at & MASK] = i;
        }
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long getDirectByteBuffer() {
        ByteBuffer source = buffer;
        long sum = 0;
        for (int i = 0, at = 0; i < COUNT; i++, at += OFFSET_STRIDE) {
            sum += source.getLong(at & OFFSET_MASK);
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public void putDirectByteBuffer() {
        ByteBuffer target = buffer;
        for (int i = 0, at = 0; i < COUNT; i++, at += OFFSET_STRIDE) {
            target.putLong(at & OFFSET_MASK, i);
        }
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    @Fork(value = 3, jvmArgsAppend = "-Ddev.tarn.memory.backend=varhandle")
    public long getVarHandleBackend(TarnMemory tarn) {
        return sum(tarn.memory);
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    @Fork(value = 3, jvmArgsAppend = "-Ddev.tarn.memory.backend=varhandle")
    public void putVarHandleBackend(TarnMemory tarn) {
        store(tarn.memory);
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
    public long getAgronaBackend(TarnMemory tarn) {
        return sum(tarn.memory);
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
    public void putAgronaBackend(TarnMemory tarn) {
        store(tarn.memory);
    }

    private static long sum(OffHeapMemory source) {
        long sum = 0;
        for (int i = 0, at = 0; i < COUNT; i++, at += OFFSET_STRIDE) {
            sum += source.getLong(at & OFFSET_MASK);
        }
        return sum;
    }

    private static void store(OffHeapMemory target) {
        for (int i = 0, at = 0; i < COUNT; i++, at += OFFSET_STRIDE) {
            target.putLong(at & OFFSET_MASK, i);
        }
    }

    /** A region of the backend that the fork's flags choose. */
    @State(Scope.Thread)
    public static class TarnMemory {
        private MemoryRegion region;
        private OffHeapMemory memory;

        @Setup(Level.Trial)
        public void setUp() {
            region =
                    MemoryRegion.allocate(
                            MemoryAccountant.unlimited(),
                            MemoryPurpose.IO_BUFFER,
                            COUNT * Long.BYTES,
                            MemoryRegion.CACHE_LINE_BYTES);
            memory = region.memory();
            System.out.println("# Memory backend: " + MemoryBackend.active());
        }

        @TearDown(Level.Trial)
        public void tearDown() {
            region.close();
        }
    }
}
