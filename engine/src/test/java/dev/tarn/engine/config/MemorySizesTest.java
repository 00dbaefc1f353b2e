package dev.tarn.engine.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MemorySizesTest {
    @Test
    void parsesNumbersWithUnits() {
        assertThat(MemorySizes.parse("1024")).isEqualTo(1024);
        assertThat(MemorySizes.parse("7 b")).isEqualTo(7);
        assertThat(MemorySizes.parse("64kb")).isEqualTo(64 << 10);
        assertThat(MemorySizes.parse(" 256 MB ")).isEqualTo(256L << 20);
        assertThat(MemorySizes.parse("3 g")).isEqualTo(3L << 30);
        assertThat(MemorySizes.parse("2 tebibytes")).isEqualTo(2L << 40);
    }

    @Test
    void refusesWhatIsNoSize() {
        for (String text : new String[] {"", "mb", "-1 mb", "1.5 mb", "1 mbb", "1 mb 2"}) {
            assertThatThrownBy(() -> MemorySizes.parse(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not a size");
        }
        assertThatThrownBy(() -> MemorySizes.parse("9223372036854775807 kb"))
                .hasMessageContaining("exceeds");
    }

    @Test
    void formatsWhatItParses() {
        for (long size : new long[] {0, 1, 1023, 1024, 1536, 256L << 20, 5L << 40, 7L << 50}) {
            assertThat(MemorySizes.parse(MemorySizes.format(size))).isEqualTo(size);
        }
        assertThat(MemorySizes.format(256L << 20)).isEqualTo("256 mb");
    }
}
