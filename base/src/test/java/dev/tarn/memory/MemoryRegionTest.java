package dev.tarn.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tarn.codec.Crc32c;
import dev.tarn.testing.TestFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryRegionTest {
    private static final boolean HAS_ARENA = Runtime.version().feature() >= 22;

    @RegisterExtension final TestFiles files = new TestFiles();
    private final MemoryAccountant accountant = new MemoryAccountant(1 << 20);

    private MemoryRegion region(long sizeBytes, int alignmentBytes) {
        return MemoryRegion.allocate(
                accountant, MemoryPurpose.IO_BUFFER, sizeBytes, alignmentBytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 64, 512, 4096})
    void firstByteIsAlignedWhateverTheSize(int alignment) {
        for (int size = 0; size <= 9000; size += 61) {
            try (MemoryRegion region = region(size, alignment)) {
                assertThat(region.memory().capacity()).isEqualTo(size);
                assertThat(region.sizeBytes()).isEqualTo(size);
                ByteBuffer bytes = region.memory().asByteBuffer(0, size);
                assertThat(bytes.isDirect()).isTrue();
                assertThat(bytes.alignmentOffset(0, alignment)).isZero();
            }
        }
    }

    @Test
    void sizeAndAlignmentAreChecked() {
        for (long size : new long[] {-1, OffHeapMemory.CAPACITY_MAX + 1L, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> region(size, 64)).isInstanceOf(IllegalArgumentException.class);
        }
        for (int alignment : new int[] {0, -1, 3, 8192, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> region(8, alignment))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(accountant.reservedBytes()).isZero();
    }

    @Test
    void reservationLastsUntilClose() {
        MemoryRegion region = region(1000, 64);
        assertThat(accountant.reservedBytes(MemoryPurpose.IO_BUFFER)).isEqualTo(1000);
        assertThat(MemoryRegion.openRegions()).containsKey(region);
        assertThat(region.isClosed()).isFalse();
        region.close();
        assertThat(accountant.reservedBytes()).isZero();
        assertThat(MemoryRegion.openRegions()).doesNotContainKey(region);
        assertThat(region.isClosed()).isTrue();
    }

    @Test
    void secondCloseThrowsAndReleasesNothing() {
        MemoryRegion other = region(500, 64);
        MemoryRegion region = region(1000, 64);
        region.close();
        assertThatThrownBy(region::close)
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("closed twice");
        assertThat(accountant.reservedBytes()).isEqualTo(500);
        other.close();
    }

    @Test
    void exceededBudgetAllocatesNothing() {
        assertThatThrownBy(() -> region((1 << 20) + 1, 64))
                .isInstanceOf(MemoryBudgetExceededException.class)
                .hasMessageContaining("IO_BUFFER");
        assertThat(MemoryRegion.tryAllocate(accountant, MemoryPurpose.IO_BUFFER, (1 << 20) + 1, 64))
                .isNull();
        assertThat(accountant.reservedBytes()).isZero();
    }

    @Test
    void refusedAllocationGivesTheReservationBack() {
        // Only Java before 22 has a limit to run into without using up the machine.
        assumeTrue(!HAS_ARENA);
        MemoryAccountant unlimited = MemoryAccountant.unlimited();
        MemoryRegion[] regions = new MemoryRegion[64];
        int count = 0;
        try {
            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < regions.length; i++) {
                                    regions[i] =
                                            MemoryRegion.allocate(
                                                    unlimited,
                                                    MemoryPurpose.MEMTABLE,
                                                    OffHeapMemory.CAPACITY_MAX,
                                                    64);
                                }
                            })
                    .isInstanceOf(OutOfMemoryError.class)
                    .hasMessageContaining("MaxDirectMemorySize");
        } finally {
            for (MemoryRegion region : regions) {
                if (region != null) {
                    count++;
                    region.close();
                }
            }
        }
        assertThat(count).isLessThan(regions.length);
        assertThat(unlimited.reservedBytes()).isZero();
    }

    @Test
    void buffersThatOutliveTheirRegionThrow() {
        assumeTrue(HAS_ARENA);
        MemoryRegion region = region(64, 64);
        ByteBuffer view = region.memory().asByteBuffer(0, 64);
        region.close();
        assertThatThrownBy(() -> view.get(0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void channelsReadAndWriteRegions() throws IOException {
        Path path = Path.of(files.path(), "a");
        try (MemoryRegion region = region(8192, 4096);
                FileChannel channel =
                        FileChannel.open(
                                path,
                                StandardOpenOption.CREATE_NEW,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE)) {
            for (int i = 0; i < 4096; i += 8) {
                region.memory().putLong(i, i * 31L);
            }
            assertThat(channel.write(region.memory().asByteBuffer(0, 4096), 0)).isEqualTo(4096);
            assertThat(channel.read(region.memory().asByteBuffer(4096, 4096), 0)).isEqualTo(4096);
            assertThat(OffHeapMemory.equal(region.memory(), 0, region.memory(), 4096, 4096))
                    .isTrue();
            byte[] heap = new byte[4096];
            region.memory().getBytes(0, heap, 0, 4096);
            assertThat(Crc32c.of(region.memory(), 4096, 4096))
                    .isEqualTo(new Crc32c().of(heap, 0, 4096));
        }
    }

    /**
     * What the kernel writes to must not be freed; and the refusal shows that memory is poisoned.
     */
    @Test
    void closeDuringIoIsRefusedAndCanBeRepeated() throws Exception {
        assumeTrue(HAS_ARENA);
        MemoryRegion region = region(4096, 4096);
        Pipe pipe = Pipe.open();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread reader =
                new Thread(
                        () -> {
                            try {
                                pipe.source().read(region.memory().asByteBuffer(0, 4096));
                            } catch (IOException | RuntimeException e) {
                                failure.set(e);
                            }
                        });
        reader.start();
        while (!isInTheKernel(reader)) {
            Thread.onSpinWait();
        }
        assertThatThrownBy(region::close)
                .isInstanceOf(IllegalStateException.class)
                .isNotInstanceOf(ClosedException.class)
                .hasMessageContaining("while I/O uses it");
        assertThat(region.isClosed()).isFalse();
        assertThat(region.memory().getByte(4095)).isEqualTo((byte) 0xdd);
        assertThat(accountant.reservedBytes()).isEqualTo(4096);
        pipe.sink().write(ByteBuffer.wrap(new byte[] {42}));
        reader.join();
        assertThat(failure.get()).isNull();
        assertThat(region.memory().getByte(0)).isEqualTo((byte) 42);
        region.close();
        assertThat(accountant.reservedBytes()).isZero();
        pipe.source().close();
        pipe.sink().close();
    }

    private static boolean isInTheKernel(Thread thread) {
        StackTraceElement[] frames = thread.getStackTrace();
        return frames.length > 0 && frames[0].getMethodName().equals("read0");
    }

    @Test
    void onlyOneOfManyClosesSucceeds() throws InterruptedException {
        for (int round = 0; round < 50; round++) {
            MemoryRegion region = region(64, 64);
            CountDownLatch start = new CountDownLatch(1);
            AtomicBoolean[] closed = new AtomicBoolean[4];
            Thread[] threads = new Thread[closed.length];
            for (int t = 0; t < threads.length; t++) {
                AtomicBoolean success = new AtomicBoolean();
                closed[t] = success;
                threads[t] =
                        new Thread(
                                () -> {
                                    try {
                                        start.await();
                                        region.close();
                                        success.set(true);
                                    } catch (ClosedException | InterruptedException e) {
                                        success.set(false);
                                    }
                                });
                threads[t].start();
            }
            start.countDown();
            int successes = 0;
            for (int t = 0; t < threads.length; t++) {
                threads[t].join();
                successes += closed[t].get() ? 1 : 0;
            }
            assertThat(successes).isEqualTo(1);
            assertThat(accountant.reservedBytes()).isZero();
        }
    }
}
