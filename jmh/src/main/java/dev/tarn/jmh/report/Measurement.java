package dev.tarn.jmh.report;

import java.util.List;

/**
 * The values of one metric over all iterations of all forks.
 *
 * @param unit as JMH names it
 * @param values at least one, ascending
 */
record Measurement(String unit, List<Double> values) {
    /** Collects JMH's {@code rawData}: a list of iterations per fork. */
    static Measurement ofRawData(String unit, List<?> rawData) {
        List<Double> values =
                rawData.stream()
                        .flatMap(fork -> ((List<?>) fork).stream())
                        .map(Measurement::number)
                        .sorted()
                        .toList();
        if (values.isEmpty()) {
            throw new IllegalArgumentException("a metric without values: unit=" + unit);
        }
        return new Measurement(unit, values);
    }

    /** JMH writes numbers that JSON cannot hold as strings. */
    private static double number(Object value) {
        return value instanceof Double number ? number : Double.parseDouble(value.toString());
    }

    double median() {
        int middle = values.size() / 2;
        return values.size() % 2 == 1
                ? values.get(middle)
                : (values.get(middle - 1) + values.get(middle)) / 2;
    }

    double min() {
        return values.get(0);
    }

    double max() {
        return values.get(values.size() - 1);
    }
}
