package dev.tarn.memory;

/**
 * The system properties Tarn reads: for tests and fault finding, never needed in production.
 *
 * <p>{@code dev.tarn.verify=true} poisons freed memory, records where each region was allocated and
 * runs expensive structure checks. {@code dev.tarn.memory.backend=varhandle|agrona} forces a memory
 * backend; the default picks the best one that works on this JVM.
 */
public final class Diagnostics {
    /** Whether freed memory is poisoned and structures are verified; off unless asked for. */
    public static final boolean VERIFY = Boolean.getBoolean("dev.tarn.verify");

    /** The forced memory backend in lower case, or {@code auto}. */
    static final String MEMORY_BACKEND = System.getProperty("dev.tarn.memory.backend", "auto");

    private Diagnostics() {}
}
