package dev.tarn.engine.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DurationsTest {
    @Test
    void parsesNumbersWithUnits() {
        assertThat(Durations.parse("500")).isEqualTo(Duration.ofMillis(500));
        assertThat(Durations.parse("10 s")).isEqualTo(Duration.ofSeconds(10));
        assertThat(Durations.parse("1h")).isEqualTo(Duration.ofHours(1));
        assertThat(Durations.parse("2 DAYS")).isEqualTo(Duration.ofDays(2));
        assertThat(Durations.parse("3 us")).isEqualTo(Duration.ofNanos(3000));
    }

    @Test
    void refusesWhatIsNoDuration() {
        for (String text : new String[] {"", "s", "-1 s", "1.5 s", "1 fortnight"}) {
            assertThatThrownBy(() -> Durations.parse(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not a duration");
        }
    }

    @Test
    void formatsWhatItParses() {
        for (String text : new String[] {"1 ns", "250 ms", "0 s", "59 s", "10 min", "5 h", "7 d"}) {
            assertThat(Durations.format(Durations.parse(text))).isEqualTo(text);
        }
    }
}
