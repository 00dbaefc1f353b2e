package dev.tarn.engine.internal.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.engine.internal.TextCases;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UniversalCompactionPickerTest {
    /**
     * Commands: {@code options k=v ...} makes a new picker; {@code now MILLIS}, {@code hour H} and
     * {@code last-full MILLIS} set the time; {@code pick}, {@code full} and {@code rewrite}, with
     * runs {@code LEVEL:SIZE} newest first, show the decision and the runs after it.
     */
    private static final class Interpreter {
        private long nowMillis;
        private int hour;
        private UniversalCompactionPicker picker = create(UniversalCompactionOptions.defaults());

        String run(String input) {
            StringBuilder output = new StringBuilder();
            for (String line : input.split("\n", -1)) {
                String[] words = line.strip().split("\\s+", -1);
                output.append(execute(words[0], List.of(words).subList(1, words.length)));
                output.append('\n');
            }
            return output.toString();
        }

        private String execute(String command, List<String> arguments) {
            switch (command) {
                case "options" -> {
                    return options(arguments);
                }
                case "now" -> nowMillis = Long.parseLong(arguments.get(0));
                case "hour" -> hour = Integer.parseInt(arguments.get(0));
                case "last-full" ->
                        picker.restoreLastFullCompaction(Long.parseLong(arguments.get(0)));
                case "pick" -> {
                    return show(arguments, picker.pick(runs(arguments)));
                }
                case "full" -> {
                    return show(arguments, picker.pickFull(runs(arguments), false));
                }
                case "rewrite" -> {
                    return show(arguments, picker.pickFull(runs(arguments), true));
                }
                default -> throw new IllegalArgumentException(command);
            }
            return "ok";
        }

        private String options(List<String> arguments) {
            UniversalCompactionOptions.Builder builder = UniversalCompactionOptions.builder();
            for (String argument : arguments) {
                String[] keyValue = argument.split("=", 2);
                builder.set(keyValue[0], keyValue[1]);
            }
            UniversalCompactionOptions options = builder.build();
            picker = create(options);
            return "trigger="
                    + options.compactionTrigger()
                    + " stop="
                    + options.stopTrigger()
                    + " levels="
                    + options.numLevels();
        }

        private UniversalCompactionPicker create(UniversalCompactionOptions options) {
            return new UniversalCompactionPicker(options, () -> nowMillis, () -> hour);
        }

        private static List<RunSize> runs(List<String> arguments) {
            List<RunSize> runs = new ArrayList<>();
            for (String argument : arguments) {
                String[] parts = argument.split(":", -1);
                runs.add(new RunSize(Integer.parseInt(parts[0]), Long.parseLong(parts[1])));
            }
            return runs;
        }

        private static String show(List<String> arguments, @Nullable CompactionPick pick) {
            if (pick == null) {
                return "nothing";
            }
            long bytes = 0;
            for (RunSize run : runs(arguments.subList(0, pick.runCount()))) {
                bytes += run.sizeBytes();
            }
            List<String> after = new ArrayList<>();
            after.add(pick.outputLevel() + ":" + bytes);
            after.addAll(arguments.subList(pick.runCount(), arguments.size()));
            return pick.reason()
                    + (pick.isFull() ? " full" : "")
                    + " runs="
                    + pick.runCount()
                    + " -> "
                    + String.join(" ", after);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"universal", "early-full", "force-up-level-0", "absorb-level-1"})
    void decidesAsTheCasesSay(String name) throws IOException {
        TextCases.run("compaction/" + name + ".txt", new Interpreter()::run);
    }

    @Test
    void optionsOutsideTheirRangeAreRefused() {
        UniversalCompactionOptions.Builder builder = UniversalCompactionOptions.builder();
        assertThatThrownBy(() -> builder.numLevels(1).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("num-levels=1");
        assertThatThrownBy(() -> builder.compactionTrigger(0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("num-sorted-run.compaction-trigger=0");
        assertThatThrownBy(() -> builder.set("compaction.size-ration", "1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("compaction.size-ration");
    }

    @Test
    void printedOptionsParseToTheSame() {
        UniversalCompactionOptions options =
                UniversalCompactionOptions.builder()
                        .compactionTrigger(7)
                        .offpeak(22, 6, 20)
                        .totalSizeThresholdBytes(1 << 20)
                        .forceUpLevel0(true)
                        .build();
        UniversalCompactionOptions.Builder parsed = UniversalCompactionOptions.builder();
        options.toMap().forEach(parsed::set);
        assertThat(parsed.build()).hasToString(options.toString());
        assertThat(options.toString()).contains("compaction.offpeak.start.hour=22\n");
    }
}
