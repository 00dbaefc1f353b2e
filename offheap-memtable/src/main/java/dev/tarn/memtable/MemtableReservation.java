package dev.tarn.memtable;

import dev.tarn.memory.OffHeapMemory;
import org.jspecify.annotations.Nullable;

/**
 * Space in a memtable that an entry is encoded straight into, between {@link Memtable#reserve} and
 * {@link Memtable#commit} or {@link Memtable#abort}.
 *
 * <p>The caller writes the key at {@link #offset()} and the value right behind it, within {@link
 * #capacity()} bytes.
 *
 * <p>Owner: the memtable owns the memory; the caller may write it until commit or abort.
 *
 * <p>Threads: belongs to one thread, which commits or aborts it before it reserves again from the
 * same memtable. While it is open, sealing waits in multi mode, so keep it short.
 */
public final class MemtableReservation {
    @Nullable WriterContext context;
    @Nullable OffHeapMemory memory;
    int entryOffset;
    int entryUnit;
    int capacity;

    /** Creates an empty reservation, to be reused. */
    public MemtableReservation() {}

    /** The memory to write to. */
    public OffHeapMemory memory() {
        OffHeapMemory reserved = memory;
        if (reserved == null) {
            throw new IllegalStateException("nothing is reserved");
        }
        return reserved;
    }

    /** Where the key starts, in {@link #memory()}. */
    public int offset() {
        return entryOffset + EntryLayout.KEY_OFFSET;
    }

    /** The bytes that key and value may take together. */
    public int capacity() {
        return capacity;
    }
}
