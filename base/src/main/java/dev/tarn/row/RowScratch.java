package dev.tarn.row;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;

/**
 * Growing memory for one row or nested value at a time.
 *
 * <p>Owner: whoever made it; closes exactly once.
 *
 * <p>Lifetime: what a builder wrote is valid until the next row is begun here or this is closed.
 *
 * <p>Threads: belongs to one thread.
 */
public final class RowScratch implements RowTarget, AutoCloseable {
    private static final int ALIGNMENT_BYTES = 8;

    private final MemoryAccountant accountant;
    private final MemoryPurpose purpose;
    private MemoryRegion region;

    /** Reserves and allocates the first {@code sizeBytes}. */
    public RowScratch(MemoryAccountant accountant, MemoryPurpose purpose, int sizeBytes) {
        this.accountant = accountant;
        this.purpose = purpose;
        this.region = MemoryRegion.allocate(accountant, purpose, sizeBytes, ALIGNMENT_BYTES);
    }

    @Override
    public OffHeapMemory memory() {
        return region.memory();
    }

    @Override
    public int offset() {
        return 0;
    }

    @Override
    public int limit() {
        return region.sizeBytes();
    }

    /**
     * Moves to a region of at least twice the size.
     *
     * @throws dev.tarn.memory.MemoryBudgetExceededException if the budget does not allow it
     */
    @Override
    public boolean grow(int lengthWritten, int lengthNeeded) {
        long sizeBytes = Math.max(lengthNeeded, 2L * region.sizeBytes());
        MemoryRegion larger =
                MemoryRegion.allocate(
                        accountant,
                        purpose,
                        Math.min(sizeBytes, StructLayout.LENGTH_MAX),
                        ALIGNMENT_BYTES);
        region.memory().copyTo(0, larger.memory(), 0, lengthWritten);
        region.close();
        region = larger;
        return true;
    }

    /** Points {@code view} at what a builder wrote, whose {@code finish} returned the length. */
    public BytesView view(int length, BytesView view) {
        return view.wrap(region.memory(), 0, length);
    }

    @Override
    public void close() {
        region.close();
    }
}
