package dev.tarn.jmh.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a reader needs to judge and repeat a run: machine, kernel, commit. */
final class RunFacts {
    private RunFacts() {}

    /** Gathers the facts of this machine and of the checkout in the working directory. */
    static Map<String, String> gather() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("processor", firstValue(Path.of("/proc/cpuinfo"), "model name"));
        facts.put("processors", String.valueOf(Runtime.getRuntime().availableProcessors()));
        facts.put("memory", firstValue(Path.of("/proc/meminfo"), "MemTotal"));
        facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        String changes = command("git", "status", "--porcelain", "--untracked-files=no");
        facts.put(
                "commit",
                command("git", "rev-parse", "--short=12", "HEAD")
                        + (changes.isEmpty() ? "" : " with uncommitted changes"));
        return facts;
    }

    /** Returns what follows the first colon in the first line that starts with a name. */
    private static String firstValue(Path file, String name) {
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                if (line.startsWith(name)) {
                    return line.substring(line.indexOf(':') + 1).trim();
                }
            }
        } catch (IOException e) {
            return "unknown";
        }
        return "unknown";
    }

    private static String command(String... words) {
        try {
            Process process = new ProcessBuilder(List.of(words)).redirectErrorStream(true).start();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? output.trim() : "unknown";
        } catch (IOException e) {
            return "unknown";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
