package dev.tarn.sst;

import dev.tarn.sst.block.BlockCodec;
import dev.tarn.sst.block.BlockDecompressor;
import dev.tarn.sst.filter.BloomFilterMath;

/**
 * How a {@link SstWriter} lays out a file. Immutable; nothing of it is needed to read the file
 * again.
 */
public final class SstOptions {
    static final int BLOCK_SIZE_BYTES_DEFAULT = 4096;
    static final int BLOCK_SIZE_BYTES_MIN = 512;
    static final int BLOCK_SIZE_BYTES_MAX = 64 << 10;
    static final BlockCodec CODEC_DEFAULT = BlockCodec.LZ4;
    static final double FILTER_BITS_PER_KEY_DEFAULT = 10;
    static final double FILTER_BITS_PER_KEY_MAX = 32;
    static final int FILTER_KEY_COUNT_MAX_DEFAULT = 8 << 20;
    static final int INDEX_PARTITION_SIZE_BYTES_DEFAULT = 32 << 10;
    static final int INDEX_PARTITION_SIZE_BYTES_MIN = 256;
    static final int INDEX_PARTITION_SIZE_BYTES_MAX = 16 << 20;
    static final String CREATOR_DEFAULT = "tarn";
    static final int CREATOR_LENGTH_MAX = 255;

    private final int blockSizeBytes;
    private final BlockCodec codec;
    private final double filterBitsPerKey;
    private final int filterKeyCountMax;
    private final int indexPartitionSizeBytes;
    private final String creator;

    private SstOptions(Builder builder) {
        blockSizeBytes = builder.blockSizeBytes;
        codec = builder.codec;
        filterBitsPerKey = builder.filterBitsPerKey;
        filterKeyCountMax = builder.filterKeyCountMax;
        indexPartitionSizeBytes = builder.indexPartitionSizeBytes;
        creator = builder.creator;
        checkRange("blockSizeBytes", blockSizeBytes, BLOCK_SIZE_BYTES_MIN, BLOCK_SIZE_BYTES_MAX);
        checkRange("filterKeyCountMax", filterKeyCountMax, 1, Integer.MAX_VALUE);
        checkRange(
                "indexPartitionSizeBytes",
                indexPartitionSizeBytes,
                INDEX_PARTITION_SIZE_BYTES_MIN,
                INDEX_PARTITION_SIZE_BYTES_MAX);
        checkRange("creator.length", creator.length(), 0, CREATOR_LENGTH_MAX);
        if (!(filterBitsPerKey == 0
                || (filterBitsPerKey >= 1 && filterBitsPerKey <= FILTER_BITS_PER_KEY_MAX))) {
            throw new IllegalArgumentException(
                    "filterBitsPerKey must be 0 or in [1, "
                            + FILTER_BITS_PER_KEY_MAX
                            + "]: filterBitsPerKey="
                            + filterBitsPerKey);
        }
        BlockDecompressor.requireAvailable(codec);
    }

    private static void checkRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + " must be in [" + min + ", " + max + "]: " + name + "=" + value);
        }
    }

    /** Returns the options that are best for most. */
    public static SstOptions defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The length, before compression, that a data block stays below; only an entry that is longer
     * by itself exceeds it. In [512, 65536] bytes, default 4096. Larger blocks compress better and
     * need less index, smaller ones make a miss of the cache cheaper.
     */
    public int blockSizeBytes() {
        return blockSizeBytes;
    }

    /**
     * How data blocks are compressed that shrink by an eighth or more; others are stored as they
     * are. Default {@link BlockCodec#LZ4}.
     */
    public BlockCodec codec() {
        return codec;
    }

    /**
     * The bits that the filter spends on each user key; 0 writes no filter. In [1, 32], fractions
     * count, default 10, which lets 1 % of the absent keys through.
     */
    public double filterBitsPerKey() {
        return filterBitsPerKey;
    }

    /**
     * The number of user keys after which the filter goes on in a new partition. While a partition
     * is filled, the writer holds 8 bytes for each of its keys. Default 8 Mi.
     */
    public int filterKeyCountMax() {
        return filterKeyCountMax;
    }

    /**
     * The length at which an index partition is closed: what one lookup reads of the index where
     * the index does not fit into memory. In [256, 16 Mi] bytes, default 32 KiB.
     */
    public int indexPartitionSizeBytes() {
        return indexPartitionSizeBytes;
    }

    /** Who writes the file, for people who look into it: up to 255 characters. */
    public String creator() {
        return creator;
    }

    @Override
    public String toString() {
        return "blockSizeBytes="
                + blockSizeBytes
                + " codec="
                + codec
                + " creator="
                + creator
                + " filterBitsPerKey="
                + filterBitsPerKey
                + " filterKeyCountMax="
                + filterKeyCountMax
                + " indexPartitionSizeBytes="
                + indexPartitionSizeBytes;
    }

    /** Collects options; {@link #build()} checks them. */
    public static final class Builder {
        private int blockSizeBytes = BLOCK_SIZE_BYTES_DEFAULT;
        private BlockCodec codec = CODEC_DEFAULT;
        private double filterBitsPerKey = FILTER_BITS_PER_KEY_DEFAULT;
        private int filterKeyCountMax = FILTER_KEY_COUNT_MAX_DEFAULT;
        private int indexPartitionSizeBytes = INDEX_PARTITION_SIZE_BYTES_DEFAULT;
        private String creator = CREATOR_DEFAULT;

        private Builder() {}

        /** See {@link SstOptions#blockSizeBytes()}. */
        public Builder blockSizeBytes(int blockSizeBytes) {
            this.blockSizeBytes = blockSizeBytes;
            return this;
        }

        /** See {@link SstOptions#codec()}. */
        public Builder codec(BlockCodec codec) {
            this.codec = codec;
            return this;
        }

        /** See {@link SstOptions#filterBitsPerKey()}. */
        public Builder filterBitsPerKey(double filterBitsPerKey) {
            this.filterBitsPerKey = filterBitsPerKey;
            return this;
        }

        /** Chooses the fewest bits per key with at most this false positive rate. */
        public Builder filterFalsePositiveRate(double rate) {
            if (!(rate > 0 && rate < 1)) {
                throw new IllegalArgumentException(
                        "filterFalsePositiveRate must be in (0, 1): filterFalsePositiveRate="
                                + rate);
            }
            return filterBitsPerKey(BloomFilterMath.bitsPerKey(rate, FILTER_BITS_PER_KEY_MAX));
        }

        /** See {@link SstOptions#filterKeyCountMax()}. */
        public Builder filterKeyCountMax(int filterKeyCountMax) {
            this.filterKeyCountMax = filterKeyCountMax;
            return this;
        }

        /** See {@link SstOptions#indexPartitionSizeBytes()}. */
        public Builder indexPartitionSizeBytes(int indexPartitionSizeBytes) {
            this.indexPartitionSizeBytes = indexPartitionSizeBytes;
            return this;
        }

        /** See {@link SstOptions#creator()}. */
        public Builder creator(String creator) {
            this.creator = creator;
            return this;
        }

        /**
         * Checks and builds.
         *
         * @throws IllegalArgumentException if a value is out of its range
         * @throws IllegalStateException if the codec needs a library that is not there
         */
        public SstOptions build() {
            return new SstOptions(this);
        }
    }
}
