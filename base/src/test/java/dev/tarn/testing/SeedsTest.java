package dev.tarn.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SeedsTest {
    private final String seed = System.getProperty("test.seed", "");
    private final String iterations = System.getProperty("test.iterations", "");

    @BeforeEach
    void clearProperties() {
        System.setProperty("test.seed", "");
        System.setProperty("test.iterations", "");
    }

    @AfterEach
    void restoreProperties() {
        System.setProperty("test.seed", seed);
        System.setProperty("test.iterations", iterations);
    }

    @Test
    void everyIterationHasItsOwnSeed() {
        List<Long> seeds = new ArrayList<>();
        Seeds.run(20, random -> seeds.add(random.seed()));
        assertThat(seeds).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void failureNamesTheSeedThatRepeatsIt() {
        List<byte[]> drawn = new ArrayList<>();
        List<Long> seeds = new ArrayList<>();
        assertThatThrownBy(
                        () ->
                                Seeds.run(
                                        10,
                                        random -> {
                                            drawn.add(random.bytes(16));
                                            seeds.add(random.seed());
                                            if (drawn.size() == 7) {
                                                throw new IllegalStateException("broken");
                                            }
                                        }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("-Dtest.seed=")
                .hasMessageEndingWith("broken")
                .hasCauseInstanceOf(IllegalStateException.class)
                .satisfies(e -> assertThat(e.getMessage()).contains(seeds.get(6).toString()));

        System.setProperty("test.seed", seeds.get(6).toString());
        List<byte[]> repeated = new ArrayList<>();
        Seeds.run(10, random -> repeated.add(random.bytes(16)));
        assertThat(repeated).hasSize(1);
        assertThat(repeated.get(0)).isEqualTo(drawn.get(6));
    }

    @Test
    void iterationsAreSettable() {
        System.setProperty("test.iterations", "3");
        List<Long> seeds = new ArrayList<>();
        Seeds.run(100, random -> seeds.add(random.seed()));
        assertThat(seeds).hasSize(3);
        assertThat(Seeds.iterations(9)).isEqualTo(3);
    }

    @Test
    void skewedNumbersStayBelowTheirBound() {
        Seeds.run(
                50,
                random -> {
                    int bound = random.between(1, 1 << random.between(1, 31));
                    for (int i = 0; i < 100; i++) {
                        assertThat(random.skewed(bound)).isBetween(0, bound - 1);
                    }
                    assertThat(random.skewed(Integer.MAX_VALUE)).isNotNegative();
                });
    }
}
