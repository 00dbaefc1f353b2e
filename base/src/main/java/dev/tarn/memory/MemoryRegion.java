package dev.tarn.memory;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Off-heap memory with an owner: reserved in the budget, allocated, freed exactly once.
 *
 * <p>Owner: the caller of {@link #allocate}, until it hands the region on.
 *
 * <p>Lifetime: until {@link #close()}, which frees the memory at once. The owner makes sure that no
 * thread reads it any more.
 *
 * <p>Threads: the memory as {@link OffHeapMemory} says; {@link #close()} by one thread.
 *
 * <p>Errors: a second close throws {@link ClosedException}.
 */
public final class MemoryRegion implements AutoCloseable {
    /** Alignment that keeps structures of 64 bytes within one cache line. */
    public static final int CACHE_LINE_BYTES = 64;

    /** Alignment that direct I/O asks for. */
    public static final int PAGE_BYTES = 4096;

    private static final byte POISON = (byte) 0xDD;

    /** Open regions and where they were allocated; kept only when verifying. */
    private static final Map<MemoryRegion, Throwable> OPEN = new ConcurrentHashMap<>();

    private final MemoryAccountant accountant;
    private final MemoryPurpose purpose;
    private final OffHeapMemory memory;
    private final long reservedBytes;
    private final AtomicBoolean closed = new AtomicBoolean();

    private MemoryRegion(
            MemoryAccountant accountant,
            MemoryPurpose purpose,
            OffHeapMemory memory,
            long reservedBytes) {
        this.accountant = accountant;
        this.purpose = purpose;
        this.memory = memory;
        this.reservedBytes = reservedBytes;
        if (Diagnostics.VERIFY) {
            OPEN.put(this, new Throwable("allocated here: " + purpose + " " + reservedBytes));
        }
    }

    /**
     * Reserves and allocates zeroed memory.
     *
     * @param sizeBytes in [0, {@link OffHeapMemory#CAPACITY_MAX}]
     * @param alignmentBytes a power of two in [1, {@link #PAGE_BYTES}]
     * @throws MemoryBudgetExceededException if the budget does not allow it
     */
    public static MemoryRegion allocate(
            MemoryAccountant accountant,
            MemoryPurpose purpose,
            long sizeBytes,
            int alignmentBytes) {
        checkSize(sizeBytes, alignmentBytes);
        accountant.reserve(purpose, sizeBytes);
        return allocateReserved(accountant, purpose, sizeBytes, alignmentBytes);
    }

    /** As {@link #allocate}, but returns null when the budget does not allow it. */
    public static @Nullable MemoryRegion tryAllocate(
            MemoryAccountant accountant,
            MemoryPurpose purpose,
            long sizeBytes,
            int alignmentBytes) {
        checkSize(sizeBytes, alignmentBytes);
        if (!accountant.tryReserve(purpose, sizeBytes)) {
            return null;
        }
        return allocateReserved(accountant, purpose, sizeBytes, alignmentBytes);
    }

    private static void checkSize(long sizeBytes, int alignmentBytes) {
        if (sizeBytes < 0 || sizeBytes > OffHeapMemory.CAPACITY_MAX) {
            throw new IllegalArgumentException(
                    "region size must be in [0, "
                            + OffHeapMemory.CAPACITY_MAX
                            + "]: sizeBytes="
                            + sizeBytes);
        }
        if (Integer.bitCount(alignmentBytes) != 1
                || alignmentBytes < 1
                || alignmentBytes > PAGE_BYTES) {
            throw new IllegalArgumentException(
                    "alignment must be a power of two in [1, "
                            + PAGE_BYTES
                            + "]: alignmentBytes="
                            + alignmentBytes);
        }
    }

    /**
     * Allocates zeroed memory for bytes that the caller has reserved under the same purpose; the
     * reservation goes over to the region. Never refused by the budget.
     */
    public static MemoryRegion allocateReserved(
            MemoryAccountant accountant,
            MemoryPurpose purpose,
            long sizeBytes,
            int alignmentBytes) {
        checkSize(sizeBytes, alignmentBytes);
        try {
            OffHeapMemory memory = OffHeapMemory.allocate((int) sizeBytes, alignmentBytes);
            return new MemoryRegion(accountant, purpose, memory, sizeBytes);
        } catch (OutOfMemoryError e) {
            accountant.release(purpose, sizeBytes);
            OutOfMemoryError explained =
                    new OutOfMemoryError(
                            "the JVM refused off-heap memory: purpose="
                                    + purpose
                                    + " sizeBytes="
                                    + sizeBytes
                                    + "; raise -XX:MaxDirectMemorySize (default: the heap's size)"
                                    + " or lower the memory budget");
            explained.initCause(e);
            throw explained;
        }
    }

    /** The bytes; throws on every access once this region is closed. */
    public OffHeapMemory memory() {
        return memory;
    }

    public int sizeBytes() {
        return (int) reservedBytes;
    }

    public MemoryPurpose purpose() {
        return purpose;
    }

    public boolean isClosed() {
        return closed.get();
    }

    /**
     * Frees the memory and gives the reservation back.
     *
     * @throws ClosedException if it was closed before
     * @throws IllegalStateException if an I/O call uses the memory, where the JVM can tell (from 22
     *     on); the region stays open, to be closed again later
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            throw new ClosedException(
                    "memory region closed twice: purpose="
                            + purpose
                            + " sizeBytes="
                            + reservedBytes);
        }
        if (Diagnostics.VERIFY) {
            // A view that outlived its region reads this through a still mapped buffer, if at all.
            memory.fill(0, memory.capacity(), POISON);
        }
        try {
            memory.free();
        } catch (IllegalStateException e) {
            closed.set(false);
            throw new IllegalStateException(
                    "memory region closed while I/O uses it: purpose="
                            + purpose
                            + " sizeBytes="
                            + reservedBytes,
                    e);
        }
        OPEN.remove(this);
        accountant.release(purpose, reservedBytes);
    }

    /**
     * Returns the open regions with the stack traces of their allocation: those are leaks, once all
     * owners are closed. Empty unless {@link Diagnostics#VERIFY}.
     */
    public static Map<MemoryRegion, Throwable> openRegions() {
        return Map.copyOf(OPEN);
    }

    @Override
    public String toString() {
        return "MemoryRegion[purpose="
                + purpose
                + " sizeBytes="
                + reservedBytes
                + " closed="
                + closed
                + "]";
    }
}
