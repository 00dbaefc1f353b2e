package dev.tarn.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReportWriterTest {
    private static final String RESULTS =
            """
            [
              {
                "benchmark" : "dev.tarn.jmh.memtable.MemtableShootout.life",
                "vmName" : "VM", "vmVersion" : "17", "jvmArgs" : ["-Xmx5g"],
                "params" : {"peer" : "TARN", "entries" : "5000000", "keyLength" : "16",
                    "threads" : "1"},
                "primaryMetric" : {"scoreUnit" : "s/op", "rawData" : [[5.0], [7.0]]},
                "secondaryMetrics" : {
                  "putNanos" : {"scoreUnit" : "#", "rawData" : [[100.0, 300.0], [200.0]]},
                  "gc.time" : {"scoreUnit" : "ms", "rawData" : [["NaN"]]}
                }
              },
              {
                "benchmark" : "dev.tarn.jmh.memtable.MemtableShootout.life",
                "vmName" : "VM", "vmVersion" : "17", "jvmArgs" : ["-Xmx5g"],
                "params" : {"peer" : "CSLM", "entries" : "5000000", "keyLength" : "16",
                    "threads" : "1"},
                "primaryMetric" : {"scoreUnit" : "s/op", "rawData" : [[50.0]]},
                "secondaryMetrics" : {
                  "putNanos" : {"scoreUnit" : "#", "rawData" : [[2500.0]]}
                }
              }
            ]
            """;

    private JmhResults results(Path directory) throws IOException {
        return JmhResults.read(Files.writeString(directory.resolve("results.json"), RESULTS));
    }

    @Test
    void barIsTheRatioOfMedians(@TempDir Path directory) throws IOException {
        JmhResults results = results(directory);
        List<Bar> bars =
                bars(
                        """
                        # comment
                        with entries=5000000
                        a | MemtableShootout.life{peer=CSLM}:putNanos | MemtableShootout.life{peer=TARN}:putNanos | >= 12.5
                        b | MemtableShootout.life{peer=CSLM}:putNanos | MemtableShootout.life{peer=TARN}:putNanos | >= 12.6
                        c | MemtableShootout.life{peer=TARN}:putNanos | 1 | <= 200
                        d | MemtableShootout.life{peer=TARN}:putNanos | 2 * MemtableShootout.life{peer=TARN} | <= 16.6
                        e | MemtableShootout.life{peer=ROCKSDB}:putNanos | 1 | <= 200
                        f | MemtableShootout.life{peer=TARN}:gc.time | 1 | <= 200
                        with entries=1
                        g | MemtableShootout.life{peer=TARN}:putNanos | 1 | <= 200
                        """);
        assertThat(bars.stream().map(bar -> bar.claim() + " " + bar.verdict(results)))
                .containsExactly(
                        "a HOLDS",
                        "b FALLS_SHORT",
                        "c HOLDS",
                        "d FALLS_SHORT",
                        "e NOT_MEASURED",
                        "f NOT_MEASURED",
                        "g NOT_MEASURED");
        assertThat(bars.get(3).ratio(results)).hasValue(200.0 / 12);
    }

    @Test
    void ambiguousAndMalformedBarsAreRefused(@TempDir Path directory) throws IOException {
        JmhResults results = results(directory);
        Bar ambiguous = bars("a | MemtableShootout.life | 1 | <= 1").get(0);
        assertThatThrownBy(() -> ambiguous.verdict(results))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> bars("a | b | c")).hasMessage("malformed bar: line=a | b | c");
        assertThatThrownBy(() -> bars("a | b | c | > 1")).hasMessageContaining("malformed bar");
        assertThatThrownBy(() -> bars("a | b c | 1 | >= 1"))
                .hasMessage("malformed selector: text=b c");
    }

    @Test
    void pageShowsBarsResultsSettingsAndRun(@TempDir Path directory) throws IOException {
        String page =
                ReportWriter.write(
                        Question.MEMTABLE,
                        "title",
                        "the command",
                        Map.of("commit", "abc"),
                        results(directory));
        assertThat(page)
                .contains(
                        "| put: ConcurrentSkipListMap takes as many times as long | 12.50 | ≥ 12.00"
                                + " | holds |")
                .contains("| benchmark | peer | s/op | putNanos |")
                .contains("| life | TARN | 6.00 (5.00–7.00) | 200 (100–300) |")
                .contains("| life | CSLM | 50.0 | 2500 |")
                .contains("With entries=5000000, keyLength=16, threads=1.")
                .contains("- TARN: Tarn's memtable in single-writer mode")
                .doesNotContain("- ROCKSDB: ")
                .contains("- commit: abc")
                .contains("- flags of MemtableShootout.life: `-Xmx5g`")
                .contains("the command");
    }

    @ParameterizedTest
    @EnumSource(Question.class)
    void everyQuestionHasBars(Question question) throws IOException {
        assertThat(question.bars()).isNotEmpty();
        assertThat(Question.of(question.label())).isEqualTo(question);
    }

    private static List<Bar> bars(String text) throws IOException {
        return Bar.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }
}
