package dev.tarn.engine.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.assertj.core.api.Assertions;

/**
 * Runs the cases of a text file: input lines, a line {@code ----}, the expected output, an empty
 * line. Lines that start with {@code #} before an input are comments.
 *
 * <p>{@code -Dtest.rewrite=true} writes what came out into the source file, for review.
 */
public final class TextCases {
    private static final Path SOURCE = Path.of("src", "test", "resources");
    private static final String DIVIDER = "----";

    private record Case(String comment, String input, String expected) {}

    private TextCases() {}

    /** Runs all cases of a file in order; state that {@code run} keeps is carried on. */
    public static void run(String resource, UnaryOperator<String> run) throws IOException {
        List<Case> cases = parse(resource);
        StringBuilder rewritten = new StringBuilder();
        for (Case c : cases) {
            String actual = run.apply(c.input).strip();
            if (Boolean.getBoolean("test.rewrite")) {
                rewritten.append(c.comment).append(c.input).append('\n').append(DIVIDER);
                rewritten.append('\n').append(actual).append("\n\n");
            } else {
                Assertions.assertThat(actual).as("%s: %s", resource, c.input).isEqualTo(c.expected);
            }
        }
        if (Boolean.getBoolean("test.rewrite")) {
            Files.writeString(SOURCE.resolve(resource), rewritten.toString().strip() + "\n");
        }
        Assertions.assertThat(cases).as(resource).isNotEmpty();
    }

    private static List<Case> parse(String resource) throws IOException {
        String text;
        try (var stream = TextCases.class.getResourceAsStream("/" + resource)) {
            text =
                    new String(
                            Objects.requireNonNull(stream).readAllBytes(), StandardCharsets.UTF_8);
        }
        List<Case> cases = new ArrayList<>();
        for (String block : text.strip().split("\n\\s*\n", -1)) {
            StringBuilder comment = new StringBuilder();
            StringBuilder input = new StringBuilder();
            StringBuilder expected = new StringBuilder();
            StringBuilder target = input;
            for (String line : block.split("\n", -1)) {
                if (line.startsWith("#") && input.isEmpty()) {
                    comment.append(line).append('\n');
                } else if (line.equals(DIVIDER)) {
                    target = expected;
                } else {
                    target.append(line).append('\n');
                }
            }
            cases.add(
                    new Case(
                            comment.toString(),
                            input.toString().strip(),
                            expected.toString().strip()));
        }
        return cases;
    }
}
