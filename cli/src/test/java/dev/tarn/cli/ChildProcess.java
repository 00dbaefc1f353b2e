package dev.tarn.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A command that a test runs as users do: in a process of its own. */
final class ChildProcess {
    /** Long enough for the slowest machine: reaching it means that the child hangs. */
    private static final long HANG_SECONDS = 300;

    private final List<String> command;
    private final Map<String, @Nullable String> environment = new HashMap<>();
    private @Nullable Path directory;
    private @Nullable Path outputFile;

    private ChildProcess(List<String> command) {
        this.command = command;
        // Somebody's flags would change what is tested, and the JVM tells of them on stderr.
        for (String name : List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")) {
            environment.put(name, null);
        }
        environment.put("TARN_JAVA_OPTIONS", null);
    }

    /** What a child left behind. */
    record Result(int status, String out, String errors) {
        /** Returns the lines of standard error. */
        List<String> errorLines() {
            return errors.lines().toList();
        }
    }

    static ChildProcess of(List<String> command) {
        return new ChildProcess(command);
    }

    static ChildProcess of(String... command) {
        return new ChildProcess(List.of(command));
    }

    /** Sets an environment variable; null removes it. */
    ChildProcess with(String name, @Nullable String value) {
        environment.put(name, value);
        return this;
    }

    ChildProcess in(Path workingDirectory) {
        directory = workingDirectory;
        return this;
    }

    /** Sends standard output to a file instead of collecting it. */
    ChildProcess outputTo(Path file) {
        outputFile = file;
        return this;
    }

    /** Runs to the end. */
    Result run() {
        return run(false);
    }

    /** Runs to the end, with nobody who reads standard output: the pipe is closed at once. */
    Result runWithoutReader() {
        return run(true);
    }

    private Result run(boolean closeOutput) {
        try {
            Path out = Files.createTempFile("tarn-child-", ".out");
            Path errors = Files.createTempFile("tarn-child-", ".err");
            try {
                ProcessBuilder builder = new ProcessBuilder(command);
                environment.forEach(
                        (name, value) -> {
                            if (value == null) {
                                builder.environment().remove(name);
                            } else {
                                builder.environment().put(name, value);
                            }
                        });
                if (directory != null) {
                    builder.directory(directory.toFile());
                }
                builder.redirectInput(Path.of("/dev/null").toFile());
                builder.redirectError(errors.toFile());
                if (!closeOutput) {
                    builder.redirectOutput((outputFile == null ? out : outputFile).toFile());
                }
                Process process = builder.start();
                if (closeOutput) {
                    process.getInputStream().close();
                }
                if (!process.waitFor(HANG_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new AssertionError("the child hangs: " + command);
                }
                return new Result(process.exitValue(), read(out), read(errors));
            } finally {
                Files.delete(out);
                Files.delete(errors);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + command, e);
        }
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
