package dev.tarn.memtable;

import dev.tarn.memory.OffHeapMemory;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What one writing thread needs: the block it appends to and its share of the counters.
 *
 * <p>Threads: the fields belong to the thread that holds the context; {@link #entryCount} and
 * {@link #entryBytes} may be read by any.
 */
final class WriterContext {
    /** The slab of the block, or null before the first. */
    @Nullable OffHeapMemory memory;

    /** The unit of the slab's first byte. */
    int slabUnit;

    /** The offset in {@link #memory} of the first free byte of the block, a multiple of 8. */
    int top;

    /** The offset in {@link #memory} at which the block ends. */
    int limit;

    /** The largest sequence number written, so that most writes need not look at older entries. */
    long sequenceNumberMax;

    /** Entries written, all versions. */
    final AtomicLong entryCount = new AtomicLong();

    /** Bytes of the entries written, headers and padding included. */
    final AtomicLong entryBytes = new AtomicLong();

    /** The entries for which directory space is reserved in the budget. */
    long directoryEntryCountReserved;

    /** Returns whether {@code sizeBytes} more fit into the block. */
    boolean fits(int sizeBytes) {
        return sizeBytes <= limit - top;
    }

    /** Returns the unit of the first free byte. */
    int topUnit() {
        return slabUnit + (top >>> EntryLayout.UNIT_SHIFT);
    }
}
