package dev.tarn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tarn.cli.ChildProcess.Result;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The library jars on a plain class path, without any JVM flag: they work, and say nothing that
 * docs/jvm.md does not list.
 */
class JvmCheckIT {
    private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

    /** What the program adds to the libraries. */
    private static final Pattern PROGRAM_ONLY = Pattern.compile("(picocli|jackson|slf4j-simple).*");

    @TempDir Path root;

    @ParameterizedTest
    @ValueSource(ints = {17, 25})
    void worksWithoutFlags(int version) throws IOException {
        Result result = runProbe(version, libraries());

        assertThat(result.errorLines()).allMatch(JvmCheckIT::isListed);
        assertThat(result.out())
                .isEqualTo("varhandle: memory, codec, files, memtable, sst, store\n");
        assertThat(result.status()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 25})
    void saysNothingWhereThereIsALogger(int version) throws IOException {
        List<Path> libraries = new ArrayList<>(libraries());
        libraries.add(library("slf4j-simple.*"));
        // The provider's own lines go elsewhere: this is about what nobody can turn off.
        Path quiet = Files.createDirectories(root.resolve("quiet"));
        Files.writeString(
                quiet.resolve("simplelogger.properties"),
                "org.slf4j.simpleLogger.defaultLogLevel=off\n");
        libraries.add(0, quiet);

        Result result = runProbe(version, libraries);

        assertThat(unlistedLines(result)).isEmpty();
        assertThat(result.errors()).doesNotContain("SLF4J");
        assertThat(result.status()).isZero();
    }

    @Test
    void linesOutsideTheListAreNoticed() throws IOException {
        assertThat(isListed("SLF4J(W): No SLF4J providers were found.")).isTrue();
        assertThat(isListed("WARNING: something else")).isFalse();
    }

    private Result runProbe(int version, List<Path> libraries) {
        Path jdk = TestJdks.find(version).orElse(null);
        assumeTrue(jdk != null, "SKIPPED: no JDK " + version + " on this machine");
        List<Path> classPath = new ArrayList<>(libraries);
        classPath.add(CHECKOUT.resolve("cli/target/test-classes"));
        return ChildProcess.of(
                        jdk.resolve("bin/java").toString(),
                        "-cp",
                        classPath.stream()
                                .map(Path::toString)
                                .collect(Collectors.joining(File.pathSeparator)),
                        LibraryProbe.class.getName(),
                        root.toString())
                .run();
    }

    private static List<Path> libraries() throws IOException {
        try (Stream<Path> files = Files.list(CHECKOUT.resolve("cli/target/lib"))) {
            return files.filter(
                            file -> !PROGRAM_ONLY.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        }
    }

    private static Path library(String name) throws IOException {
        try (Stream<Path> files = Files.list(CHECKOUT.resolve("cli/target/lib"))) {
            return files.filter(file -> file.getFileName().toString().matches(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static List<String> unlistedLines(Result result) {
        return result.errorLines().stream().filter(line -> !isListed(line)).toList();
    }

    /** Returns whether docs/jvm.md lists the line. */
    private static boolean isListed(String line) {
        try {
            List<String> listed = new ArrayList<>();
            boolean inList = false;
            for (String row : Files.readAllLines(CHECKOUT.resolve("docs/jvm.md"))) {
                if (row.equals("```stderr")) {
                    inList = true;
                } else if (row.equals("```")) {
                    inList = false;
                } else if (inList) {
                    listed.add(row);
                }
            }
            assertThat(listed).isNotEmpty();
            return listed.stream()
                    .map(
                            row ->
                                    Stream.of(row.split("\\.\\.\\.", -1))
                                            .map(Pattern::quote)
                                            .collect(Collectors.joining(".*")))
                    .anyMatch(line::matches);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
