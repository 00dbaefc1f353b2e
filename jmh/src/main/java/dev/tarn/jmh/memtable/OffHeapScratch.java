package dev.tarn.jmh.memtable;

import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;

/** Small off-heap memory for one key or value, freed by the garbage collector. */
final class OffHeapScratch {
    private OffHeapScratch() {}

    static OffHeapMemory allocate(int length) {
        return OffHeapMemory.wrap(ByteBuffer.allocateDirect(length));
    }
}
