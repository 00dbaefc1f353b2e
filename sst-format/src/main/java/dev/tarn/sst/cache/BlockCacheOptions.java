package dev.tarn.sst.cache;

import dev.tarn.memory.MemoryRegion;

/** The size of a {@link BlockCache} and how it is shared; none of it is persisted. */
public final class BlockCacheOptions {
    /**
     * 4 KiB and 256 bytes: a data block closes with the entry that reaches 4 KiB, so a block of
     * entries up to 256 bytes fits in one frame. Not a power of two, so that equal positions of
     * different blocks do not compete for the same sets of the CPU caches.
     */
    static final int FRAME_BYTES_DEFAULT = 4096 + 256;

    static final int FRAME_BYTES_MIN = 64;
    static final int FRAME_BYTES_MAX = 1 << 20;

    /** Small enough that zeroing a new slab does not show in the latency of the first misses. */
    static final int SLAB_BYTES_DEFAULT = 16 << 20;

    static final int SLAB_BYTES_MAX = 1 << 30;

    static final double HIGH_SHARE_DEFAULT = 0.5;
    static final double LOW_SHARE_DEFAULT = 1.0 / 32;

    /** The share that S3-FIFO was found to work best with over many traces. */
    static final double PROBATION_SHARE_DEFAULT = 0.1;

    private final long capacityBytes;
    private final int frameBytes;
    private final int slabBytes;
    private final int blockBytesMax;
    private final double highShare;
    private final double lowShare;
    private final double probationShare;

    private BlockCacheOptions(Builder builder) {
        capacityBytes = builder.capacityBytes;
        frameBytes = builder.frameBytes;
        slabBytes = builder.slabBytes;
        highShare = builder.highShare;
        lowShare = builder.lowShare;
        probationShare = builder.probationShare;
        check(capacityBytes > 0, "capacityBytes must be positive: capacityBytes=" + capacityBytes);
        check(
                frameBytes >= FRAME_BYTES_MIN
                        && frameBytes <= FRAME_BYTES_MAX
                        && frameBytes % MemoryRegion.CACHE_LINE_BYTES == 0,
                "frameBytes must be a multiple of 64 in [64, 1 MiB]: frameBytes=" + frameBytes);
        check(
                slabBytes >= frameBytes && slabBytes <= SLAB_BYTES_MAX,
                "slabBytes must be in [frameBytes, 1 GiB]: slabBytes="
                        + slabBytes
                        + " frameBytes="
                        + frameBytes);
        checkShare("highShare", highShare);
        checkShare("lowShare", lowShare);
        checkShare("probationShare", probationShare);
        check(
                highShare + lowShare + probationShare <= 1,
                "shares must not exceed 1 together: highShare="
                        + highShare
                        + " lowShare="
                        + lowShare
                        + " probationShare="
                        + probationShare);
        blockBytesMax =
                builder.blockBytesMax > 0
                        ? builder.blockBytesMax
                        : (int) Math.min(slabBytes, Math.max(frameBytes, capacityBytes / 16));
        check(
                blockBytesMax <= slabBytes,
                "blockBytesMax must not exceed slabBytes: blockBytesMax="
                        + blockBytesMax
                        + " slabBytes="
                        + slabBytes);
    }

    /** Returns a builder with the defaults and a capacity. */
    public static Builder builder(long capacityBytes) {
        return new Builder(capacityBytes);
    }

    /** Everything the cache may hold: frames, their headers, the hash table, the lists. */
    public long capacityBytes() {
        return capacityBytes;
    }

    /**
     * The unit of allocation: a block occupies one frame, or several that lie side by side. A
     * multiple of 64; best a little above the block size that most files have. Default 4352.
     */
    public int frameBytes() {
        return frameBytes;
    }

    /**
     * How much is allocated at once when the cache grows towards its capacity, at most; no block
     * spans two slabs. Default 16 MiB.
     */
    public int slabBytes() {
        return slabBytes;
    }

    /**
     * The largest block that is cached; larger ones are refused. Default a sixteenth of the
     * capacity, at least a frame, at most a slab: a block that displaces more is not worth it.
     */
    public int blockBytesMax() {
        return blockBytesMax;
    }

    /** The part of the frames that blocks of {@link Priority#HIGH} keep to themselves. */
    public double highShare() {
        return highShare;
    }

    /** The part of the frames that blocks of {@link Priority#LOW} may take from others. */
    public double lowShare() {
        return lowShare;
    }

    /** The part of the frames in which new blocks wait for a second request. */
    public double probationShare() {
        return probationShare;
    }

    @Override
    public String toString() {
        return "blockBytesMax="
                + blockBytesMax
                + " capacityBytes="
                + capacityBytes
                + " frameBytes="
                + frameBytes
                + " highShare="
                + highShare
                + " lowShare="
                + lowShare
                + " probationShare="
                + probationShare
                + " slabBytes="
                + slabBytes;
    }

    private static void checkShare(String name, double share) {
        check(share >= 0 && share <= 1, name + " must be in [0, 1]: " + name + "=" + share);
    }

    private static void check(boolean valid, String message) {
        if (!valid) {
            throw new IllegalArgumentException(message);
        }
    }

    /** Collects the options; {@link #build()} checks them. */
    public static final class Builder {
        private final long capacityBytes;
        private int frameBytes = FRAME_BYTES_DEFAULT;
        private int slabBytes = SLAB_BYTES_DEFAULT;
        private int blockBytesMax;
        private double highShare = HIGH_SHARE_DEFAULT;
        private double lowShare = LOW_SHARE_DEFAULT;
        private double probationShare = PROBATION_SHARE_DEFAULT;

        private Builder(long capacityBytes) {
            this.capacityBytes = capacityBytes;
        }

        /** See {@link BlockCacheOptions#frameBytes()}. */
        public Builder frameBytes(int frameBytes) {
            this.frameBytes = frameBytes;
            return this;
        }

        /** See {@link BlockCacheOptions#slabBytes()}. */
        public Builder slabBytes(int slabBytes) {
            this.slabBytes = slabBytes;
            return this;
        }

        /** See {@link BlockCacheOptions#blockBytesMax()}; 0 means the default. */
        public Builder blockBytesMax(int blockBytesMax) {
            this.blockBytesMax = blockBytesMax;
            return this;
        }

        /** See {@link BlockCacheOptions#highShare()}. */
        public Builder highShare(double highShare) {
            this.highShare = highShare;
            return this;
        }

        /** See {@link BlockCacheOptions#lowShare()}. */
        public Builder lowShare(double lowShare) {
            this.lowShare = lowShare;
            return this;
        }

        /** See {@link BlockCacheOptions#probationShare()}. */
        public Builder probationShare(double probationShare) {
            this.probationShare = probationShare;
            return this;
        }

        /**
         * Builds the options.
         *
         * @throws IllegalArgumentException naming the option that is out of its range
         */
        public BlockCacheOptions build() {
            return new BlockCacheOptions(this);
        }
    }
}
