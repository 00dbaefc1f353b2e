package dev.tarn.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Keys and values in the order they were added, printed as text or as one JSON object.
 *
 * <p>Units: a key ends with the unit of a number, as in {@code page-size-bytes}.
 */
final class FactSheet {
    private static final String[] BINARY_UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB"};

    private final Map<String, Object> facts = new LinkedHashMap<>();

    void add(String key, String value) {
        addNew(key, value);
    }

    void add(String key, long value) {
        addNew(key, value);
    }

    void add(String key, boolean value) {
        addNew(key, value);
    }

    private void addNew(String key, Object value) {
        Object before = facts.put(key, value);
        assert before == null : key;
    }

    /** Prints a line {@code key: value} for each fact, sizes also as a person reads them. */
    void printText(PrintWriter out) {
        for (Map.Entry<String, Object> fact : facts.entrySet()) {
            out.print(fact.getKey() + ": " + fact.getValue());
            if (fact.getValue() instanceof Long && fact.getKey().endsWith("-bytes")) {
                out.print(readableSize((Long) fact.getValue()));
            }
            out.println();
        }
    }

    /** Prints one JSON object, a line for each fact. */
    void printJson(PrintWriter out) throws IOException {
        JsonGenerator generator =
                new JsonFactory()
                        .disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM)
                        .createGenerator(out)
                        .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                        .useDefaultPrettyPrinter();
        generator.writeStartObject();
        for (Map.Entry<String, Object> fact : facts.entrySet()) {
            generator.writeFieldName(fact.getKey());
            if (fact.getValue() instanceof Long) {
                generator.writeNumber((Long) fact.getValue());
            } else if (fact.getValue() instanceof Boolean) {
                generator.writeBoolean((Boolean) fact.getValue());
            } else {
                generator.writeString((String) fact.getValue());
            }
        }
        generator.writeEndObject();
        generator.close();
        out.println();
    }

    private static String readableSize(long bytes) {
        if (bytes < 1024) {
            return "";
        }
        double size = bytes;
        int unit = -1;
        while (size >= 1024 && unit < BINARY_UNITS.length - 1) {
            size /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, " (%.1f %s)", size, BINARY_UNITS[unit]);
    }
}
