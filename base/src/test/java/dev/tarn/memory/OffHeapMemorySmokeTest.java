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
}
