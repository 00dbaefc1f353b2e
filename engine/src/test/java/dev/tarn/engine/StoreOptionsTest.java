package dev.tarn.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.engine.internal.compaction.UniversalCompactionOptions;
import org.junit.jupiter.api.Test;

class StoreOptionsTest {
    @Test
    void defaultsAreThoseOfPaimon() {
        StoreOptions options = StoreOptions.defaults();
        assertThat(options.writeBufferSizeBytes()).isEqualTo(256L << 20);
        assertThat(options.compaction().compactionTrigger()).isEqualTo(5);
        assertThat(options.compaction().stopTrigger()).isEqualTo(8);
        assertThat(options.compaction().numLevels()).isEqualTo(6);
        assertThat(options.compaction().maxSizeAmplificationPercent()).isEqualTo(200);
        assertThat(options.compaction().sizeRatio(0)).isEqualTo(1);
        assertThat(options.targetFileSizeBytes()).isEqualTo(128L << 20);
        assertThat(options.compaction().optimizationIntervalMillis())
                .isEqualTo(UniversalCompactionOptions.OFF);
        assertThat(options.walEnabled()).isFalse();
    }

    @Test
    void dependentDefaultsFollowTheTrigger() {
        StoreOptions options =
                StoreOptions.builder().option("num-sorted-run.compaction-trigger", "8").build();
        assertThat(options.compaction().stopTrigger()).isEqualTo(11);
        assertThat(options.compaction().numLevels()).isEqualTo(9);
    }

    @Test
    void textIsReadBack() {
        StoreOptions options =
                StoreOptions.builder()
                        .option("write-buffer-size", "1 mb")
                        .option("memtable.writers", "single")
                        .option("file.compression", "none")
                        .option("compaction.optimization-interval", "1 h")
                        .option("compaction.total-size-threshold", "10 mb")
                        .option("write-ahead-log.enabled", "true")
                        .option("write-ahead-log.sync", "interval")
                        .build();
        StoreOptions read = StoreOptions.parse(options.toText());
        assertThat(read.toMap()).isEqualTo(options.toMap());
        assertThat(read.writers()).isEqualTo(StoreOptions.Writers.SINGLE);
        assertThat(read.compaction().optimizationIntervalMillis()).isEqualTo(3_600_000);
        assertThat(read.compaction().totalSizeThresholdBytes()).isEqualTo(10 << 20);
        assertThat(read.walSync()).isEqualTo(StoreOptions.WalSync.INTERVAL);
    }

    @Test
    void unknownKeyNamesTheNearestOne() {
        assertThatThrownBy(() -> StoreOptions.builder().option("write-bufer-size", "1 mb").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("key=write-bufer-size")
                .hasMessageContaining("did you mean write-buffer-size?");
    }

    @Test
    void badValuesNameKeyValueAndWhatIsAllowed() {
        assertBad("num-sorted-run.compaction-trigger", "0", "must be in [1,");
        assertBad("num-sorted-run.stop-trigger", "2", "must be in [5,");
        assertBad("num-levels", "1", "must be in [2,");
        assertBad("file.block-size", "1 mb", "[512, 65536]");
        assertBad("filter.bits-per-key", "NaN", "[0, 24]");
        assertBad("filter.bits-per-key", "many", "a number");
        assertBad("write-ahead-log.enabled", "yes", "true or false");
        assertBad("write-ahead-log.sync", "always", "every-write, interval, never");
        assertBad("write-ahead-log.sync-interval", "0 s", "positive");
    }

    private static void assertBad(String key, String value, String allowed) {
        assertThatThrownBy(() -> StoreOptions.builder().option(key, value).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key)
                .hasMessageContaining("=")
                .hasMessageContaining(allowed);
    }
}
