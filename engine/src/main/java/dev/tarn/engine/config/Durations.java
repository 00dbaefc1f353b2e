package dev.tarn.engine.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Durations as text: {@code 10 s}, {@code 1h}, {@code 500 ms}; a bare number is milliseconds. */
public final class Durations {
    private static final String SYNTAX =
            "; write a number and a unit: ns, us, ms, s, min, h or d, as in 10 min";

    private Durations() {}

    /**
     * Parses a duration.
     *
     * @throws IllegalArgumentException if the text is none
     */
    public static Duration parse(String text) {
        String trimmed = text.trim().toLowerCase(Locale.ROOT);
        int digits = 0;
        while (digits < trimmed.length() && Character.isDigit(trimmed.charAt(digits))) {
            digits++;
        }
        if (digits == 0) {
            throw new IllegalArgumentException("not a duration: text=" + text + SYNTAX);
        }
        ChronoUnit unit = unit(trimmed.substring(digits).trim(), text);
        try {
            return Duration.of(Long.parseLong(trimmed.substring(0, digits)), unit);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("duration is too long: text=" + text, e);
        }
    }

    /** Returns the text with the largest unit that shows the duration exactly. */
    public static String format(Duration duration) {
        long nanos = duration.getNano();
        if (nanos % 1_000_000 != 0) {
            return duration.toNanos() + " ns";
        }
        if (nanos != 0) {
            return duration.toMillis() + " ms";
        }
        long seconds = duration.getSeconds();
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + " s";
        }
        if (seconds % 3600 != 0) {
            return seconds / 60 + " min";
        }
        return seconds % 86400 != 0 ? seconds / 3600 + " h" : seconds / 86400 + " d";
    }

    private static ChronoUnit unit(String unit, String text) {
        return switch (unit) {
            case "ns", "nano", "nanos", "nanosecond", "nanoseconds" -> ChronoUnit.NANOS;
            case "us", "µs", "micro", "micros", "microsecond", "microseconds" -> ChronoUnit.MICROS;
            case "", "ms", "milli", "millis", "millisecond", "milliseconds" -> ChronoUnit.MILLIS;
            case "s", "sec", "secs", "second", "seconds" -> ChronoUnit.SECONDS;
            case "m", "min", "mins", "minute", "minutes" -> ChronoUnit.MINUTES;
            case "h", "hour", "hours" -> ChronoUnit.HOURS;
            case "d", "day", "days" -> ChronoUnit.DAYS;
            default -> throw new IllegalArgumentException("not a duration: text=" + text + SYNTAX);
        };
    }
}
