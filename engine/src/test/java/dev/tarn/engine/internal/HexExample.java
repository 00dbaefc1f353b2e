package dev.tarn.engine.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A golden file of a format, and the worked example of its document that shows the same bytes.
 *
 * <p>{@code -Dtest.rewrite=true} writes the file anew, for a new version of a format only.
 */
public final class HexExample {
    private HexExample() {}

    /** Returns the bytes of a golden file; writes them first when asked to. */
    public static byte[] fixture(String name, byte[] actual) throws IOException {
        if (Boolean.getBoolean("test.rewrite")) {
            Path target = Path.of("src", "test", "resources", "fixtures", name);
            Files.createDirectories(Objects.requireNonNull(target.getParent()));
            Files.write(target, actual);
            return actual;
        }
        try (var stream = HexExample.class.getResourceAsStream("/fixtures/" + name)) {
            return Objects.requireNonNull(stream, name).readAllBytes();
        }
    }

    /**
     * Returns the bytes that a document shows: the lines of its block {@code hex}, each an offset,
     * two spaces, bytes, and after two more spaces what they mean.
     */
    public static String inDocument(String document) throws IOException {
        StringBuilder hex = new StringBuilder();
        boolean inBlock = false;
        for (String line : Files.readAllLines(Path.of("..", "docs", "formats", document))) {
            if (line.startsWith("```")) {
                inBlock = line.equals("```hex");
            } else if (inBlock) {
                int start = line.indexOf("  ") + 2;
                int end = line.indexOf("  ", start);
                hex.append(line, start, end < 0 ? line.length() : end).append(' ');
            }
        }
        return hex.toString().strip();
    }

    /** Shows bytes as the document does. */
    public static String hex(byte[] bytes) {
        StringBuilder hex = new StringBuilder();
        for (byte b : bytes) {
            hex.append(Character.forDigit((b >>> 4) & 15, 16));
            hex.append(Character.forDigit(b & 15, 16)).append(' ');
        }
        return hex.toString().strip();
    }
}
