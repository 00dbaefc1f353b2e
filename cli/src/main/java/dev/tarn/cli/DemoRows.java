package dev.tarn.cli;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;

/**
 * The rows of the demonstration: orders that arrive in scattered order, of which some change and
 * some are cancelled. What a key holds at the end is known from its number alone, so that nothing
 * has to be remembered to verify it.
 *
 * <p>Owner: this object owns the memory that key and row are made in.
 *
 * <p>Threads: belongs to one thread.
 */
final class DemoRows implements AutoCloseable {
    private static final int KEY_LENGTH = Long.BYTES;

    /** The least common multiple of the periods below: so many rows hold all cases of orders. */
    static final long PERIOD = 60;

    private static final int ROW_LENGTH_MIN = 48;
    private static final int ROW_LENGTH_SPREAD = 80;
    private static final int UPDATE_EVERY = 10;
    private static final int CANCEL_EVERY = 12;

    private final long rowCount;
    private final long stride;
    private final MemoryRegion region;

    private final OffHeapMemory memory;
    private final BytesView key = new BytesView();
    private final BytesView row = new BytesView();

    DemoRows(MemoryAccountant accountant, long rowCount) {
        this.rowCount = rowCount;
        this.stride = coprimeNear(rowCount, (long) (rowCount * 0.618));
        this.region =
                MemoryRegion.allocate(
                        accountant,
                        MemoryPurpose.IO_BUFFER,
                        KEY_LENGTH + ROW_LENGTH_MIN + ROW_LENGTH_SPREAD + Long.BYTES,
                        MemoryRegion.CACHE_LINE_BYTES);
        this.memory = region.memory();
        this.key.wrap(memory, 0, KEY_LENGTH);
    }

    /** Returns the number of the order that arrives as the {@code arrival}-th: each one once. */
    long arriving(long arrival) {
        // Does not overflow: both are below DemoCommand.ROW_COUNT_MAX.
        return arrival * stride % rowCount;
    }

    static boolean isUpdated(long order) {
        return order % UPDATE_EVERY == 3;
    }

    static boolean isCancelled(long order) {
        return order % CANCEL_EVERY == 7;
    }

    /**
     * Returns the key of an order: its number, big-endian, so that bytes order as numbers do.
     *
     * <p>Lifetime: until the next key.
     */
    BytesView key(long order) {
        memory.putLong(0, Long.reverseBytes(order));
        return key;
    }

    /**
     * Returns the row of an order, as it is after so many changes.
     *
     * <p>Lifetime: until the next row.
     */
    BytesView row(long order, int changes) {
        long state = mix(order * 31 + changes);
        int length = ROW_LENGTH_MIN + (int) Math.floorMod(state, (long) ROW_LENGTH_SPREAD);
        for (int offset = 0; offset < length; offset += Long.BYTES) {
            // One byte of eight is random: that compresses about as well as real rows do.
            memory.putLong(KEY_LENGTH + offset, state & 0xff);
            state = mix(state);
        }
        memory.putLong(KEY_LENGTH, order);
        memory.putInt(KEY_LENGTH + Long.BYTES, changes);
        return row.wrap(memory, KEY_LENGTH, length);
    }

    @Override
    public void close() {
        region.close();
    }

    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }

    private static long coprimeNear(long modulus, long start) {
        long candidate = Math.max(start, 1);
        while (greatestCommonDivisor(candidate, modulus) != 1) {
            candidate++;
        }
        return candidate;
    }

    private static long greatestCommonDivisor(long a, long b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }
}
