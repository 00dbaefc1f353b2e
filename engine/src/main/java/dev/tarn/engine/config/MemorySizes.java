package dev.tarn.engine.config;

import java.util.Locale;

/** Sizes in bytes as text: {@code 256 mb}, {@code 64kb}, {@code 1024}; units are powers of 1024. */
public final class MemorySizes {
    private static final String SYNTAX =
            "; write a number and a unit: b, kb, mb, gb or tb, as in 256 mb";

    private MemorySizes() {}

    /**
     * Parses a size.
     *
     * @throws IllegalArgumentException if the text is none, or exceeds a {@code long}
     */
    public static long parse(String text) {
        String trimmed = text.trim().toLowerCase(Locale.ROOT);
        int digits = 0;
        while (digits < trimmed.length() && Character.isDigit(trimmed.charAt(digits))) {
            digits++;
        }
        if (digits == 0) {
            throw new IllegalArgumentException("not a size: text=" + text + SYNTAX);
        }
        long factor = unitBytes(trimmed.substring(digits).trim(), text);
        try {
            return Math.multiplyExact(Long.parseLong(trimmed.substring(0, digits)), factor);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("size exceeds 2^63 bytes: text=" + text, e);
        }
    }

    /** Returns the text with the largest unit that shows the size exactly. */
    public static String format(long sizeBytes) {
        String[] units = {"b", "kb", "mb", "gb", "tb"};
        int unit = 0;
        long value = sizeBytes;
        while (unit < units.length - 1 && value != 0 && value % 1024 == 0) {
            value /= 1024;
            unit++;
        }
        return value + " " + units[unit];
    }

    private static long unitBytes(String unit, String text) {
        return switch (unit) {
            case "", "b", "bytes" -> 1L;
            case "k", "kb", "kibibytes" -> 1L << 10;
            case "m", "mb", "mebibytes" -> 1L << 20;
            case "g", "gb", "gibibytes" -> 1L << 30;
            case "t", "tb", "tebibytes" -> 1L << 40;
            default -> throw new IllegalArgumentException("not a size: text=" + text + SYNTAX);
        };
    }
}
