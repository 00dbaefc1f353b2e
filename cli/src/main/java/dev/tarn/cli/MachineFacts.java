package dev.tarn.cli;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.StringTokenizer;
import java.util.stream.Collectors;

/**
 * Processor and memory of the machine, or of the container that limits them.
 *
 * <p>Java offers few of these, so most come from Linux's {@code /proc} and {@code /sys}; elsewhere
 * they are {@code unknown}.
 */
final class MachineFacts {
    private static final String UNKNOWN = "unknown";

    /** The features that decide how fast checksums, comparisons and copies are. */
    private static final Set<String> FEATURES_THAT_MATTER =
            new LinkedHashSet<>(
                    List.of(
                            // x86-64
                            "sse4_2",
                            "popcnt",
                            "pclmulqdq",
                            "aes",
                            "avx",
                            "avx2",
                            "bmi1",
                            "bmi2",
                            "erms",
                            "fsrm",
                            "avx512f",
                            "avx512bw",
                            "avx512vl",
                            "vpclmulqdq",
                            // aarch64
                            "asimd",
                            "crc32",
                            "pmull",
                            "atomics",
                            "sve",
                            "sve2"));

    /** The type of the entry that holds the page size, as the Linux kernel passes it. */
    private static final long AUXILIARY_PAGE_SIZE = 6;

    private MachineFacts() {}

    static void addTo(FactSheet facts) {
        facts.add(
                "os",
                System.getProperty("os.name", UNKNOWN) + " " + System.getProperty("os.version"));
        facts.add("architecture", System.getProperty("os.arch", UNKNOWN));
        facts.add("cpu", cpuInfo("model name"));
        facts.add("cpu-features", cpuFeatures());
        facts.add("cores", Runtime.getRuntime().availableProcessors());
        addMemory(facts);
        OptionalLong pageSize = pageSizeBytes();
        if (pageSize.isPresent()) {
            facts.add("page-size-bytes", pageSize.getAsLong());
        } else {
            facts.add("page-size-bytes", UNKNOWN);
        }
        facts.add(
                "transparent-huge-pages",
                firstLine(Path.of("/sys/kernel/mm/transparent_hugepage/enabled")));
        facts.add("open-files-max", openFilesMax());
    }

    private static void addMemory(FactSheet facts) {
        // The portable bean does not know of memory.
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            facts.add("memory-total-bytes", system.getTotalMemorySize());
            facts.add("memory-free-bytes", system.getFreeMemorySize());
        } else {
            facts.add("memory-total-bytes", UNKNOWN);
            facts.add("memory-free-bytes", UNKNOWN);
        }
    }

    private static String cpuFeatures() {
        // "flags" on x86-64, "Features" on aarch64.
        String all = cpuInfo("flags");
        if (all.equals(UNKNOWN)) {
            all = cpuInfo("Features");
        }
        if (all.equals(UNKNOWN)) {
            return UNKNOWN;
        }
        Set<String> present = Set.copyOf(Arrays.asList(all.split(" +")));
        return FEATURES_THAT_MATTER.stream()
                .filter(present::contains)
                .collect(Collectors.joining(" "));
    }

    private static String cpuInfo(String key) {
        for (String line : lines(Path.of("/proc/cpuinfo"))) {
            int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).strip().equals(key)) {
                return line.substring(colon + 1).strip();
            }
        }
        return UNKNOWN;
    }

    /** Reads the page size from the pairs of words that the kernel gives every process. */
    private static OptionalLong pageSizeBytes() {
        try {
            ByteBuffer words =
                    ByteBuffer.wrap(Files.readAllBytes(Path.of("/proc/self/auxv")))
                            .order(ByteOrder.nativeOrder());
            while (words.remaining() >= 2 * Long.BYTES) {
                long type = words.getLong();
                long value = words.getLong();
                if (type == AUXILIARY_PAGE_SIZE) {
                    return OptionalLong.of(value);
                }
            }
            return OptionalLong.empty();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    private static String openFilesMax() {
        for (String line : lines(Path.of("/proc/self/limits"))) {
            if (line.startsWith("Max open files")) {
                // The soft limit, which counts, stands first.
                return new StringTokenizer(line.substring("Max open files".length())).nextToken();
            }
        }
        return UNKNOWN;
    }

    private static String firstLine(Path file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? UNKNOWN : lines.get(0);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of();
        }
    }
}
