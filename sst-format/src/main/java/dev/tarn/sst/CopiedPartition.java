package dev.tarn.sst;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.IndexBlock;
import dev.tarn.sst.block.ScratchBuffer;

/**
 * A copy of an index partition for long use, since pins are for short use.
 *
 * <p>Owner: owns the memory. Threads: belongs to one thread.
 */
final class CopiedPartition implements AutoCloseable {
    private final ScratchBuffer bytes;
    private final IndexBlock block = new IndexBlock();

    CopiedPartition(MemoryAccountant accountant) {
        bytes = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 0);
    }

    /** Copies a partition; what was copied before is overwritten. */
    IndexBlock copy(IndexBlock source) {
        int length = source.length();
        OffHeapMemory target = bytes.ensure(length);
        source.copyTo(target, 0);
        return block.wrap(target, 0);
    }

    @Override
    public void close() {
        bytes.close();
    }
}
