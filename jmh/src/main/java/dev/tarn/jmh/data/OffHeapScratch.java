package dev.tarn.jmh.data;

import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;

/** Small off-heap memory for one key or value, freed by the garbage collector. */
public final class OffHeapScratch {
    private OffHeapScratch() {}

    public static OffHeapMemory allocate(int length) {
        return OffHeapMemory.wrap(ByteBuffer.allocateDirect(length));
    }
}
