package dev.tarn.jmh;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
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
 * What is the least that memory and the page cache of this machine cost, over as many bytes as the
 * data has? Every report divides its results by these, measured in the same run.
 *
 * <p>A lookup that must follow {@code n} pointers cannot beat {@code n} times {@link
 * #dependentLineRead}; one whose addresses are known up front cannot beat {@link
 * #independentLineRead}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(3)
public class SpeedOfLightBenchmark {
    private static final int LINE_BYTES = 64;
    private static final int PAGE_BYTES = 4096;
    private static final int READS = 4096;
    private static final int COPIED_PAGES = 4096;
    private static final int COPIED_BYTES = COPIED_PAGES * PAGE_BYTES;

    /** The size of the data, a power of two; 512 MiB is near 5 million records of 108 bytes. */
    @Param("512")
    public int dataMiB;

    private MemoryRegion region;
    private OffHeapMemory memory;
    private int lineMask;
    private int line;
    private long random = 1;
    private int copyOffset;

    @Setup(Level.Trial)
    public void setUp() {
        if (Integer.bitCount(dataMiB) != 1 || dataMiB < 64 || dataMiB > 1024) {
            throw new IllegalArgumentException(
                    "dataMiB must be a power of two in [64, 1024]: dataMiB=" + dataMiB);
        }
        region =
                MemoryRegion.allocate(
                        MemoryAccountant.unlimited(),
                        MemoryPurpose.IO_BUFFER,
                        (long) dataMiB << 20,
                        PAGE_BYTES);
        memory = region.memory();
        lineMask = memory.capacity() / LINE_BYTES - 1;
        linkLinesIntoOneCycle();
    }

    /** Sattolo's shuffle: one cycle through all lines, in an order no prefetcher guesses. */
    private void linkLinesIntoOneCycle() {
        int[] next = new int[lineMask + 1];
        for (int i = 0; i < next.length; i++) {
            next[i] = i;
        }
        SplittableRandom shuffle = new SplittableRandom(1);
        for (int i = next.length - 1; i > 0; i--) {
            int j = shuffle.nextInt(i);
            int swapped = next[i];
            next[i] = next[j];
            next[j] = swapped;
        }
        for (int i = 0; i < next.length; i++) {
            memory.putInt(i * LINE_BYTES, next[i]);
        }
    }

    @TearDown(Level.Trial)
    public void tearDown() {
        region.close();
    }

    /** One read of a line whose address the previous read gave: the latency of memory. */
    @Benchmark
    @OperationsPerInvocation(READS)
    public int dependentLineRead() {
        int at = line;
        for (int i = 0; i < READS; i++) {
            at = memory.getInt(at * LINE_BYTES);
        }
        line = at;
        return at;
    }

    /** One read of a random line whose address is computed: memory's latency, overlapped. */
    @Benchmark
    @OperationsPerInvocation(READS)
    public long independentLineRead() {
        long state = random;
        long sum = 0;
        for (int i = 0; i < READS; i++) {
            state = state * 0x5851f42d4c957f2dL + 0x14057b7ef767814fL;
            sum += memory.getInt(((int) (state >>> 33) & lineMask) * LINE_BYTES);
        }
        random = state;
        return sum;
    }

    /** Copying 4 KiB from memory to memory, in a stream far larger than the private caches. */
    @Benchmark
    @OperationsPerInvocation(COPIED_PAGES)
    public int copy4KiB() {
        int half = memory.capacity() / 2;
        memory.copyTo(copyOffset, memory, half + copyOffset, COPIED_BYTES);
        copyOffset = (copyOffset + COPIED_BYTES) % half;
        return copyOffset;
    }

    /** A positional read of 4 KiB at a random page of a file that is in the page cache. */
    @Benchmark
    public int pread4KiB(CachedFile file) throws IOException {
        return file.readRandomPage();
    }

    /** A file as large as the data, just written and so in the page cache. */
    @State(Scope.Benchmark)
    public static class CachedFile {
        private Path path;
        private FileChannel channel;
        private ByteBuffer page;
        private int pageMask;
        private long random = 1;

        @Setup(Level.Trial)
        public void setUp(SpeedOfLightBenchmark benchmark) throws IOException {
            path = Files.createTempFile("tarn-pread", ".bin");
            channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            page = ByteBuffer.allocateDirect(PAGE_BYTES);
            ByteBuffer chunk = ByteBuffer.allocateDirect(1 << 20);
            for (int i = 0; i < benchmark.dataMiB; i++) {
                chunk.clear();
                while (chunk.hasRemaining()) {
                    channel.write(chunk);
                }
            }
            pageMask = (int) (((long) benchmark.dataMiB << 20) / PAGE_BYTES) - 1;
        }

        int readRandomPage() throws IOException {
            random = random * 0x5851f42d4c957f2dL + 0x14057b7ef767814fL;
            page.clear();
            long position = (long) ((int) (random >>> 33) & pageMask) * PAGE_BYTES;
            if (channel.read(page, position) != PAGE_BYTES) {
                throw new IOException("short read: position=" + position);
            }
            return page.getInt(0);
        }

        @TearDown(Level.Trial)
        public void tearDown() throws IOException {
            channel.close();
            Files.delete(path);
        }
    }
}
