package dev.tarn.jmh.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A promise about the ratio of two metrics of one run.
 *
 * @param claim in words
 * @param numerator divided by {@code denominator}
 * @param atLeast whether the ratio must be at least {@code limit}; else at most
 */
record Bar(String claim, Selector numerator, Selector denominator, boolean atLeast, double limit) {
    /** The outcome of comparing a bar with results. */
    enum Verdict {
        HOLDS("holds"),
        FALLS_SHORT("**falls short**"),
        NOT_MEASURED("not measured");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /**
     * Reads a list of bars: lines {@code claim | numerator | denominator | >= limit}, with {@code
     * with name=value,...} for the parameters of the lines below it, and {@code #} for comments.
     */
    static List<Bar> read(InputStream text) throws IOException {
        List<Bar> bars = new ArrayList<>();
        Map<String, String> defaults = Map.of();
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(text, StandardCharsets.UTF_8));
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith("with ")) {
                defaults = Selector.parseParameters(line.substring(5));
            } else if (!line.isBlank() && !line.startsWith("#")) {
                bars.add(parse(line, defaults));
            }
        }
        return bars;
    }

    private static Bar parse(String line, Map<String, String> defaults) {
        String[] cells = line.split("\\|", -1);
        String[] limit = cells.length == 4 ? cells[3].trim().split(" ", -1) : new String[0];
        if (limit.length != 2 || !(limit[0].equals(">=") || limit[0].equals("<="))) {
            throw new IllegalArgumentException("malformed bar: line=" + line);
        }
        return new Bar(
                cells[0].trim(),
                Selector.parse(cells[1], defaults),
                Selector.parse(cells[2], defaults),
                limit[0].equals(">="),
                Double.parseDouble(limit[1]));
    }

    /** Returns the ratio, or nothing if a side of it was not measured. */
    Optional<Double> ratio(JmhResults results) {
        return numerator
                .resolve(results)
                .flatMap(above -> denominator.resolve(results).map(below -> above / below));
    }

    Verdict verdict(JmhResults results) {
        return ratio(results)
                .map(ratio -> holds(ratio) ? Verdict.HOLDS : Verdict.FALLS_SHORT)
                .orElse(Verdict.NOT_MEASURED);
    }

    private boolean holds(double ratio) {
        return atLeast ? ratio >= limit : ratio <= limit;
    }
}
