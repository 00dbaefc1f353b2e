package dev.tarn.table.options;

import dev.tarn.engine.config.OptionReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The options of a table with their defaults filled in.
 *
 * <p>Threads: immutable.
 */
public final class TableOptions {
    private final SortedMap<String, String> texts;
    private final OptionReader reader;

    private TableOptions(Map<String, String> texts) {
        this.texts = new TreeMap<>(texts);
        this.reader = new OptionReader(texts);
    }

    /**
     * Reads options.
     *
     * @throws IllegalArgumentException if a value cannot be read
     */
    public static TableOptions parse(Map<String, String> texts) {
        return new TableOptions(texts);
    }

    /** The options that were set. */
    public SortedMap<String, String> texts() {
        return new TreeMap<>(texts);
    }

    public MergeEngine mergeEngine() {
        return reader.enumValue("merge-engine", MergeEngine.class, MergeEngine.DEDUPLICATE);
    }

    public ChangelogProducer changelogProducer() {
        return reader.enumValue(
                "changelog-producer", ChangelogProducer.class, ChangelogProducer.NONE);
    }

    public boolean rowDeduplicate() {
        return reader.booleanValue("changelog-producer.row-deduplicate", false);
    }

    /** Columns that row-deduplicate does not compare. */
    public List<String> rowDeduplicateIgnoreFields() {
        return list("changelog-producer.row-deduplicate-ignore-fields");
    }

    public ChangelogGranularity changelogGranularity() {
        return reader.enumValue(
                "changelog-producer.granularity",
                ChangelogGranularity.class,
                ChangelogGranularity.NET);
    }

    /** The columns that order the records of a key, the first counting most; none: by arrival. */
    public List<String> sequenceFields() {
        return list("sequence.field");
    }

    public boolean isSequenceDescending() {
        return "descending".equals(reader.text("sequence.field.sort-order"));
    }

    /** How long a delete keeps its sequence; null for ever. */
    public @Nullable Duration sequenceDeleteRetention() {
        return reader.durationValue("sequence.delete-retention", null);
    }

    public @Nullable String rowKindField() {
        return reader.text("rowkind.field");
    }

    public boolean ignoreDelete() {
        return reader.booleanValue("ignore-delete", false);
    }

    public boolean ignoreUpdateBefore() {
        return reader.booleanValue("ignore-update-before", false);
    }

    public boolean partialUpdateRemoveRecordOnDelete() {
        return reader.booleanValue("partial-update.remove-record-on-delete", false);
    }

    public List<String> partialUpdateRemoveRecordOnSequenceGroup() {
        return list("partial-update.remove-record-on-sequence-group");
    }

    public boolean aggregationRemoveRecordOnDelete() {
        return reader.booleanValue("aggregation.remove-record-on-delete", false);
    }

    public @Nullable String defaultAggregateFunction() {
        return reader.text("fields.default-aggregate-function");
    }

    /** Returns option {@code fields.FIELD.NAME}, or null; also for several fields, with commas. */
    public @Nullable String fieldOption(String field, String name) {
        return texts.get("fields." + field + "." + name);
    }

    public int bucketCount() {
        return reader.intValue("bucket", 1);
    }

    /** Empty: the primary key. */
    public List<String> bucketKey() {
        return list("bucket-key");
    }

    public boolean writeOnly() {
        return reader.booleanValue("write-only", false);
    }

    public long writeBufferSizeBytes() {
        return reader.sizeValue("write-buffer-size", 256L << 20);
    }

    public long targetFileSizeBytes() {
        return reader.sizeValue("target-file-size", 128L << 20);
    }

    /** Commits from one full compaction to the next; 0: none. */
    public int fullCompactionDeltaCommits() {
        int fallback = changelogProducer() == ChangelogProducer.FULL_COMPACTION ? 1 : 0;
        return reader.intValue("full-compaction.delta-commits", fallback);
    }

    private List<String> list(String key) {
        String text = reader.text(key);
        return text == null
                ? List.of()
                : Arrays.stream(text.split(","))
                        .map(String::trim)
                        .filter(part -> !part.isEmpty())
                        .toList();
    }

    @Override
    public String toString() {
        return texts.toString();
    }
}
