package dev.tarn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tarn.cli.ChildProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher script, with the packaged program behind it. */
class LauncherIT {
    @TempDir Path root;

    @Test
    void runsThePackagedProgram() throws IOException {
        Result result = TestCheckout.packaged(root).tarn("--version").run();

        assertThat(result.errors()).isEmpty();
        assertThat(result.out()).matches("tarn \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\n");
        assertThat(result.status()).isZero();
    }

    @Test
    void runsFromAnyDirectoryThroughLinks() throws IOException {
        TestCheckout checkout = TestCheckout.packaged(root);
        Path elsewhere = Files.createDirectories(root.resolve("else where/deep"));
        Path absolute = Files.createSymbolicLink(elsewhere.resolve("first"), checkout.launcher());
        Path relative = Files.createSymbolicLink(root.resolve("second"), root.relativize(absolute));

        for (Path launcher : List.of(absolute, relative)) {
            Result result =
                    checkout.call(launcher, "env", "--json")
                            .in(elsewhere)
                            .with("JAVA_HOME", TestJdks.current().toString())
                            .run();
            assertThat(result.errors()).isEmpty();
            assertThat(result.out()).contains("\"directory\" : \"" + elsewhere.toRealPath() + "\"");
            assertThat(result.status()).isZero();
        }
    }

    @Test
    void passesArgumentsOnAsTheyAre() throws IOException {
        TestCheckout checkout = TestCheckout.packaged(root);
        Path odd = Files.createDirectories(root.resolve("a  b $HOME * \"c'"));

        Result result = checkout.tarn("env", odd.toString()).run();

        assertThat(result.out()).contains("directory: " + odd.toRealPath() + "\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 25})
    void startsFromAClassArchiveThatItMakesOnce(int version) throws IOException {
        Path jdk = TestJdks.find(version).orElse(null);
        assumeTrue(jdk != null, "SKIPPED: no JDK " + version + " on this machine");
        TestCheckout checkout = TestCheckout.packaged(root);

        Result first = checkout.tarn("--version").with("JAVA_HOME", jdk.toString()).run();
        assertThat(first.errors()).isEmpty();
        assertThat(checkout.archives()).hasSize(1);
        Path archive = checkout.archives().get(0);
        FileTime made = Files.getLastModifiedTime(archive);

        Result second =
                checkout.tarn("--version")
                        .with("JAVA_HOME", jdk.toString())
                        .with("TARN_JAVA_OPTIONS", "-Xlog:class+load:file=" + root + "/loaded")
                        .run();
        assertThat(second.errors()).isEmpty();
        assertThat(checkout.archives()).containsExactly(archive);
        assertThat(Files.getLastModifiedTime(archive)).isEqualTo(made);
        // JDK 17 cannot archive picocli, which is compiled for Java 5, nor what extends its
        // classes;
        // the JDK's own classes beyond the default archive are most of the gain.
        assertThat(Files.readAllLines(root.resolve("loaded")))
                .anyMatch(line -> line.contains("shared objects file (top)"));
    }

    @Test
    void saysNothingOfAnArchiveThatDoesNotFit() throws IOException {
        TestCheckout checkout = TestCheckout.packaged(root);
        checkout.tarn("--version").run();
        Path archive = checkout.archives().get(0);
        Files.setPosixFilePermissions(archive, PosixFilePermissions.fromString("rw-r--r--"));
        Files.write(archive, new byte[100_000]);

        Result result = checkout.tarn("--version").run();

        assertThat(result.errors()).isEmpty();
        assertThat(result.out()).startsWith("tarn ").hasLineCount(1);
        assertThat(result.status()).isZero();
    }

    @Test
    void noJdkIsOneLineThatSaysWhatToDo() throws IOException {
        TestCheckout checkout = TestCheckout.packaged(root);
        Path old = TestCheckout.fakeJdk(root.resolve("old"), "11.0.20");
        Path ancient = TestCheckout.fakeJdk(root.resolve("ancient"), "1.8.0_392");

        Result result =
                checkout.call(checkout.launcher(), "--version")
                        .with("JAVA_HOME", old.toString())
                        .with("TARN_JDK_PLACES", ancient.toString())
                        .run();

        assertThat(result.out()).isEmpty();
        assertThat(result.errorLines())
                .singleElement()
                .asString()
                .startsWith("tarn: no JDK 17 or newer found; ")
                .contains("JAVA_HOME is version 11: " + old)
                .contains("another is version 8: " + ancient)
                .contains("install one");
        assertThat(result.status()).isEqualTo(ExitStatus.FAILURE);
    }

    @Test
    void passesOverJdksThatAreTooOld() throws IOException {
        TestCheckout checkout = TestCheckout.packaged(root);
        Path old = TestCheckout.fakeJdk(root.resolve("old"), "11.0.20");
        Path onPath = TestCheckout.fakeJdk(root.resolve("onPath"), "16.0.2");
        Files.createSymbolicLink(checkout.tools().resolve("java"), onPath.resolve("bin/java"));

        Result result =
                checkout.call(checkout.launcher(), "--version")
                        .with("JAVA_HOME", old.toString())
                        .with("TARN_JDK_PLACES", TestJdks.current().toString())
                        .run();

        assertThat(result.errors()).isEmpty();
        assertThat(result.status()).isZero();
    }

    @Test
    void findsTheJavaOnThePath() throws IOException {
        TestCheckout checkout = TestCheckout.packaged(root);
        Path link =
                Files.createSymbolicLink(
                        checkout.tools().resolve("java"), TestJdks.current().resolve("bin/java"));

        Result result = checkout.call(checkout.launcher(), "--version").run();

        // JUnit warns of links that lead out of the directory it deletes.
        Files.delete(link);
        assertThat(result.errors()).isEmpty();
        assertThat(result.status()).isZero();
    }

    @Test
    void buildsOnFirstUseOnly() throws IOException {
        TestCheckout checkout = TestCheckout.unbuilt(root).withMavenThatBuilds();

        Result first = checkout.tarn("--version").run();
        assertThat(first.out()).startsWith("tarn ").hasLineCount(1);
        assertThat(first.errorLines()).singleElement().asString().startsWith("tarn: building");
        assertThat(first.status()).isZero();
        assertThat(checkout.mavenCalls())
                .singleElement()
                .asString()
                .startsWith("JAVA_HOME=" + TestJdks.current() + " ")
                .contains("-pl base,offheap-memtable,sst-format,engine,cli")
                .contains("-DskipTests")
                .endsWith(" package");

        Result second = checkout.tarn("--version").run();
        assertThat(second.errors()).isEmpty();
        assertThat(checkout.mavenCalls()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"base/src/main/A.java", "engine/src/main", "cli/pom.xml", "pom.xml", ".mvn"})
    void buildsAgainWhenASourceIsNewer(String source) throws IOException {
        TestCheckout checkout = TestCheckout.unbuilt(root).withMavenThatBuilds();
        checkout.tarn("--version").run();

        TestCheckout.makeNewest(checkout.home().resolve(source));
        Result result = checkout.tarn("--version").run();

        assertThat(result.errorLines()).singleElement().asString().startsWith("tarn: building");
        assertThat(checkout.mavenCalls()).hasSize(2);
    }

    @Test
    void failedBuildIsOneLineWithItsReason() throws IOException {
        TestCheckout checkout = TestCheckout.unbuilt(root).withMavenThatFails();

        Result result = checkout.tarn("--version").run();

        assertThat(result.out()).isEmpty();
        assertThat(result.errorLines()).hasSize(2);
        assertThat(result.errorLines().get(1))
                .startsWith("tarn: the build failed: Failed to execute goal compile")
                .contains("tarn-build.log");
        assertThat(result.status()).isEqualTo(ExitStatus.FAILURE);
    }

    @Test
    void missingMavenIsOneLineThatSaysWhatToDo() throws IOException {
        Result result = TestCheckout.unbuilt(root).tarn("--version").run();

        assertThat(result.out()).isEmpty();
        assertThat(result.errorLines())
                .singleElement()
                .asString()
                .startsWith("tarn: Maven (mvn) is not on PATH: install");
        assertThat(result.status()).isEqualTo(ExitStatus.FAILURE);
    }

    @Test
    void takesOverTheTurnOfABuildThatWasKilled() throws IOException {
        TestCheckout checkout = TestCheckout.unbuilt(root).withMavenThatBuilds();
        Path turn = Files.createDirectories(checkout.home().resolve("cli/target/tarn-build.turn"));
        // No process has this number: it is above the largest that Linux gives.
        Files.writeString(turn.resolve("pid"), "4194305\n");

        Result result = checkout.tarn("--version").run();

        assertThat(result.status()).isZero();
        assertThat(turn).doesNotExist();
    }
}
