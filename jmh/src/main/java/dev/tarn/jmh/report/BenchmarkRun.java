package dev.tarn.jmh.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * The command that runs one question with all its peers in one JMH invocation and writes the
 * report.
 *
 * <pre>
 * java -cp jmh/target/benchmarks.jar dev.tarn.jmh.report.BenchmarkRun QUESTION
 *     [--quick] [--backend varhandle|agrona] [-p NAME=VALUE[,VALUE...]]... [--out DIR] [--name NAME]
 *     [--from RESULTS_JSON] [--bars]
 * </pre>
 *
 * <p>{@code --quick} runs one fork and the fewest iterations; {@code --from} writes the report of
 * results that JMH left earlier instead of running; {@code --bars} exits with 1 when a bar falls
 * short or was not measured.
 */
public final class BenchmarkRun {
    private static final String AGRONA_EXPORT = "java.base/jdk.internal.misc=ALL-UNNAMED";

    private final Question question;
    private final Map<String, String> parameters = new LinkedHashMap<>();
    private final List<String> words;
    private Path out = Path.of("perf-reports");
    private String name;
    private String backend = "varhandle";
    private boolean quick;
    private boolean failing;
    private @org.jspecify.annotations.Nullable Path from;

    private BenchmarkRun(List<String> words) {
        this.words = words;
        this.question = Question.of(words.get(0));
        this.name = question.label();
        parameters.putAll(question.parameters());
        for (int i = 1; i < words.size(); i++) {
            switch (words.get(i)) {
                case "--quick" -> quick = true;
                case "--bars" -> failing = true;
                case "--backend" -> backend = words.get(++i);
                case "--out" -> out = Path.of(words.get(++i));
                case "--name" -> name = words.get(++i);
                case "--from" -> from = Path.of(words.get(++i));
                case "-p" -> {
                    String[] pair = words.get(++i).split("=", 2);
                    parameters.put(pair[0], pair[1]);
                }
                default -> throw new IllegalArgumentException("unknown option: " + words.get(i));
            }
        }
    }

    public static void main(String[] arguments) throws IOException, RunnerException {
        if (arguments.length == 0) {
            System.err.println(
                    "usage: BenchmarkRun QUESTION [--quick] [--backend varhandle|agrona] [-p"
                            + " NAME=VALUE,...] [--out DIR] [--name NAME] [--from JSON] [--bars];"
                            + " questions: "
                            + List.of(Question.values()).stream().map(Question::label).toList());
            System.exit(2);
        }
        System.exit(new BenchmarkRun(List.of(arguments)).run());
    }

    private int run() throws IOException, RunnerException {
        LocalDate date = LocalDate.now(java.time.ZoneId.systemDefault());
        Path folder = Files.createDirectories(out.resolve(date + "-" + name));
        Path json = folder.resolve("results.json");
        if (from == null) {
            runJmh(json);
        } else if (!from.equals(json)) {
            Files.writeString(json, Files.readString(from));
        }
        Files.writeString(json, withoutPaths(Files.readString(json)), StandardCharsets.UTF_8);
        JmhResults results = JmhResults.read(json);
        String page =
                ReportWriter.write(
                        question, date + " " + name, command(), RunFacts.gather(), results);
        Files.writeString(folder.resolve("README.md"), page, StandardCharsets.UTF_8);
        System.out.println(page);
        System.out.println("report: " + folder.resolve("README.md"));
        boolean allHold = true;
        for (Bar bar : question.bars()) {
            allHold &= bar.verdict(results) == Bar.Verdict.HOLDS;
        }
        return failing && !allHold ? 1 : 0;
    }

    private void runJmh(Path json) throws RunnerException {
        ChainedOptionsBuilder options =
                new OptionsBuilder()
                        .resultFormat(ResultFormatType.JSON)
                        .result(json.toString())
                        .timeout(TimeValue.seconds(quick ? 90 : 600))
                        .shouldFailOnError(false);
        question.benchmarks().forEach(options::include);
        parameters.forEach((key, value) -> options.param(key, value.split(",", -1)));
        if (backend.equals("agrona")) {
            options.jvmArgs("--add-exports", AGRONA_EXPORT);
        } else {
            // Set, or the forks would inherit the flags of this JVM.
            options.jvmArgs("-Ddev.tarn.memory.backend=" + backend);
        }
        if (question == Question.BASE) {
            options.addProfiler(GCProfiler.class);
        }
        if (quick) {
            options.forks(1)
                    .warmupIterations(question == Question.BASE ? 2 : 1)
                    .warmupTime(TimeValue.milliseconds(400))
                    .measurementIterations(question == Question.BASE ? 3 : 1)
                    .measurementTime(TimeValue.milliseconds(400));
        }
        new Runner(options.build()).run();
    }

    private String command() {
        List<String> shown = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).equals("--out") || words.get(i).equals("--from")) {
                i++;
            } else {
                shown.add(words.get(i));
            }
        }
        return "mvn -q -pl jmh -am package -DskipTests\n"
                + "java -cp jmh/target/benchmarks.jar dev.tarn.jmh.report.BenchmarkRun "
                + String.join(" ", shown);
    }

    /** Replaces the places of this machine's files, which say nothing to others. */
    private static String withoutPaths(String json) {
        return json.replace(System.getProperty("java.home"), "JAVA_HOME")
                .replace(System.getProperty("user.dir"), "CHECKOUT")
                .replaceAll("\"jvm\" : \"[^\"]*\"", "\"jvm\" : \"java\"");
    }
}
