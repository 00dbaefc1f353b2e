package dev.tarn.engine.internal.read;

import dev.tarn.engine.internal.wal.WriteBatchBuffer;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memtable.VersionCursor;
import dev.tarn.sst.SstLookup;
import dev.tarn.sst.SstReader;
import org.jspecify.annotations.Nullable;

/**
 * What one thread needs to read and write, in any number of stores: its pin and its scratch memory.
 *
 * <p>Owner: {@link ReadContexts}. Threads: belongs to one.
 */
public final class ReadContext {
    /** The most files that one lookup asks at once. */
    public static final int CANDIDATE_COUNT_MAX = 64;

    private static final int CAPACITY_MIN = 256;

    /** A larger scratch is given back once it is not needed any more. */
    private static final int CAPACITY_KEPT = 1 << 20;

    private final MemoryAccountant accountant;
    private final ReadEpochs.Pin pin;
    private final SstLookup lookup;
    private final VersionCursor versions = new VersionCursor();
    private final BytesView key = new BytesView();
    private final BytesView value = new BytesView();
    private final SstReader[] candidates = new SstReader[CANDIDATE_COUNT_MAX];
    private final BytesView writtenValue = new BytesView();
    private @Nullable WriteBatchBuffer write;
    private MemoryRegion keyBytes;
    private MemoryRegion valueBytes;

    ReadContext(MemoryAccountant accountant, ReadEpochs.Pin pin) {
        this.accountant = accountant;
        this.pin = pin;
        this.keyBytes = MemoryRegion.allocate(accountant, MemoryPurpose.IO_BUFFER, CAPACITY_MIN, 8);
        this.valueBytes =
                MemoryRegion.allocate(accountant, MemoryPurpose.IO_BUFFER, CAPACITY_MIN, 8);
        this.lookup = new SstLookup(accountant);
    }

    public ReadEpochs.Pin pin() {
        return pin;
    }

    public SstLookup lookup() {
        return lookup;
    }

    public VersionCursor versions() {
        return versions;
    }

    /** Where a lookup leaves the value it found, valid until the pin is left or the next lookup. */
    public BytesView value() {
        return value;
    }

    /** The files that a lookup is about to ask; references left here keep nothing open. */
    public SstReader[] candidates() {
        return candidates;
    }

    /** Copies a heap key off-heap; the view is valid until the next call. */
    public BytesView key(byte[] bytes) {
        keyBytes = copy(bytes, keyBytes, key);
        return key;
    }

    /** Copies a heap value off-heap; the view is valid until the next call. */
    public BytesView valueBytes(byte[] bytes) {
        valueBytes = copy(bytes, valueBytes, writtenValue);
        return writtenValue;
    }

    /** Returns the thread's batch for a write to a store with a log, empty. */
    public WriteBatchBuffer write() {
        WriteBatchBuffer batch = write;
        if (batch == null) {
            batch = new WriteBatchBuffer();
            write = batch;
        }
        return batch.clear();
    }

    /** Copies to the region, or to a larger one in its place; returns the one that was used. */
    private MemoryRegion copy(byte[] bytes, MemoryRegion region, BytesView view) {
        MemoryRegion target = region;
        boolean isTooSmall = bytes.length > region.sizeBytes();
        boolean isTooLarge = region.sizeBytes() > CAPACITY_KEPT && bytes.length <= CAPACITY_KEPT;
        if (isTooSmall || isTooLarge) {
            int capacity = Math.max(CAPACITY_MIN, Integer.highestOneBit(bytes.length) << 1);
            target = MemoryRegion.allocate(accountant, MemoryPurpose.IO_BUFFER, capacity, 8);
            region.close();
        }
        target.memory().putBytes(0, bytes, 0, bytes.length);
        view.wrap(target.memory(), 0, bytes.length);
        return target;
    }

    void close() {
        lookup.close();
        keyBytes.close();
        valueBytes.close();
    }
}
