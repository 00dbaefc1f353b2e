package dev.tarn.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory budget of one database: every lasting off-heap byte is reserved here before it is
 * allocated, under a purpose.
 *
 * <p>Threads: any thread may reserve and release. Reservations are whole regions and chunks, never
 * single entries, so a plain lock is cheap enough.
 *
 * <p>Invariants: the sum of all reservations never exceeds the limit, and no purpose exceeds its
 * own; a failed reservation changes nothing.
 *
 * <p>Units: bytes.
 */
public final class MemoryAccountant {
    private static final MemoryPurpose[] PURPOSES = MemoryPurpose.values();

    private final long limitBytes;
    private final long[] limitBytesByPurpose;

    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition released = mutex.newCondition();

    @GuardedBy("mutex")
    private final long[] reservedBytesByPurpose = new long[PURPOSES.length];

    @GuardedBy("mutex")
    private long reservedBytes;

    /** Creates a budget of {@code limitBytes}, which any purpose may use up. */
    public MemoryAccountant(long limitBytes) {
        this(limitBytes, Map.of());
    }

    /**
     * Creates a budget in which some purposes have a limit of their own.
     *
     * @param limitBytes for everything together, positive
     * @param limitBytesByPurpose for single purposes; a purpose that is not named may use it all
     */
    public MemoryAccountant(long limitBytes, Map<MemoryPurpose, Long> limitBytesByPurpose) {
        if (limitBytes <= 0) {
            throw new IllegalArgumentException(
                    "memory budget must be positive: limitBytes=" + limitBytes);
        }
        this.limitBytes = limitBytes;
        this.limitBytesByPurpose = new long[PURPOSES.length];
        for (MemoryPurpose purpose : PURPOSES) {
            long own = limitBytesByPurpose.getOrDefault(purpose, limitBytes);
            if (own < 0) {
                throw new IllegalArgumentException(
                        "memory budget must not be negative: purpose="
                                + purpose
                                + " limitBytes="
                                + own);
            }
            this.limitBytesByPurpose[purpose.ordinal()] = Math.min(own, limitBytes);
        }
    }

    /** Creates a budget that never refuses, for tools and tests that only count. */
    public static MemoryAccountant unlimited() {
        return new MemoryAccountant(Long.MAX_VALUE);
    }

    /** Reserves if the budget allows it now; returns whether it did. */
    public boolean tryReserve(MemoryPurpose purpose, long bytes) {
        checkBytes(bytes);
        mutex.lock();
        try {
            if (!fits(purpose, bytes)) {
                return false;
            }
            add(purpose, bytes);
            return true;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Reserves now.
     *
     * @throws MemoryBudgetExceededException if the budget does not allow it
     */
    public void reserve(MemoryPurpose purpose, long bytes) {
        if (!tryReserve(purpose, bytes)) {
            throw exceeded(purpose, bytes);
        }
    }

    /**
     * Reserves, waiting for releases up to a time; returns whether it did.
     *
     * @throws MemoryBudgetExceededException at once, if no release can ever make room
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public boolean reserve(MemoryPurpose purpose, long bytes, long timeout, TimeUnit unit)
            throws InterruptedException {
        checkBytes(bytes);
        if (bytes > limitBytes(purpose)) {
            throw exceeded(purpose, bytes);
        }
        long remainingNanos = unit.toNanos(timeout);
        mutex.lockInterruptibly();
        try {
            while (!fits(purpose, bytes)) {
                if (remainingNanos <= 0) {
                    return false;
                }
                remainingNanos = released.awaitNanos(remainingNanos);
            }
            add(purpose, bytes);
            return true;
        } finally {
            mutex.unlock();
        }
    }

    /** Gives back what was reserved under the same purpose. */
    public void release(MemoryPurpose purpose, long bytes) {
        checkBytes(bytes);
        mutex.lock();
        try {
            long left = reservedBytesByPurpose[purpose.ordinal()] - bytes;
            if (left < 0) {
                throw new IllegalStateException(
                        "released more memory than was reserved: purpose="
                                + purpose
                                + " releasedBytes="
                                + bytes
                                + " reservedBytes="
                                + (left + bytes));
            }
            reservedBytesByPurpose[purpose.ordinal()] = left;
            reservedBytes -= bytes;
            released.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    /** The limit for everything together. */
    public long limitBytes() {
        return limitBytes;
    }

    /** The most that one purpose may ever hold. */
    public long limitBytes(MemoryPurpose purpose) {
        return limitBytesByPurpose[purpose.ordinal()];
    }

    /** What is reserved at the moment, for everything together. */
    public long reservedBytes() {
        mutex.lock();
        try {
            return reservedBytes;
        } finally {
            mutex.unlock();
        }
    }

    /** What is reserved at the moment under one purpose. */
    public long reservedBytes(MemoryPurpose purpose) {
        mutex.lock();
        try {
            return reservedBytesByPurpose[purpose.ordinal()];
        } finally {
            mutex.unlock();
        }
    }

    /** Returns a consistent copy of all reservations. */
    public Map<MemoryPurpose, Long> report() {
        Map<MemoryPurpose, Long> report = new EnumMap<>(MemoryPurpose.class);
        mutex.lock();
        try {
            for (MemoryPurpose purpose : PURPOSES) {
                report.put(purpose, reservedBytesByPurpose[purpose.ordinal()]);
            }
        } finally {
            mutex.unlock();
        }
        return report;
    }

    private MemoryBudgetExceededException exceeded(MemoryPurpose purpose, long bytes) {
        return new MemoryBudgetExceededException(
                "memory budget exceeded: purpose="
                        + purpose
                        + " requestedBytes="
                        + bytes
                        + " purposeLimitBytes="
                        + limitBytes(purpose)
                        + " limitBytes="
                        + limitBytes
                        + " reservedBytes="
                        + report()
                        + "; raise the memory budget or lower what shares it");
    }

    @GuardedBy("mutex")
    private boolean fits(MemoryPurpose purpose, long bytes) {
        int index = purpose.ordinal();
        // Differences, since sums could overflow.
        return bytes <= limitBytes - reservedBytes
                && bytes <= limitBytesByPurpose[index] - reservedBytesByPurpose[index];
    }

    @GuardedBy("mutex")
    private void add(MemoryPurpose purpose, long bytes) {
        reservedBytesByPurpose[purpose.ordinal()] += bytes;
        reservedBytes += bytes;
    }

    private static void checkBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes must not be negative: bytes=" + bytes);
        }
    }
}
