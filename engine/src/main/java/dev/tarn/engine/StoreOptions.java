package dev.tarn.engine;

import dev.tarn.engine.config.Durations;
import dev.tarn.engine.config.MemorySizes;
import dev.tarn.engine.config.OptionReader;
import dev.tarn.engine.internal.compaction.UniversalCompactionOptions;
import dev.tarn.sst.SstOptions;
import dev.tarn.sst.block.BlockCodec;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The options of one store; immutable. Keys and defaults are those of Apache Paimon where it has
 * the option.
 *
 * <p>As text they are lines of {@code key=value}, sorted; a store writes them beside its data. The
 * merge operator is code and not part of the text: it must be given at each open.
 *
 * <p>Persisted and fixed when the store is created: {@code num-levels}. Everything else may change
 * from open to open.
 */
public final class StoreOptions {
    /** How many threads write at once. */
    public enum Writers {
        /** One: publishing is a plain store; a second thread is refused. */
        SINGLE,
        /** Any number. */
        MULTI
    }

    /** How blocks are compressed. */
    public enum Compression {
        NONE,
        LZ4,
        ZSTD
    }

    /** When the write-ahead log reaches the disk. */
    public enum WalSync {
        /** Before a write returns; concurrent writes share a sync. */
        EVERY_WRITE,
        /** Every {@code write-ahead-log.sync-interval}. */
        INTERVAL,
        /** When the operating system pleases. */
        NEVER
    }

    static final long WRITE_BUFFER_SIZE_DEFAULT = 256L << 20;
    static final int COMPACTION_TRIGGER_DEFAULT = 5;
    static final int MAX_SIZE_AMPLIFICATION_PERCENT_DEFAULT = 200;
    static final int SIZE_RATIO_DEFAULT = 1;
    static final long TARGET_FILE_SIZE_DEFAULT = 128L << 20;
    static final int BLOCK_SIZE_DEFAULT = 4 << 10;
    static final double BLOOM_BITS_PER_KEY_DEFAULT = 10;
    static final Duration WAL_SYNC_INTERVAL_DEFAULT = Duration.ofMillis(100);

    private final long writeBufferSizeBytes;
    private final Writers writers;
    private final int compactionTrigger;
    private final int stopTrigger;
    private final int levelCount;
    private final int maxSizeAmplificationPercent;
    private final int sizeRatio;
    private final @Nullable Duration optimizationInterval;
    private final long totalSizeThresholdBytes;
    private final long incrementalSizeThresholdBytes;
    private final long targetFileSizeBytes;
    private final int blockSizeBytes;
    private final Compression compression;
    private final double bloomBitsPerKey;
    private final boolean walEnabled;
    private final WalSync walSync;
    private final Duration walSyncInterval;
    private final @Nullable MergeOperator mergeOperator;

    private StoreOptions(Builder builder) {
        OptionReader reader = new OptionReader(builder.values);
        writeBufferSizeBytes = reader.sizeValue("write-buffer-size", WRITE_BUFFER_SIZE_DEFAULT);
        writers = reader.enumValue("memtable.writers", Writers.class, Writers.MULTI);
        compactionTrigger =
                reader.intValue("num-sorted-run.compaction-trigger", COMPACTION_TRIGGER_DEFAULT);
        stopTrigger = reader.intValue("num-sorted-run.stop-trigger", compactionTrigger + 3);
        levelCount = reader.intValue("num-levels", compactionTrigger + 1);
        maxSizeAmplificationPercent =
                reader.intValue(
                        "compaction.max-size-amplification-percent",
                        MAX_SIZE_AMPLIFICATION_PERCENT_DEFAULT);
        sizeRatio = reader.intValue("compaction.size-ratio", SIZE_RATIO_DEFAULT);
        optimizationInterval = reader.durationValue("compaction.optimization-interval", null);
        totalSizeThresholdBytes = reader.sizeValue("compaction.total-size-threshold", 0);
        incrementalSizeThresholdBytes =
                reader.sizeValue("compaction.incremental-size-threshold", 0);
        targetFileSizeBytes = reader.sizeValue("target-file-size", TARGET_FILE_SIZE_DEFAULT);
        blockSizeBytes = (int) reader.sizeValue("file.block-size", BLOCK_SIZE_DEFAULT);
        compression = reader.enumValue("file.compression", Compression.class, Compression.LZ4);
        bloomBitsPerKey = reader.doubleValue("filter.bits-per-key", BLOOM_BITS_PER_KEY_DEFAULT);
        walEnabled = reader.booleanValue("write-ahead-log.enabled", false);
        walSync = reader.enumValue("write-ahead-log.sync", WalSync.class, WalSync.EVERY_WRITE);
        Duration interval =
                reader.durationValue("write-ahead-log.sync-interval", WAL_SYNC_INTERVAL_DEFAULT);
        walSyncInterval = interval == null ? WAL_SYNC_INTERVAL_DEFAULT : interval;
        reader.checkAllKnown();
        mergeOperator = builder.mergeOperator;
        check();
    }

    private void check() {
        checkRange("write-buffer-size", writeBufferSizeBytes, 64 << 10, 1L << 40);
        checkRange("num-sorted-run.compaction-trigger", compactionTrigger, 1, 1000);
        checkRange(
                "num-sorted-run.stop-trigger", stopTrigger, compactionTrigger, Integer.MAX_VALUE);
        checkRange("num-levels", levelCount, 2, 1000);
        checkRange(
                "compaction.max-size-amplification-percent",
                maxSizeAmplificationPercent,
                1,
                1_000_000);
        checkRange("compaction.size-ratio", sizeRatio, 0, 1000);
        checkRange("target-file-size", targetFileSizeBytes, 64 << 10, 1L << 40);
        checkRange("file.block-size", blockSizeBytes, 512, 64 << 10);
        if (!(bloomBitsPerKey >= 0 && bloomBitsPerKey <= 24)) {
            throw new IllegalArgumentException(
                    "filter.bits-per-key must be in [0, 24]: value=" + bloomBitsPerKey);
        }
        if (walSyncInterval.isNegative() || walSyncInterval.isZero()) {
            throw new IllegalArgumentException(
                    "write-ahead-log.sync-interval must be positive: value="
                            + Durations.format(walSyncInterval));
        }
    }

    private static void checkRange(String key, long value, long lower, long upper) {
        if (value < lower || value > upper) {
            throw new IllegalArgumentException(
                    key + " must be in [" + lower + ", " + upper + "]: value=" + value);
        }
    }

    /** Returns a builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the defaults. */
    public static StoreOptions defaults() {
        return builder().build();
    }

    /** Reads what {@link #toText} wrote. */
    public static StoreOptions parse(String text) {
        Builder builder = builder();
        for (String line : text.split("\n", -1)) {
            if (line.isBlank()) {
                continue;
            }
            int equals = line.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("option line has no '=': line=" + line);
            }
            builder.option(line.substring(0, equals), line.substring(equals + 1));
        }
        return builder.build();
    }

    /** Returns all options with their values, in the order of their keys. */
    public Map<String, String> toMap() {
        Map<String, String> map = new TreeMap<>();
        map.put("write-buffer-size", MemorySizes.format(writeBufferSizeBytes));
        map.put("memtable.writers", OptionReader.nameOf(writers));
        map.put("num-sorted-run.compaction-trigger", Integer.toString(compactionTrigger));
        map.put("num-sorted-run.stop-trigger", Integer.toString(stopTrigger));
        map.put("num-levels", Integer.toString(levelCount));
        map.put(
                "compaction.max-size-amplification-percent",
                Integer.toString(maxSizeAmplificationPercent));
        map.put("compaction.size-ratio", Integer.toString(sizeRatio));
        if (optimizationInterval != null) {
            map.put("compaction.optimization-interval", Durations.format(optimizationInterval));
        }
        if (totalSizeThresholdBytes != 0) {
            map.put("compaction.total-size-threshold", MemorySizes.format(totalSizeThresholdBytes));
        }
        if (incrementalSizeThresholdBytes != 0) {
            map.put(
                    "compaction.incremental-size-threshold",
                    MemorySizes.format(incrementalSizeThresholdBytes));
        }
        map.put("target-file-size", MemorySizes.format(targetFileSizeBytes));
        map.put("file.block-size", MemorySizes.format(blockSizeBytes));
        map.put("file.compression", OptionReader.nameOf(compression));
        map.put("filter.bits-per-key", Double.toString(bloomBitsPerKey));
        map.put("write-ahead-log.enabled", Boolean.toString(walEnabled));
        map.put("write-ahead-log.sync", OptionReader.nameOf(walSync));
        map.put("write-ahead-log.sync-interval", Durations.format(walSyncInterval));
        return map;
    }

    /** Returns sorted lines of {@code key=value}. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        toMap().forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
        return text.toString();
    }

    /**
     * Bytes of a memtable at which it is flushed; default 256 mb, as in Paimon. Larger means fewer
     * and larger level-0 files, and more memory: at least two of them exist while one is flushed.
     */
    public long writeBufferSizeBytes() {
        return writeBufferSizeBytes;
    }

    /** How many threads write at once; default {@code multi}. */
    public Writers writers() {
        return writers;
    }

    /**
     * Sorted runs at which compaction starts; default 5. Fewer runs make reads cheaper and writes
     * dearer.
     */
    public int compactionTrigger() {
        return compactionTrigger;
    }

    /** Sorted runs at which writes wait for compaction; default trigger + 3. */
    public int stopTrigger() {
        return stopTrigger;
    }

    /** Levels, level 0 included; default trigger + 1; persisted. */
    public int levelCount() {
        return levelCount;
    }

    /** Percent of the last run's size that the newer ones may have together; default 200. */
    public int maxSizeAmplificationPercent() {
        return maxSizeAmplificationPercent;
    }

    /** Percent by which a run may exceed the picked ones and still be picked; default 1. */
    public int sizeRatio() {
        return sizeRatio;
    }

    /** How often a full compaction runs whatever the sizes; never by default. */
    public Optional<Duration> optimizationInterval() {
        return Optional.ofNullable(optimizationInterval);
    }

    /** Total size in bytes below which every compaction is a full one; 0, the default, is off. */
    public long totalSizeThresholdBytes() {
        return totalSizeThresholdBytes;
    }

    /** Bytes above the last level that cause a full compaction; 0, the default, is off. */
    public long incrementalSizeThresholdBytes() {
        return incrementalSizeThresholdBytes;
    }

    /** Bytes at which compaction starts a new table; default 128 mb. */
    public long targetFileSizeBytes() {
        return targetFileSizeBytes;
    }

    /** Uncompressed bytes of a data block; default 4 kb. */
    public int blockSizeBytes() {
        return blockSizeBytes;
    }

    /** Compression below level 0, which is never compressed; default LZ4. */
    public Compression compression() {
        return compression;
    }

    /**
     * Mean bits per key of the Bloom filters; default 10, about 1 % false positives; 0 is no
     * filter. Newer runs get more and the last one fewer, so that the mean stays.
     */
    public double bloomBitsPerKey() {
        return bloomBitsPerKey;
    }

    /** Whether writes are logged before they are acknowledged; off by default, as in Paimon. */
    public boolean walEnabled() {
        return walEnabled;
    }

    /** When the log is synced; default every write. */
    public WalSync walSync() {
        return walSync;
    }

    /** The interval of {@link WalSync#INTERVAL}; default 100 ms. */
    public Duration walSyncInterval() {
        return walSyncInterval;
    }

    /**
     * Returns how tables of a level are written.
     *
     * <p>Level 0 is read often and rewritten soon: it is not compressed.
     */
    SstOptions tableOptions(int level) {
        BlockCodec codec = level == 0 ? BlockCodec.NONE : BlockCodec.valueOf(compression.name());
        return SstOptions.builder()
                .blockSizeBytes(blockSizeBytes)
                .codec(codec)
                .filterBitsPerKey(bloomBitsPerKey)
                .build();
    }

    /** Returns what the compaction picker looks at. */
    UniversalCompactionOptions compactionOptions() {
        UniversalCompactionOptions.Builder builder =
                UniversalCompactionOptions.builder()
                        .compactionTrigger(compactionTrigger)
                        .stopTrigger(stopTrigger)
                        .numLevels(levelCount)
                        .maxSizeAmplificationPercent(maxSizeAmplificationPercent)
                        .sizeRatio(sizeRatio);
        if (optimizationInterval != null) {
            builder.optimizationIntervalMillis(optimizationInterval.toMillis());
        }
        if (totalSizeThresholdBytes != 0) {
            builder.totalSizeThresholdBytes(totalSizeThresholdBytes);
        }
        if (incrementalSizeThresholdBytes != 0) {
            builder.incrementalSizeThresholdBytes(incrementalSizeThresholdBytes);
        }
        return builder.build();
    }

    /** What folds MERGE entries; without one, merge is refused. */
    public Optional<MergeOperator> mergeOperator() {
        return Optional.ofNullable(mergeOperator);
    }

    @Override
    public String toString() {
        return toText();
    }

    /** Collects options; belongs to one thread. */
    public static final class Builder {
        private final Map<String, String> values = new TreeMap<>();
        private @Nullable MergeOperator mergeOperator;

        private Builder() {}

        /** Sets an option by its key; {@link #build} checks it. */
        public Builder option(String key, String value) {
            values.put(key, value);
            return this;
        }

        public Builder mergeOperator(MergeOperator operator) {
            mergeOperator = operator;
            return this;
        }

        /**
         * Checks everything and builds.
         *
         * @throws IllegalArgumentException naming the option, its value and what is allowed
         */
        public StoreOptions build() {
            return new StoreOptions(this);
        }
    }
}
