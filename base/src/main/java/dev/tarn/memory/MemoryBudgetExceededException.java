package dev.tarn.memory;

/** Thrown when a reservation would exceed a memory budget; nothing was reserved. */
public final class MemoryBudgetExceededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MemoryBudgetExceededException(String message) {
        super(message);
    }
}
