package dev.tarn.jmh.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A JSON file as maps, lists, strings, doubles and booleans; absent and null values are left out.
 */
final class JsonTree {
    private JsonTree() {}

    /** Reads a file whose outermost value is an array of objects. */
    static List<Map<String, Object>> readObjects(Path file) throws IOException {
        try (JsonParser parser = JsonFactory.builder().build().createParser(file.toFile())) {
            List<Map<String, Object>> objects = new ArrayList<>();
            expect(parser, parser.nextToken(), JsonToken.START_ARRAY);
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                objects.add(readObject(parser));
            }
            return objects;
        }
    }

    private static Map<String, Object> readObject(JsonParser parser) throws IOException {
        Map<String, Object> object = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken token = parser.nextToken();
            if (token != JsonToken.VALUE_NULL) {
                object.put(name, readValue(parser, token));
            }
        }
        return object;
    }

    private static List<Object> readArray(JsonParser parser) throws IOException {
        List<Object> array = new ArrayList<>();
        for (JsonToken token = parser.nextToken();
                token != JsonToken.END_ARRAY;
                token = parser.nextToken()) {
            array.add(readValue(parser, token));
        }
        return array;
    }

    private static Object readValue(JsonParser parser, JsonToken token) throws IOException {
        return switch (token) {
            case START_OBJECT -> readObject(parser);
            case START_ARRAY -> readArray(parser);
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> parser.getText();
        };
    }

    private static void expect(JsonParser parser, JsonToken actual, JsonToken expected)
            throws IOException {
        if (actual != expected) {
            throw new IOException(
                    "unexpected JSON: expected="
                            + expected
                            + " actual="
                            + actual
                            + " at="
                            + parser.currentTokenLocation());
        }
    }
}
