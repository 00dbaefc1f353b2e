package dev.tarn.testing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files that are open in test file systems, with where they were opened, for {@link LeakCheck}.
 *
 * <p>Threads: safe.
 */
final class OpenHandles {
    /** Static, as the check is one per JVM. */
    private static final Map<Object, Throwable> OPEN = new ConcurrentHashMap<>();

    private OpenHandles() {}

    static void opened(Object handle, String description) {
        OPEN.put(handle, new Throwable("opened here: " + description));
    }

    static void closed(Object handle) {
        OPEN.remove(handle);
    }

    static Map<Object, Throwable> open() {
        return Map.copyOf(OPEN);
    }
}
