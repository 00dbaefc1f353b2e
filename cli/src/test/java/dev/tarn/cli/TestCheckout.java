package dev.tarn.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A copy of what the launcher needs, in a directory of the test's own: the launcher itself, and the
 * packaged program either in its place or kept aside for a build to deliver.
 *
 * <p>The launcher sees only the tools that it may rely on, so that a machine's Java or Maven cannot
 * help it by accident.
 */
final class TestCheckout {
    private static final Path SOURCE = Path.of("..").toAbsolutePath().normalize();

    /** Everything the launcher may call; neither Java nor Maven. */
    private static final List<String> TOOLS =
            List.of(
                    "sh",
                    "cat",
                    "cksum",
                    "cut",
                    "dirname",
                    "find",
                    "grep",
                    "head",
                    "mkdir",
                    "mv",
                    "readlink",
                    "rm",
                    "sed",
                    "sleep",
                    "touch");

    private final Path home;
    private final Path tools;
    private final Path delivery;

    private TestCheckout(Path root) throws IOException {
        home = Files.createDirectories(root.resolve("check out"));
        tools = Files.createDirectories(root.resolve("tools"));
        delivery = root.resolve("delivery");
        copy(SOURCE.resolve("tarn"), home.resolve("tarn"));
        for (String tool : TOOLS) {
            withTool(tool);
        }
    }

    /** Returns a directory with the packaged program and no sources. */
    static TestCheckout packaged(Path root) throws IOException {
        TestCheckout checkout = new TestCheckout(root);
        copyProgram(checkout.home.resolve("cli/target"));
        return checkout;
    }

    /** Returns a directory with sources, as far as the launcher looks at them, and no program. */
    static TestCheckout unbuilt(Path root) throws IOException {
        TestCheckout checkout = new TestCheckout(root);
        copyProgram(checkout.delivery);
        Files.createDirectories(checkout.home.resolve(".mvn"));
        Files.writeString(checkout.home.resolve("pom.xml"), "<project/>");
        for (String module : List.of("base", "offheap-memtable", "sst-format", "engine", "cli")) {
            Path sources = Files.createDirectories(checkout.home.resolve(module + "/src/main"));
            Files.writeString(sources.resolve("A.java"), "class A {}");
            Files.writeString(checkout.home.resolve(module + "/pom.xml"), "<project/>");
        }
        return checkout;
    }

    /** Puts a Maven on the path that records its arguments and delivers the packaged program. */
    TestCheckout withMavenThatBuilds() {
        script(
                tools.resolve("mvn"),
                "echo \"JAVA_HOME=$JAVA_HOME $*\" >>'" + home + "/maven-calls'",
                "mkdir -p cli/target && cp -r '" + delivery + "/.' cli/target/",
                "touch cli/target/tarn.jar",
                "echo 'noise on standard output'");
        return withTool("cp");
    }

    /** Puts a Maven on the path that fails as the real one does. */
    TestCheckout withMavenThatFails() {
        script(
                tools.resolve("mvn"),
                "echo '[INFO] Scanning for projects...'",
                "echo '[ERROR] COMPILATION ERROR :'",
                "echo '[ERROR] Failed to execute goal compile on project tarn-base: no good'",
                "exit 1");
        return this;
    }

    private TestCheckout withTool(String tool) {
        // No link: the deletion of a link out of the temporary directory is worth a warning to
        // JUnit.
        script(tools.resolve(tool), "exec '" + findOnPath(tool) + "' \"$@\"");
        return this;
    }

    /** Returns how often Maven was called, and with what. */
    List<String> mavenCalls() throws IOException {
        Path calls = home.resolve("maven-calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    Path home() {
        return home;
    }

    Path launcher() {
        return home.resolve("tarn");
    }

    Path tools() {
        return tools;
    }

    /** Returns the class archives that were made. */
    List<Path> archives() throws IOException {
        try (Stream<Path> files = Files.list(home.resolve("cli/target"))) {
            return files.filter(file -> file.toString().endsWith(".jsa")).toList();
        }
    }

    /** Returns a call of the launcher under the JDK of the test. */
    ChildProcess tarn(String... arguments) {
        return call(launcher(), arguments).with("JAVA_HOME", TestJdks.current().toString());
    }

    /** Returns a call by some path, with no JDK in sight. */
    ChildProcess call(Path launcher, String... arguments) {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(Arrays.asList(arguments));
        return ChildProcess.of(command)
                .in(home)
                .with("PATH", tools.toString())
                .with("JAVA_HOME", null)
                .with("TARN_JDK_PLACES", "");
    }

    /** Makes a file look as if it was changed after everything that stands. */
    static void makeNewest(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(3600)));
    }

    /** Writes a shell script that can be run. */
    static void script(Path file, String... lines) {
        try {
            Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes a directory look like a JDK of a version, as far as a script looks at it. */
    static Path fakeJdk(Path jdk, String version) throws IOException {
        Files.createDirectories(jdk.resolve("bin"));
        script(jdk.resolve("bin/java"), "echo 'the wrong JDK runs' >&2", "exit 99");
        script(jdk.resolve("bin/javac"), "exit 99");
        Files.writeString(
                jdk.resolve("release"),
                "IMPLEMENTOR=\"Nobody\"\nJAVA_VERSION=\"" + version + "\"\n");
        return jdk;
    }

    private static void copyProgram(Path target) throws IOException {
        Path built = SOURCE.resolve("cli/target");
        Files.createDirectories(target.resolve("lib"));
        copy(built.resolve("tarn.jar"), target.resolve("tarn.jar"));
        try (Stream<Path> libraries = Files.list(built.resolve("lib"))) {
            for (Path library : libraries.toList()) {
                copy(library, target.resolve("lib").resolve(library.getFileName()));
            }
        }
    }

    private static void copy(Path source, Path target) throws IOException {
        Files.copy(source, target, StandardCopyOption.COPY_ATTRIBUTES);
    }

    private static Path findOnPath(String tool) {
        for (String directory : System.getenv("PATH").split(":", -1)) {
            Path candidate = Path.of(directory, tool);
            if (Files.isExecutable(candidate)) {
                return candidate;
            }
        }
        throw new AssertionError("this machine has no " + tool);
    }
}
