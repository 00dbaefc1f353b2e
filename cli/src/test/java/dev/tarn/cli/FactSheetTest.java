package dev.tarn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class FactSheetTest {
    private final FactSheet facts = new FactSheet();
    private final StringWriter text = new StringWriter();
    private final PrintWriter out = new PrintWriter(text);

    @Test
    void printsALineForEachFactInTheirOrder() {
        facts.add("name", "a b");
        facts.add("cores", 2);
        facts.add("works", true);
        facts.printText(out);
        assertThat(text).hasToString("name: a b\ncores: 2\nworks: true\n");
    }

    @Test
    void printsSizesAlsoAsAPersonReadsThem() {
        facts.add("small-bytes", 1023);
        facts.add("page-bytes", 4096);
        facts.add("large-bytes", 25_275_990_016L);
        facts.add("largest-bytes", Long.MAX_VALUE);
        facts.printText(out);
        assertThat(text)
                .hasToString(
                        """
                        small-bytes: 1023
                        page-bytes: 4096 (4.0 KiB)
                        large-bytes: 25275990016 (23.5 GiB)
                        largest-bytes: 9223372036854775807 (8192.0 PiB)
                        """);
    }

    @Test
    void printsJsonWithEscapesAndExactNumbers() throws IOException {
        facts.add("name", "a \"b\"\\\n");
        facts.add("largest-bytes", Long.MAX_VALUE);
        facts.add("works", false);
        facts.printJson(out);
        assertThat(text)
                .hasToString(
                        """
                        {
                          "name" : "a \\"b\\"\\\\\\n",
                          "largest-bytes" : 9223372036854775807,
                          "works" : false
                        }
                        """);
    }
}
