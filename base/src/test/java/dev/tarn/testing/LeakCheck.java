package dev.tarn.testing;

import dev.tarn.memory.MemoryRegion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves a {@link MemoryRegion} or a file of a test file system open.
 *
 * <p>Registered for all tests by {@code META-INF/services} where {@code junit-platform.properties}
 * has {@code junit.jupiter.extensions.autodetection.enabled=true}. What a test method opens must be
 * closed when its {@code @AfterEach} methods are done; what {@code @BeforeAll} opens, when the
 * {@code @AfterAll} methods are.
 *
 * <p>Needs {@code -Ddev.tarn.verify=true} to see regions, and tests that run one after the other.
 */
public final class LeakCheck
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(LeakCheck.class);

    /** Everything that was open at one moment, with where it was opened. */
    private record Open(Map<Object, Throwable> things) {
        static Open now() {
            Map<Object, Throwable> things = new HashMap<>(MemoryRegion.openRegions());
            things.putAll(OpenHandles.open());
            return new Open(things);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        remember(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        remember(context);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        check(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        check(context);
    }

    private static void remember(ExtensionContext context) {
        context.getStore(NAMESPACE).put(context.getUniqueId(), Open.now());
    }

    private static void check(ExtensionContext context) {
        Open before = context.getStore(NAMESPACE).get(context.getUniqueId(), Open.class);
        if (before == null) {
            return;
        }
        Map<Object, Throwable> leaked = new HashMap<>(Open.now().things());
        leaked.keySet().removeIf(before.things()::containsKey);
        if (leaked.isEmpty()) {
            return;
        }
        List<String> names = new ArrayList<>();
        leaked.keySet().forEach(thing -> names.add(thing.toString()));
        AssertionError failure =
                new AssertionError(
                        "left open by "
                                + context.getDisplayName()
                                + ": count="
                                + leaked.size()
                                + " "
                                + names);
        leaked.values().forEach(failure::addSuppressed);
        throw failure;
    }
}
