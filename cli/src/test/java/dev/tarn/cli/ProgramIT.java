package dev.tarn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tarn.cli.ChildProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The contract with scripts, of the real program: exit statuses, error lines, where data goes. */
class ProgramIT {
    @TempDir static Path root;
    private static TestCheckout checkout;

    @BeforeAll
    static void unpack() throws IOException {
        checkout = TestCheckout.packaged(root);
    }

    @ParameterizedTest
    @MethodSource("allCommands")
    void everyCommandHasHelp(List<String> command) {
        List<String> arguments = new ArrayList<>(command);
        arguments.add("--help");

        Result result = checkout.tarn(arguments.toArray(new String[0])).run();

        assertThat(result.errors()).isEmpty();
        assertThat(result.out())
                .startsWith("Usage: " + String.join(" ", prepend("tarn", command)))
                .contains("--help");
        assertThat(result.status()).isZero();
    }

    static List<List<String>> allCommands() {
        List<List<String>> commands = new ArrayList<>();
        collect(new CommandLine(new Main()), List.of(), commands);
        return commands;
    }

    private static void collect(
            CommandLine command, List<String> path, List<List<String>> commands) {
        commands.add(path);
        command.getSubcommands()
                .forEach(
                        (name, subcommand) -> {
                            List<String> longer = new ArrayList<>(path);
                            longer.add(name);
                            collect(subcommand, longer, commands);
                        });
    }

    private static List<String> prepend(String first, List<String> rest) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(rest);
        return all;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no-such-command",
                "--no-such-option",
                "env --no-such",
                "env . .",
                "demo --rows 0"
            })
    void nonsenseIsUsage(String arguments) {
        Result result =
                checkout.tarn(arguments.isEmpty() ? new String[0] : arguments.split(" ", -1)).run();

        assertThat(result.out()).isEmpty();
        assertThat(result.errorLines())
                .singleElement()
                .asString()
                .startsWith("tarn: ")
                .endsWith(" --help)");
        assertThat(result.status()).isEqualTo(ExitStatus.USAGE);
    }

    @Test
    void missingDirectoryIsAFailure() {
        Result result = checkout.tarn("env", root + "/absent").run();

        assertThat(result.out()).isEmpty();
        assertThat(result.errors())
                .isEqualTo("tarn: no such file or directory: " + root + "/absent\n");
        assertThat(result.status()).isEqualTo(ExitStatus.FAILURE);
    }

    @Test
    void stackTraceFollowsTheLineOnlyWhenAskedFor() {
        Result result = checkout.tarn("env", "--stacktrace", root + "/absent").run();

        assertThat(result.errorLines().get(0)).startsWith("tarn: no such file or directory: ");
        assertThat(result.errors()).contains("NoSuchFileException").contains("\tat dev.tarn.cli.");
        assertThat(result.status()).isEqualTo(ExitStatus.FAILURE);
    }

    @Test
    void pipeClosedEarlyEndsQuietly() {
        Result result = checkout.tarn("env").runWithoutReader();

        assertThat(result.errors()).isEmpty();
        assertThat(result.status()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"env", "--help", "--version"})
    void fullDiskUnderStandardOutputIsAFailure(String argument) {
        Path full = Path.of("/dev/full");
        assertThat(full).exists();

        Result result = checkout.tarn(argument).outputTo(full).run();

        assertThat(result.errorLines())
                .singleElement()
                .asString()
                .startsWith("tarn: cannot write to standard output: ");
        assertThat(result.status()).isEqualTo(ExitStatus.FAILURE);
    }

    @Test
    void reportsTheEnvironmentOfADirectory() throws IOException {
        Path directory = Files.createDirectories(root.resolve("warehouse"));

        Result result = checkout.tarn("env", directory.toString()).run();

        assertThat(result.errors()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out().lines()).allMatch(line -> line.matches("[a-z][a-z-]*: .*"));
        assertThat(result.out())
                .contains("jdk: " + System.getProperty("java.runtime.version"))
                .contains("directory: " + directory.toRealPath())
                .containsPattern("(?m)^file-system: \\S+")
                .containsPattern("(?m)^page-size-bytes: [1-9][0-9]*")
                .containsPattern("(?m)^cores: [1-9][0-9]*")
                .containsPattern("(?m)^direct-io: (true|false)$");
        // The probe leaves nothing behind.
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void demonstrationWritesVerifiesAndCleansUp() throws IOException {
        Path temporary = Files.createDirectories(root.resolve("temporary"));

        Result result =
                checkout.tarn("demo", "--rows", "50000")
                        .with("TARN_JAVA_OPTIONS", "-Djava.io.tmpdir=" + temporary)
                        .run();

        assertThat(result.out()).contains("\nwrong-answers: 0\n", "\nmemory-left-bytes: 0\n");
        assertThat(result.errorLines()).isNotEmpty().allMatch(line -> line.startsWith("tarn: "));
        assertThat(result.status()).isZero();
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void demonstrationKeepsFilesWhereItIsTold() {
        Path kept = root.resolve("kept");

        Result first = checkout.tarn("demo", "--rows", "1000", "--dir", kept.toString()).run();
        assertThat(first.status()).isZero();
        assertThat(kept).isDirectoryContaining("glob:**/*.sst");

        Result second = checkout.tarn("demo", "--rows", "1000", "--dir", kept.toString()).run();
        assertThat(second.errors()).contains("the directory is not empty");
        assertThat(second.status()).isEqualTo(ExitStatus.FAILURE);
        assertThat(kept).isDirectoryContaining("glob:**/*.sst");
    }

    /** The manifest exports what the faster backend needs, on every JDK. */
    @ParameterizedTest
    @ValueSource(ints = {17, 25})
    void runsOnTheAgronaBackend(int version) {
        Path jdk = TestJdks.find(version).orElse(null);
        assumeTrue(jdk != null, "SKIPPED: no JDK " + version + " on this machine");

        Result result = checkout.tarn("env", "--json").with("JAVA_HOME", jdk.toString()).run();

        assertThat(result.errors()).isEmpty();
        assertThat(result.out())
                .contains("\"jdk\" : \"" + version)
                .contains("\"memory-backend\" : \"agrona\"");
    }
}
