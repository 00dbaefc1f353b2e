package dev.tarn.memtable;

import dev.tarn.memory.MemoryBudgetExceededException;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import org.jspecify.annotations.Nullable;

/**
 * The newest entry of each key, in order of the keys.
 *
 * <pre>
 * record  bits 32-63 window of the key, see KeyWindow; bits 0-31 unit of its newest entry
 * </pre>
 *
 * <p>Immutable once built, so any thread may read it.
 *
 * <p>Owner: owns its region, which is counted under {@link MemoryPurpose#MEMTABLE}; the memtable
 * closes the one of its sealed state, an iterator its own.
 */
final class SortedDirectory implements AutoCloseable {
    /** Bytes that sorting takes for each entry. */
    static final int RECORD_BYTES = Long.BYTES;

    private final EntryLog log;
    private final @Nullable MemoryRegion region;
    private final int count;
    private final KeyWindow window;

    private SortedDirectory(
            EntryLog log, @Nullable MemoryRegion region, int count, KeyWindow window) {
        this.log = log;
        this.region = region;
        this.count = count;
        this.window = window;
    }

    /** Sorts a sealed memtable; the room was reserved put by put, so the budget cannot refuse. */
    static SortedDirectory sortSealed(ChunkPool pool, EntryLog log, SlotIndex index) {
        long reserved = log.takeDirectoryReservation();
        if (reserved == 0) {
            return new SortedDirectory(log, null, 0, new KeyWindow(0, 0, 0));
        }
        checkCount(reserved / RECORD_BYTES);
        MemoryRegion region =
                MemoryRegion.allocateReserved(
                        pool.accountant(),
                        MemoryPurpose.MEMTABLE,
                        reserved,
                        MemoryRegion.CACHE_LINE_BYTES);
        DirectoryBuilder builder = new DirectoryBuilder(log, index, region.memory());
        if (!builder.build()) {
            region.close();
            throw new AssertionError("sealed memtable has more keys than entries were put");
        }
        return new SortedDirectory(log, region, builder.count(), builder.window());
    }

    /** Sorts what an active memtable holds now. */
    static SortedDirectory sortActive(
            ChunkPool pool, EntryLog log, SlotIndex index, long entryCount) {
        long capacity = entryCount + 64;
        while (true) {
            checkCount(capacity);
            long bytes = capacity * RECORD_BYTES;
            if (!pool.tryReserve(bytes)) {
                throw new MemoryBudgetExceededException(
                        "no memory to sort an active memtable: neededBytes=" + bytes);
            }
            MemoryRegion region =
                    MemoryRegion.allocateReserved(
                            pool.accountant(),
                            MemoryPurpose.MEMTABLE,
                            bytes,
                            MemoryRegion.CACHE_LINE_BYTES);
            boolean built = false;
            try {
                DirectoryBuilder builder = new DirectoryBuilder(log, index, region.memory());
                if (builder.build()) {
                    built = true;
                    return new SortedDirectory(log, region, builder.count(), builder.window());
                }
            } finally {
                if (!built) {
                    region.close();
                }
            }
            // Writers were faster than the walk.
            capacity *= 2;
        }
    }

    private static void checkCount(long count) {
        if (count * RECORD_BYTES > OffHeapMemory.CAPACITY_MAX) {
            throw new IllegalStateException(
                    "memtable has too many entries to be sorted: count="
                            + count
                            + " countMax="
                            + OffHeapMemory.CAPACITY_MAX / RECORD_BYTES);
        }
    }

    /** The number of keys. */
    int count() {
        return count;
    }

    /** Returns the unit of the newest entry of the key at {@code index}. */
    int unit(int index) {
        return (int) record(index);
    }

    private long record(int index) {
        if (region == null) {
            throw new IndexOutOfBoundsException("directory is empty: index=" + index);
        }
        return region.memory().getLong(index * RECORD_BYTES);
    }

    /** Returns the index of the first key that is not smaller, {@link #count()} if none is. */
    int lowerBound(OffHeapMemory keyMemory, int keyOffset, int keyLength) {
        if (count == 0) {
            return 0;
        }
        int common = compareCommonBytes(keyMemory, keyOffset, keyLength);
        long window64 = 0;
        if (common == 0) {
            window64 = KeyWindow.window64(keyMemory, keyOffset, keyLength, window.commonLength);
            common = window.compareCommonBits(window64);
        }
        if (common != 0) {
            return common < 0 ? 0 : count;
        }
        long sought = window.of(window64) >>> Integer.SIZE;
        int lower = 0;
        int upper = count;
        while (lower < upper) {
            int middle = (lower + upper) >>> 1;
            long found = record(middle) >>> Integer.SIZE;
            boolean smaller =
                    found == sought
                            ? compareKey(middle, keyMemory, keyOffset, keyLength) < 0
                            : found < sought;
            if (smaller) {
                lower = middle + 1;
            } else {
                upper = middle;
            }
        }
        return lower;
    }

    /** Compares a key with the bytes that all keys share: 0 if it has them too. */
    private int compareCommonBytes(OffHeapMemory keyMemory, int keyOffset, int keyLength) {
        int unit = unit(0);
        return OffHeapMemory.compare(
                keyMemory,
                keyOffset,
                Math.min(keyLength, window.commonLength),
                log.memory(unit),
                log.offset(unit) + EntryLayout.KEY_OFFSET,
                window.commonLength);
    }

    /** Compares the key at {@code index} with another. */
    int compareKey(int index, OffHeapMemory keyMemory, int keyOffset, int keyLength) {
        int unit = unit(index);
        OffHeapMemory memory = log.memory(unit);
        int offset = log.offset(unit);
        return OffHeapMemory.compare(
                memory,
                offset + EntryLayout.KEY_OFFSET,
                EntryLayout.keyLength(memory, offset),
                keyMemory,
                keyOffset,
                keyLength);
    }

    @Override
    public void close() {
        if (region != null) {
            region.close();
        }
    }
}
