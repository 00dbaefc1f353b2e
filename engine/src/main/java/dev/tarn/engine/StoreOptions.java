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
    static final long TARGET_FILE_SIZE_DEFAULT = 128L << 20;
    static final int BLOCK_SIZE_DEFAULT = 4 << 10;
    static final double BLOOM_BITS_PER_KEY_DEFAULT = 10;
    static final Duration WAL_SYNC_INTERVAL_DEFAULT = Duration.ofMillis(100);

    private final long writeBufferSizeBytes;
    private final Writers writers;
    private final UniversalCompactionOptions compaction;
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
        compaction = readCompaction(reader);
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

    private static UniversalCompactionOptions readCompaction(OptionReader reader) {
        UniversalCompactionOptions.Builder builder = UniversalCompactionOptions.builder();
        for (String key : UniversalCompactionOptions.keys()) {
            String text = reader.text(key);
            if (text != null) {
                builder.set(key, plainNumber(key, text, reader));
            }
        }
        UniversalCompactionOptions read = builder.build();
        // Paimon raises a lower one silently; the builder does so for parity with it.
        checkRange(
                UniversalCompactionOptions.STOP_TRIGGER,
                reader.intValue(UniversalCompactionOptions.STOP_TRIGGER, read.stopTrigger()),
                read.compactionTrigger(),
                Integer.MAX_VALUE);
        return read;
    }

    /** Sizes and durations as numbers of bytes and milliseconds. */
    private static String plainNumber(String key, String text, OptionReader reader) {
        return switch (key) {
            case UniversalCompactionOptions.TOTAL_SIZE_THRESHOLD,
                    UniversalCompactionOptions.INCREMENTAL_SIZE_THRESHOLD ->
                    Long.toString(reader.sizeValue(key, 0));
            case UniversalCompactionOptions.OPTIMIZATION_INTERVAL -> {
                Duration interval = reader.durationValue(key, null);
                yield interval == null ? text : Long.toString(interval.toMillis());
            }
            default -> text.trim();
        };
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
        map.putAll(compaction.toMap());
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
     * When what is compacted: {@code num-sorted-run.*}, {@code num-levels} and {@code
     * compaction.*}, with Paimon's defaults. {@code num-levels} is persisted.
     */
    UniversalCompactionOptions compaction() {
        return compaction;
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
