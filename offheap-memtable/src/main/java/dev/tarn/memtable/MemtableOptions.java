package dev.tarn.memtable;

/**
 * What is fixed when a memtable is created; nothing of it is persisted.
 *
 * <p>Prints as sorted {@code key=value} text.
 */
public final class MemtableOptions {
    private static final WriterMode WRITER_MODE_DEFAULT = WriterMode.SINGLE;
    private static final long EXPECTED_KEY_COUNT_DEFAULT = 0;

    private final WriterMode writerMode;
    private final long expectedKeyCount;

    private MemtableOptions(Builder builder) {
        this.writerMode = builder.writerMode;
        this.expectedKeyCount = builder.expectedKeyCount;
    }

    /** Returns a builder with every default. */
    public static Builder builder() {
        return new Builder();
    }

    /** How many threads may write. Default: {@link WriterMode#SINGLE}, the bucket writer's. */
    public WriterMode writerMode() {
        return writerMode;
    }

    /**
     * The number of different keys to come, if known: {@link Memtable#keyCount()} of the bucket's
     * previous memtable. The index still starts small; once it outgrows its first segment it takes
     * its final size in one step, or two where that is more than a slab. In [0, 2^31). Default: 0,
     * which grows step by step.
     */
    public long expectedKeyCount() {
        return expectedKeyCount;
    }

    @Override
    public String toString() {
        return "expectedKeyCount=" + expectedKeyCount + "\nwriterMode=" + writerMode + "\n";
    }

    /** Collects options. */
    public static final class Builder {
        private WriterMode writerMode = WRITER_MODE_DEFAULT;
        private long expectedKeyCount = EXPECTED_KEY_COUNT_DEFAULT;

        private Builder() {}

        /** See {@link MemtableOptions#writerMode()}. */
        public Builder writerMode(WriterMode writerMode) {
            this.writerMode = writerMode;
            return this;
        }

        /** See {@link MemtableOptions#expectedKeyCount()}. */
        public Builder expectedKeyCount(long expectedKeyCount) {
            this.expectedKeyCount = expectedKeyCount;
            return this;
        }

        /**
         * Returns the options.
         *
         * @throws IllegalArgumentException if a value is out of its range
         */
        public MemtableOptions build() {
            if (expectedKeyCount < 0 || expectedKeyCount >= 1L << 31) {
                throw new IllegalArgumentException(
                        "expectedKeyCount must be in [0, 2^31): expectedKeyCount="
                                + expectedKeyCount);
            }
            return new MemtableOptions(this);
        }
    }
}
