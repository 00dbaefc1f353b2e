package dev.tarn.engine.internal.wal;

/**
 * How a write-ahead log is written.
 *
 * @param sync when a write is durable
 * @param syncIntervalNanos with {@link Sync#INTERVAL}: at most so much time is lost
 * @param groupSizeBytesMax how much one write to the file takes at once, if many threads wait; a
 *     single larger batch is written all the same
 */
public record WalOptions(Sync sync, long syncIntervalNanos, int groupSizeBytesMax) {
    /** When writes become durable. */
    public enum Sync {
        /** Before they are acknowledged. */
        EVERY_WRITE,
        /** Some time later; after a power cut, the last of them are missing. */
        INTERVAL,
        /** When the operating system likes; a killed process loses nothing. */
        NEVER
    }

    /** Enough to keep a disk busy, and no delay that the first of a group would notice. */
    public static final int GROUP_SIZE_BYTES_MAX_DEFAULT = 1 << 20;

    public WalOptions {
        if (sync == Sync.INTERVAL && syncIntervalNanos <= 0) {
            throw new IllegalArgumentException(
                    "sync interval must be positive: syncIntervalNanos=" + syncIntervalNanos);
        }
        if (groupSizeBytesMax <= 0) {
            throw new IllegalArgumentException(
                    "group size must be positive: groupSizeBytesMax=" + groupSizeBytesMax);
        }
    }

    public static WalOptions everyWrite() {
        return new WalOptions(Sync.EVERY_WRITE, 0, GROUP_SIZE_BYTES_MAX_DEFAULT);
    }

    public static WalOptions interval(long nanos) {
        return new WalOptions(Sync.INTERVAL, nanos, GROUP_SIZE_BYTES_MAX_DEFAULT);
    }

    public static WalOptions never() {
        return new WalOptions(Sync.NEVER, 0, GROUP_SIZE_BYTES_MAX_DEFAULT);
    }
}
