package dev.tarn.engine.internal.version;

import dev.tarn.engine.internal.version.TableMetadata.Garbage;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The difference between a version and the next: what a flush, a compaction or a move did.
 *
 * <p>Threads: immutable; a {@link Builder} belongs to one thread.
 */
public final class VersionEdit {
    /** A table that goes to another level as it is. */
    public record Move(long tableId, int level) {}

    /** Entries of a table that are newly known to be overwritten. */
    public record AddedGarbage(long tableId, Garbage garbage) {}

    private final List<TableMetadata> added;
    private final List<Long> removed;
    private final List<Move> moved;
    private final List<AddedGarbage> garbage;
    private final OptionalLong nextTableId;
    private final OptionalLong lastSequence;
    private final OptionalLong logNumber;

    private VersionEdit(Builder builder) {
        added = List.copyOf(builder.added);
        removed = List.copyOf(builder.removed);
        moved = List.copyOf(builder.moved);
        garbage = List.copyOf(builder.garbage);
        nextTableId = builder.nextTableId;
        lastSequence = builder.lastSequence;
        logNumber = builder.logNumber;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The new tables. */
    public List<TableMetadata> added() {
        return added;
    }

    /** The ids of the tables that are gone. */
    public List<Long> removed() {
        return removed;
    }

    public List<Move> moved() {
        return moved;
    }

    public List<AddedGarbage> garbage() {
        return garbage;
    }

    /** An id that is larger than all that were handed out, if it changes. */
    public OptionalLong nextTableId() {
        return nextTableId;
    }

    /** The newest sequence number in any table, if it changes. */
    public OptionalLong lastSequence() {
        return lastSequence;
    }

    /** The oldest write-ahead log that is still needed, if it changes. */
    public OptionalLong logNumber() {
        return logNumber;
    }

    @Override
    public String toString() {
        return "edit[added="
                + added
                + " removed="
                + removed
                + " moved="
                + moved
                + " garbage="
                + garbage
                + " nextTableId="
                + nextTableId
                + " lastSequence="
                + lastSequence
                + " logNumber="
                + logNumber
                + "]";
    }

    /** Collects changes; each table may be named once. */
    public static final class Builder {
        private final List<TableMetadata> added = new ArrayList<>();
        private final List<Long> removed = new ArrayList<>();
        private final List<Move> moved = new ArrayList<>();
        private final List<AddedGarbage> garbage = new ArrayList<>();
        private OptionalLong nextTableId = OptionalLong.empty();
        private OptionalLong lastSequence = OptionalLong.empty();
        private OptionalLong logNumber = OptionalLong.empty();

        private Builder() {}

        public Builder add(TableMetadata table) {
            added.add(table);
            return this;
        }

        public Builder remove(long tableId) {
            removed.add(tableId);
            return this;
        }

        public Builder move(long tableId, int level) {
            moved.add(new Move(tableId, level));
            return this;
        }

        public Builder addGarbage(long tableId, Garbage more) {
            garbage.add(new AddedGarbage(tableId, more));
            return this;
        }

        public Builder nextTableId(long id) {
            nextTableId = OptionalLong.of(id);
            return this;
        }

        public Builder lastSequence(long sequenceNumber) {
            lastSequence = OptionalLong.of(sequenceNumber);
            return this;
        }

        public Builder logNumber(long number) {
            logNumber = OptionalLong.of(number);
            return this;
        }

        public VersionEdit build() {
            return new VersionEdit(this);
        }
    }
}
