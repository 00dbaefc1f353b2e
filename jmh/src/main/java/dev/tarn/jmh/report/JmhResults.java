package dev.tarn.jmh.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The results in one JSON file of JMH. */
final class JmhResults {
    private final List<Result> results;

    private JmhResults(List<Result> results) {
        this.results = results;
    }

    /**
     * One benchmark method with one set of parameters.
     *
     * @param benchmark {@code Class.method}, without the package
     * @param parameters by name
     * @param primary what JMH measured
     * @param secondary what the benchmark or a profiler added, by name
     * @param jvm name and version
     * @param jvmArguments of the forks
     */
    record Result(
            String benchmark,
            Map<String, String> parameters,
            Measurement primary,
            Map<String, Measurement> secondary,
            String jvm,
            List<String> jvmArguments) {}

    static JmhResults read(Path file) throws IOException {
        List<Result> results = new ArrayList<>();
        for (Map<String, Object> json : JsonTree.readObjects(file)) {
            results.add(result(json));
        }
        return new JmhResults(results);
    }

    private static Result result(Map<String, Object> json) {
        String[] qualified = text(json, "benchmark").split("\\.", -1);
        String name = qualified[qualified.length - 2] + "." + qualified[qualified.length - 1];
        Map<String, String> parameters = new LinkedHashMap<>();
        object(json, "params").forEach((key, value) -> parameters.put(key, value.toString()));
        Map<String, Measurement> secondary = new LinkedHashMap<>();
        object(json, "secondaryMetrics")
                .forEach(
                        (key, value) -> {
                            // Of the collector's metrics only the one per operation compares.
                            if (!key.contains("gc.") || key.endsWith("gc.alloc.rate.norm")) {
                                secondary.put(key, measurement((Map<?, ?>) value));
                            }
                        });
        List<String> arguments = new ArrayList<>();
        if (json.get("jvmArgs") instanceof List<?> list) {
            list.forEach(argument -> arguments.add(argument.toString()));
        }
        return new Result(
                name,
                parameters,
                measurement(object(json, "primaryMetric")),
                secondary,
                text(json, "vmName") + " " + text(json, "vmVersion"),
                arguments);
    }

    private static Measurement measurement(Map<?, ?> metric) {
        if (!(metric.get("rawData") instanceof List<?> rawData)) {
            throw new IllegalArgumentException("JMH's result lacks a field: name=rawData");
        }
        return Measurement.ofRawData(String.valueOf(metric.get("scoreUnit")), rawData);
    }

    private static String text(Map<String, Object> json, String name) {
        Object value = json.get(name);
        if (value == null) {
            throw new IllegalArgumentException("JMH's result lacks a field: name=" + name);
        }
        return value.toString();
    }

    @SuppressWarnings("unchecked") // JsonTree makes no other maps.
    private static Map<String, Object> object(Map<String, Object> json, String name) {
        Object value = json.get(name);
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    List<Result> all() {
        return results;
    }
}
