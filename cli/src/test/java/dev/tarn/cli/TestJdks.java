package dev.tarn.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The JDKs of this machine: that of the test itself and those in the usual places. */
final class TestJdks {
    private TestJdks() {}

    /** Returns the JDK that runs the test. */
    static Path current() {
        return Path.of(System.getProperty("java.home"));
    }

    /**
     * Returns a JDK of a feature version, looked for in {@code JAVA<version>_HOME}, the current
     * one, and below {@code /usr/lib/jvm}.
     */
    static Optional<Path> find(int version) {
        List<Path> candidates = new ArrayList<>();
        String hint = System.getenv("JAVA" + version + "_HOME");
        if (hint != null && !hint.isEmpty()) {
            candidates.add(Path.of(hint));
        }
        candidates.add(current());
        Path usual = Path.of("/usr/lib/jvm");
        if (Files.isDirectory(usual)) {
            try (Stream<Path> entries = Files.list(usual)) {
                entries.sorted().forEach(candidates::add);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return candidates.stream().filter(jdk -> hasVersion(jdk, version)).findFirst();
    }

    private static boolean hasVersion(Path jdk, int version) {
        Path release = jdk.resolve("release");
        if (!Files.isExecutable(jdk.resolve("bin/java")) || !Files.isReadable(release)) {
            return false;
        }
        try {
            String start = "JAVA_VERSION=\"" + version;
            return Files.readAllLines(release).stream()
                    .anyMatch(line -> line.equals(start + "\"") || line.startsWith(start + "."));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
