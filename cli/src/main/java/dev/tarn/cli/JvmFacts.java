package dev.tarn.cli;

import dev.tarn.memory.MemoryBackend;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.Locale;
import java.util.stream.Collectors;

/** What the JVM is, how it was started, and how Tarn reaches off-heap memory in it. */
final class JvmFacts {
    private JvmFacts() {}

    static void addTo(FactSheet facts) {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        facts.add("jdk", Runtime.version().toString());
        facts.add("jdk-vendor", System.getProperty("java.vendor", "unknown"));
        facts.add("jdk-home", System.getProperty("java.home", "unknown"));
        facts.add("jvm", runtime.getVmName());
        facts.add("jvm-flags", String.join(" ", runtime.getInputArguments()));
        facts.add(
                "garbage-collectors",
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .map(GarbageCollectorMXBean::getName)
                        .collect(Collectors.joining(", ")));
        facts.add("heap-max-bytes", Runtime.getRuntime().maxMemory());
        MemoryBackend.Choice choice = MemoryBackend.active();
        facts.add("memory-backend", choice.backend().name().toLowerCase(Locale.ROOT));
        facts.add("memory-backend-reason", choice.reason());
    }
}
