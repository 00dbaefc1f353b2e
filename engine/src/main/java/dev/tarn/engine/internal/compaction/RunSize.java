package dev.tarn.engine.internal.compaction;

/**
 * What the picker knows of a sorted run.
 *
 * @param level 0 for a flushed run, of which there may be many; above it, one run per level
 * @param sizeBytes of all its tables
 */
public record RunSize(int level, long sizeBytes) {
    public RunSize {
        if (level < 0 || sizeBytes < 0) {
            throw new IllegalArgumentException(
                    "level and size must not be negative: level="
                            + level
                            + " sizeBytes="
                            + sizeBytes);
        }
    }
}
