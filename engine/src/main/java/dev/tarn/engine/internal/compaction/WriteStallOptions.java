package dev.tarn.engine.internal.compaction;

import java.util.concurrent.TimeUnit;

/**
 * How writers are held back while compactions lag.
 *
 * @param compactionTrigger runs from which on writers are delayed
 * @param stopTrigger runs at which writers stop
 * @param memtableSizeBytes what becomes one more run: between two events, the delay grows with the
 *     bytes written towards it
 * @param delayedBytesPerSecondMax the rate of all writers together when the delay sets in
 * @param delayedBytesPerSecondMin their rate just before they stop
 * @param timeoutNanos how long writers may be stopped without any progress in the background before
 *     they get an error
 */
public record WriteStallOptions(
        int compactionTrigger,
        int stopTrigger,
        long memtableSizeBytes,
        long delayedBytesPerSecondMax,
        long delayedBytesPerSecondMin,
        long timeoutNanos) {
    /** Above what one thread compacts, so that the delay is hardly felt at first. */
    public static final long DELAYED_BYTES_PER_SECOND_MAX_DEFAULT = 512L << 20;

    /** Below what a slow disk compacts, so that the stop is hardly ever reached. */
    public static final long DELAYED_BYTES_PER_SECOND_MIN_DEFAULT = 8L << 20;

    /** Longer than a disk takes to give up. */
    public static final long TIMEOUT_NANOS_DEFAULT = TimeUnit.MINUTES.toNanos(10);

    public WriteStallOptions {
        if (compactionTrigger < 1 || stopTrigger < compactionTrigger) {
            throw new IllegalArgumentException(
                    "stop trigger must not be below the compaction trigger: compactionTrigger="
                            + compactionTrigger
                            + " stopTrigger="
                            + stopTrigger);
        }
        if (memtableSizeBytes <= 0 || timeoutNanos <= 0) {
            throw new IllegalArgumentException(
                    "memtable size and timeout must be positive: memtableSizeBytes="
                            + memtableSizeBytes
                            + " timeoutNanos="
                            + timeoutNanos);
        }
        if (delayedBytesPerSecondMin <= 0 || delayedBytesPerSecondMax < delayedBytesPerSecondMin) {
            throw new IllegalArgumentException(
                    "delayed rates must be positive and ordered: delayedBytesPerSecondMin="
                            + delayedBytesPerSecondMin
                            + " delayedBytesPerSecondMax="
                            + delayedBytesPerSecondMax);
        }
        if (stopTrigger == compactionTrigger) {
            // With no more runs than the trigger the picker may decline, and nothing would ever
            // release the writers. Paimon stops above its stop trigger for the same effect.
            stopTrigger = compactionTrigger + 1;
        }
    }

    /** The default rates and timeout with the triggers of a picker's options. */
    public static WriteStallOptions of(UniversalCompactionOptions options, long memtableSizeBytes) {
        return new WriteStallOptions(
                options.compactionTrigger(),
                options.stopTrigger(),
                memtableSizeBytes,
                DELAYED_BYTES_PER_SECOND_MAX_DEFAULT,
                DELAYED_BYTES_PER_SECOND_MIN_DEFAULT,
                TIMEOUT_NANOS_DEFAULT);
    }
}
