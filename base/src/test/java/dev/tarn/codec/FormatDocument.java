package dev.tarn.codec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A page of docs/formats, read so that tests compare its examples with what the code does. */
public final class FormatDocument {
    private final List<String> lines;

    private FormatDocument(List<String> lines) {
        this.lines = lines;
    }

    /** Reads {@code docs/formats/name}; tests run in their module's directory. */
    public static FormatDocument read(String name) {
        try {
            return new FormatDocument(Files.readAllLines(Path.of("..", "docs", "formats", name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the cells of the table rows under a heading, without its head and without ticks. */
    public List<List<String>> tableUnder(String heading) {
        List<List<String>> rows = new ArrayList<>();
        for (String line : under(heading)) {
            if (line.startsWith("|")) {
                List<String> cells =
                        Arrays.stream(line.substring(1).split("\\|"))
                                .map(cell -> cell.strip().replace("`", ""))
                                .toList();
                rows.add(cells);
            }
        }
        return rows.subList(2, rows.size());
    }

    /**
     * Returns the bytes of the first fenced block under a heading: on each line, hex pairs after
     * the offset and its colon, up to two spaces and a note.
     */
    public byte[] hexUnder(String heading) {
        StringBuilder digits = new StringBuilder();
        boolean inside = false;
        for (String line : under(heading)) {
            if (line.startsWith("```")) {
                if (inside) {
                    break;
                }
                inside = true;
            } else if (inside) {
                String bytes = line.substring(line.indexOf(':') + 1).strip();
                int note = bytes.indexOf("  ");
                digits.append((note < 0 ? bytes : bytes.substring(0, note)).replace(" ", ""));
            }
        }
        return fromHex(digits.toString());
    }

    /** Decodes hex digits; blanks between them are allowed. */
    public static byte[] fromHex(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    private List<String> under(String heading) {
        List<String> found = new ArrayList<>();
        boolean inside = false;
        for (String line : lines) {
            if (line.startsWith("#")) {
                if (inside) {
                    break;
                }
                inside = line.replaceFirst("^#+ ", "").equals(heading);
            } else if (inside) {
                found.add(line);
            }
        }
        if (found.isEmpty()) {
            throw new AssertionError("the document has nothing under: " + heading);
        }
        return found;
    }
}
