package dev.tarn.jmh.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Writes the Markdown page of a report; every number on it comes from JMH's results. */
final class ReportWriter {
    private final StringBuilder page = new StringBuilder();

    private ReportWriter() {}

    /**
     * Returns the page.
     *
     * @param title of the page
     * @param command that repeats the run
     * @param facts of machine and commit, in the order they are shown
     */
    static String write(
            Question question,
            String title,
            String command,
            Map<String, String> facts,
            JmhResults results)
            throws java.io.IOException {
        ReportWriter writer = new ReportWriter();
        writer.line("# " + title).line("").line(question.text()).line("");
        writer.bars(question.bars(), results);
        writer.results(results);
        writer.peers(question, results);
        writer.run(command, facts, results);
        return writer.page.toString();
    }

    private ReportWriter line(String text) {
        page.append(text).append('\n');
        return this;
    }

    private void bars(List<Bar> bars, JmhResults results) {
        line("## Bars").line("");
        line("Each is a ratio of two medians of this run.").line("");
        line("| bar | measured | needed | |").line("| --- | ---: | ---: | --- |");
        for (Bar bar : bars) {
            line(
                    "| "
                            + bar.claim()
                            + " | "
                            + bar.ratio(results).map(ReportWriter::ratioText).orElse("-")
                            + " | "
                            + (bar.atLeast() ? "≥ " : "≤ ")
                            + ratioText(bar.limit())
                            + " | "
                            + bar.verdict(results).text()
                            + " |");
        }
        line("");
    }

    private void results(JmhResults results) {
        line("## Results").line("");
        line(
                "Medians over all iterations of all forks; the range follows where there are"
                        + " several.");
        line("");
        Map<String, List<JmhResults.Result>> byClass = new LinkedHashMap<>();
        for (JmhResults.Result result : results.all()) {
            String benchmarkClass = result.benchmark().replaceFirst("\\..*", "");
            byClass.computeIfAbsent(benchmarkClass, unused -> new ArrayList<>()).add(result);
        }
        byClass.forEach(this::table);
    }

    private void table(String benchmarkClass, List<JmhResults.Result> results) {
        line("### " + benchmarkClass).line("");
        Set<String> varying = varyingParameters(results);
        Set<String> metrics = new LinkedHashSet<>();
        results.forEach(result -> metrics.addAll(result.secondary().keySet()));
        StringBuilder header = new StringBuilder("| benchmark |");
        StringBuilder rule = new StringBuilder("| --- |");
        varying.forEach(name -> appendCell(header, rule, name, "---"));
        appendCell(header, rule, results.get(0).primary().unit(), "---:");
        metrics.forEach(name -> appendCell(header, rule, name, "---:"));
        line(header.toString()).line(rule.toString());
        for (JmhResults.Result result : results) {
            StringBuilder row = new StringBuilder("| ");
            row.append(result.benchmark().replaceFirst(".*\\.", "")).append(" |");
            varying.forEach(
                    name ->
                            row.append(' ')
                                    .append(result.parameters().getOrDefault(name, ""))
                                    .append(" |"));
            row.append(' ').append(cell(result.primary())).append(" |");
            for (String name : metrics) {
                Measurement measurement = result.secondary().get(name);
                row.append(' ').append(measurement == null ? "" : cell(measurement)).append(" |");
            }
            line(row.toString());
        }
        line("");
        Map<String, String> fixed = new LinkedHashMap<>(results.get(0).parameters());
        fixed.keySet().removeAll(varying);
        if (!fixed.isEmpty()) {
            line("With " + fixed.toString().replaceAll("[{}]", "") + ".").line("");
        }
    }

    private static void appendCell(
            StringBuilder header, StringBuilder rule, String name, String alignment) {
        header.append(' ').append(name).append(" |");
        rule.append(' ').append(alignment).append(" |");
    }

    private static Set<String> varyingParameters(List<JmhResults.Result> results) {
        Map<String, Set<String>> values = new LinkedHashMap<>();
        for (JmhResults.Result result : results) {
            result.parameters()
                    .forEach(
                            (name, value) ->
                                    values.computeIfAbsent(name, unused -> new TreeSet<>())
                                            .add(value));
        }
        Set<String> varying = new LinkedHashSet<>();
        values.forEach(
                (name, distinct) -> {
                    if (distinct.size() > 1) {
                        varying.add(name);
                    }
                });
        return varying;
    }

    private void peers(Question question, JmhResults results) {
        Map<String, String> settings = new LinkedHashMap<>(question.peerSettings());
        Set<String> present = new LinkedHashSet<>();
        results.all().forEach(result -> present.add(result.parameters().getOrDefault("peer", "")));
        settings.keySet().retainAll(present);
        if (settings.isEmpty()) {
            return;
        }
        line("## Settings of the peers").line("");
        settings.forEach((name, text) -> line("- " + name + ": " + text + "."));
        line("");
    }

    private void run(String command, Map<String, String> facts, JmhResults results) {
        line("## Run").line("");
        facts.forEach((name, value) -> line("- " + name + ": " + value));
        Set<String> machines = new LinkedHashSet<>();
        Map<String, Set<String>> flags = new LinkedHashMap<>();
        for (JmhResults.Result result : results.all()) {
            machines.add(result.jvm());
            flags.computeIfAbsent(
                            String.join(" ", result.jvmArguments()),
                            unused -> new LinkedHashSet<>())
                    .add(result.benchmark());
        }
        line("- JVM: " + String.join("; ", machines));
        flags.forEach(
                (arguments, benchmarks) ->
                        line(
                                "- flags of "
                                        + String.join(", ", benchmarks)
                                        + ": "
                                        + (arguments.isEmpty() ? "none" : "`" + arguments + "`")));
        line("- raw results: [results.json](results.json)");
        line("").line("```").line(command).line("```");
    }

    private static String cell(Measurement measurement) {
        String median = valueText(measurement.median());
        return measurement.values().size() == 1
                ? median
                : median
                        + " ("
                        + valueText(measurement.min())
                        + "–"
                        + valueText(measurement.max())
                        + ")";
    }

    /** Three significant digits are more than the noise leaves. */
    private static String valueText(double value) {
        double magnitude = Math.abs(value);
        if (magnitude < 0.005) {
            return "0";
        }
        int decimals = magnitude < 1 ? 3 : magnitude < 10 ? 2 : magnitude < 100 ? 1 : 0;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    private static String ratioText(double ratio) {
        return String.format(Locale.ROOT, "%.2f", ratio);
    }
}
