package dev.tarn.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.codec.Hash64;
import org.junit.jupiter.api.Test;

class OffHeapMemorySmokeTest {
    @Test
    void hashesHeapAndOffHeapAlike() {
        byte[] bytes = new byte[1025];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 131);
        }
        try (MemoryRegion region =
                MemoryRegion.allocate(
                        MemoryAccountant.unlimited(), MemoryPurpose.IO_BUFFER, 4096, 64)) {
            region.memory().putBytes(5, bytes, 0, bytes.length);
            for (int length = 0; length <= 1024; length++) {
                assertThat(Hash64.hash(region.memory(), 5, length))
                        .isEqualTo(Hash64.hash(bytes, 0, length));
            }
        }
    }

    @Test
    void alignedRegionsMayHaveAnySize() {
        for (int size = 0; size <= 9000; size += 61) {
            try (MemoryRegion region =
                    MemoryRegion.allocate(
                            MemoryAccountant.unlimited(),
                            MemoryPurpose.IO_BUFFER,
                            size,
                            MemoryRegion.PAGE_BYTES)) {
                assertThat(region.memory().capacity()).isEqualTo(size);
                assertThat(region.memory().asByteBuffer(0, size).alignmentOffset(0, 4096)).isZero();
            }
        }
    }
}
