package dev.tarn.jmh;

import dev.tarn.jmh.data.Records;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.util.Arrays;
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
 * What does comparing two 16-byte keys off-heap cost, against {@link Arrays#compareUnsigned(byte[],
 * byte[])}?
 *
 * <p>Both compare the same pairs of keys at scattered places, all of them in the first-level cache;
 * the keys share their first {@code sharedLength} bytes, so 0 decides at the first word and 8 at
 * the second.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class KeyCompareBenchmark {
    private static final int COUNT = 512;
    private static final int MASK = COUNT - 1;
    private static final int STRIDE = 167;
    private static final int KEY_LENGTH = 16;

    /** How many leading bytes all keys have in common. */
    @Param({"0", "8"})
    public int sharedLength;

    private final byte[][] arrays = new byte[COUNT][KEY_LENGTH];
    private MemoryRegion region;
    private OffHeapMemory memory;

    @Setup(Level.Trial)
    public void setUp() {
        region =
                MemoryRegion.allocate(
                        MemoryAccountant.unlimited(),
                        MemoryPurpose.IO_BUFFER,
                        COUNT * KEY_LENGTH,
                        MemoryRegion.CACHE_LINE_BYTES);
        memory = region.memory();
        Records records = new Records(KEY_LENGTH, 24);
        for (int i = 0; i < COUNT; i++) {
            records.writeKey(Records.prefix(i), arrays[i]);
            Arrays.fill(arrays[i], 0, sharedLength, (byte) 7);
            memory.putBytes(i * KEY_LENGTH, arrays[i], 0, KEY_LENGTH);
        }
        for (int i = 0; i < COUNT; i++) {
            int expected = Arrays.compareUnsigned(arrays[i], arrays[(i + 1) & MASK]);
            if (Integer.signum(expected) != Integer.signum(compareOffHeap(i, (i + 1) & MASK))) {
                throw new AssertionError("the two comparisons disagree: pair=" + i);
            }
        }
    }

    @TearDown(Level.Trial)
    public void tearDown() {
        region.close();
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public int compareArrays() {
        int sum = 0;
        for (int i = 0, at = 0; i < COUNT; i++, at += STRIDE) {
            sum += sign(Arrays.compareUnsigned(arrays[at & MASK], arrays[(at + STRIDE) & MASK]));
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    @Fork(value = 3, jvmArgsAppend = "-Ddev.tarn.memory.backend=varhandle")
    public int compareVarHandleBackend() {
        return compareAll();
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
    public int compareAgronaBackend() {
        return compareAll();
    }

    private int compareAll() {
        int sum = 0;
        for (int i = 0, at = 0; i < COUNT; i++, at += STRIDE) {
            sum += sign(compareOffHeap(at & MASK, (at + STRIDE) & MASK));
        }
        return sum;
    }

    /** The result's sign bit: what a search uses, without a branch of its own. */
    private static int sign(int comparison) {
        return comparison >>> 31;
    }

    private int compareOffHeap(int left, int right) {
        return OffHeapMemory.compare(
                memory, left * KEY_LENGTH, KEY_LENGTH, memory, right * KEY_LENGTH, KEY_LENGTH);
    }
}
