package dev.tarn.memtable;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;

/**
 * A small memtable for one jcstress state: keys are longs, and a value is its number twice, so that
 * a reader who sees half an entry sees two numbers that differ.
 *
 * <p>All states of a JVM share one pool, whose memory is recycled from state to state: stale bytes
 * are never zeros. A state is collected without being closed by whoever ran it, so {@link #close}
 * is the arbiter's last act.
 */
final class JcstressMemtable {
    /** What {@link #get} returns when nothing is visible. */
    static final int ABSENT = 0;

    /** What {@link #get} returns when the entry is not what was put. */
    static final int TORN = -1;

    private static final ChunkPool POOL =
            new ChunkPool(new MemoryAccountant(1L << 30), ChunkPool.SLAB_BYTES_MIN);

    private static final int KEY_LENGTH = Long.BYTES;
    private static final int VALUE_LENGTH = 2 * Integer.BYTES;

    private final Memtable memtable;

    JcstressMemtable(WriterMode mode) {
        memtable = Memtable.create(POOL, MemtableOptions.builder().writerMode(mode).build());
    }

    Memtable memtable() {
        return memtable;
    }

    /** Puts {@code number} under a key whose hash is given, so that tests choose its slot. */
    PutStatus put(long hash, long key, int number, long sequenceNumber) {
        OffHeapMemory scratch = OffHeapMemory.wrap(ByteBuffer.allocateDirect(16));
        scratch.putLong(0, key);
        scratch.putInt(8, number);
        scratch.putInt(12, number);
        return memtable.put(
                hash,
                scratch,
                0,
                KEY_LENGTH,
                scratch,
                KEY_LENGTH,
                VALUE_LENGTH,
                (byte) 1,
                sequenceNumber);
    }

    /** Returns the number of the newest visible entry, {@link #ABSENT} or {@link #TORN}. */
    int get(long hash, long key, long sequenceNumber) {
        OffHeapMemory scratch = OffHeapMemory.wrap(ByteBuffer.allocateDirect(8));
        scratch.putLong(0, key);
        BytesView value = new BytesView();
        int kind = memtable.get(hash, scratch, 0, KEY_LENGTH, sequenceNumber, value);
        if (kind == Memtable.ABSENT) {
            return ABSENT;
        }
        int first = value.memory().getInt(value.offset());
        int second = value.memory().getInt(value.offset() + Integer.BYTES);
        boolean whole = kind == 1 && value.length() == VALUE_LENGTH && first == second;
        return whole ? first : TORN;
    }

    /** Gives the memory back for the next state to recycle. */
    void close() {
        memtable.close();
    }
}
