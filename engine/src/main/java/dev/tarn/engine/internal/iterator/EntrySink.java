package dev.tarn.engine.internal.iterator;

import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;

/** Takes entries in internal key order; key and value are valid during the call. */
@FunctionalInterface
public interface EntrySink {
    void add(
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            long trailer,
            OffHeapMemory valueMemory,
            int valueOffset,
            int valueLength)
            throws IOException;
}
