package dev.tarn.engine.config;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads typed values from a map of texts and, at the end, refuses the keys that nobody asked for.
 *
 * <p>Threads: belongs to one thread.
 *
 * <p>Errors: {@link IllegalArgumentException} that names the key, the value and what is allowed.
 */
public final class OptionReader {
    private final Map<String, String> values;
    private final Set<String> known = new TreeSet<>();

    /** Creates a reader of a copy of {@code values}. */
    public OptionReader(Map<String, String> values) {
        this.values = new TreeMap<>(values);
    }

    /** Returns the text of a key, or null if it is not given. */
    public @Nullable String text(String key) {
        known.add(key);
        return values.get(key);
    }

    public int intValue(String key, int defaultValue) {
        Integer value = parsed(key, "a whole number", Integer::valueOf);
        return value == null ? defaultValue : value;
    }

    public double doubleValue(String key, double defaultValue) {
        Double value = parsed(key, "a number", Double::valueOf);
        return value == null ? defaultValue : value;
    }

    public boolean booleanValue(String key, boolean defaultValue) {
        Boolean value = parsed(key, "true or false", OptionReader::parseBoolean);
        return value == null ? defaultValue : value;
    }

    /** Returns a size in bytes. */
    public long sizeValue(String key, long defaultBytes) {
        Long value = parsed(key, "a size such as 64 mb", MemorySizes::parse);
        return value == null ? defaultBytes : value;
    }

    public @Nullable Duration durationValue(String key, @Nullable Duration defaultValue) {
        Duration value = parsed(key, "a duration such as 10 s", Durations::parse);
        return value == null ? defaultValue : value;
    }

    /** Returns a constant of an enum, whose names are written in lower case with dashes. */
    public <E extends Enum<E>> E enumValue(String key, Class<E> type, E defaultValue) {
        E value =
                parsed(
                        key,
                        "one of " + names(type),
                        text ->
                                Enum.valueOf(
                                        type,
                                        text.trim().toUpperCase(Locale.ROOT).replace('-', '_')));
        return value == null ? defaultValue : value;
    }

    /** Returns an enum constant as options write it. */
    public static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Refuses keys that nobody asked for.
     *
     * @throws IllegalArgumentException naming the first one and the nearest key there is
     */
    public void checkAllKnown() {
        for (String key : values.keySet()) {
            if (!known.contains(key)) {
                throw new IllegalArgumentException(
                        "unknown option: key=" + key + "; did you mean " + nearest(key) + "?");
            }
        }
    }

    private <T> @Nullable T parsed(String key, String allowed, Function<String, T> parser) {
        String text = text(key);
        if (text == null) {
            return null;
        }
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "option has a bad value: key=" + key + " value=" + text + "; use " + allowed,
                    e);
        }
    }

    private static Boolean parseBoolean(String text) {
        return switch (text.trim().toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("not a boolean: text=" + text);
        };
    }

    private static <E extends Enum<E>> String names(Class<E> type) {
        StringBuilder names = new StringBuilder();
        for (E constant : type.getEnumConstants()) {
            names.append(names.isEmpty() ? "" : ", ").append(nameOf(constant));
        }
        return names.toString();
    }

    private String nearest(String key) {
        String best = "";
        int bestDistance = Integer.MAX_VALUE;
        for (String candidate : known) {
            int distance = editDistance(key, candidate);
            if (distance < bestDistance) {
                bestDistance = distance;
                best = candidate;
            }
        }
        return best;
    }

    private static int editDistance(String left, String right) {
        int[] previous = new int[right.length() + 1];
        int[] current = new int[right.length() + 1];
        for (int j = 0; j <= right.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= right.length(); j++) {
                int replaced =
                        previous[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
            }
            int[] swap = previous;
            previous = current;
            current = swap;
        }
        return previous[right.length()];
    }
}
