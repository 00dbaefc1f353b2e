package dev.tarn.jmh.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names one metric of one result, or a multiple of it, or a plain number: {@code [FACTOR *]
 * Class.method[{name=value,...}][:secondary]} or {@code NUMBER}.
 *
 * @param factor multiplies the metric
 * @param benchmark {@code Class.method}; null for a plain number
 * @param parameters that the result must have
 * @param secondary the metric's name; empty for the primary one
 */
record Selector(
        double factor,
        @org.jspecify.annotations.Nullable String benchmark,
        Map<String, String> parameters,
        String secondary) {
    private static final Pattern FORM =
            Pattern.compile("(?:([0-9.]+) \\* )?([A-Za-z0-9.]+)(?:\\{([^}]*)\\})?(?::(\\S+))?");
    private static final Pattern NUMBER = Pattern.compile("[0-9.]+");

    /**
     * Parses a selector.
     *
     * @param defaults parameters for results that have them and that the text does not fix
     */
    static Selector parse(String text, Map<String, String> defaults) {
        String trimmed = text.trim();
        if (NUMBER.matcher(trimmed).matches()) {
            return new Selector(Double.parseDouble(trimmed), null, Map.of(), "");
        }
        Matcher matcher = FORM.matcher(trimmed);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("malformed selector: text=" + trimmed);
        }
        Map<String, String> parameters = new LinkedHashMap<>(defaults);
        parameters.putAll(parseParameters(matcher.group(3) == null ? "" : matcher.group(3)));
        return new Selector(
                matcher.group(1) == null ? 1 : Double.parseDouble(matcher.group(1)),
                matcher.group(2),
                parameters,
                matcher.group(4) == null ? "" : matcher.group(4));
    }

    /** Parses {@code name=value,...}. */
    static Map<String, String> parseParameters(String text) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String part : text.split(",", -1)) {
            if (!part.isBlank()) {
                String[] pair = part.trim().split("=", 2);
                parameters.put(pair[0], pair[1]);
            }
        }
        return parameters;
    }

    /**
     * Returns the median of what this names, or nothing if it was not measured.
     *
     * @throws IllegalArgumentException if more than one result fits
     */
    Optional<Double> resolve(JmhResults results) {
        if (benchmark == null) {
            return Optional.of(factor);
        }
        List<JmhResults.Result> fitting = results.all().stream().filter(this::fits).toList();
        if (fitting.isEmpty()) {
            return Optional.empty();
        }
        if (fitting.size() > 1) {
            throw new IllegalArgumentException("a selector fits several results: " + this);
        }
        JmhResults.Result result = fitting.get(0);
        Measurement measurement =
                secondary.isEmpty() ? result.primary() : result.secondary().get(secondary);
        return measurement == null ? Optional.empty() : Optional.of(factor * measurement.median());
    }

    private boolean fits(JmhResults.Result result) {
        return result.benchmark().equals(benchmark)
                && result.parameters().entrySet().stream()
                        .allMatch(
                                parameter -> {
                                    String wanted = parameters.get(parameter.getKey());
                                    return wanted == null || wanted.equals(parameter.getValue());
                                });
    }
}
