package dev.tarn.engine.internal.version;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.memory.OffHeapMemory;
import java.util.Arrays;
import java.util.Objects;

/**
 * What a version knows of an SST file.
 *
 * <p>Threads: immutable, except that nobody may change the arrays of the keys.
 *
 * <p>Units: sizes in bytes, times in milliseconds since 1970.
 */
public final class TableMetadata {
    /** How many entries of each kind a table holds. */
    public record EntryCounts(long puts, long deletes, long merges, long rangeDeletes) {
        public EntryCounts {
            if ((puts | deletes | merges | rangeDeletes) < 0) {
                throw new IllegalArgumentException(
                        "entry counts must not be negative: puts="
                                + puts
                                + " deletes="
                                + deletes
                                + " merges="
                                + merges
                                + " rangeDeletes="
                                + rangeDeletes);
            }
        }

        public long total() {
            return puts + deletes + merges + rangeDeletes;
        }
    }

    /**
     * The entries of a table that newer ones are known to have overwritten: at least so many.
     *
     * @param sizeBytes of their keys and values
     */
    public record Garbage(long entryCount, long sizeBytes) {
        public static final Garbage NONE = new Garbage(0, 0);

        public Garbage {
            if ((entryCount | sizeBytes) < 0) {
                throw new IllegalArgumentException(
                        "garbage must not be negative: entryCount="
                                + entryCount
                                + " sizeBytes="
                                + sizeBytes);
            }
        }

        Garbage plus(Garbage other) {
            return new Garbage(entryCount + other.entryCount, sizeBytes + other.sizeBytes);
        }
    }

    private static final int NAME_LENGTH_MAX = 255;

    private final long id;
    private final String name;
    private final int level;
    private final long sizeBytes;
    private final byte[] smallestKey;
    private final byte[] largestKey;
    private final long smallestKeyPrefix;
    private final long largestKeyPrefix;
    private final EntryCounts entryCounts;
    private final long smallestSequence;
    private final long largestSequence;
    private final long creationTimeMillis;
    private final Garbage garbage;

    private TableMetadata(Builder builder) {
        id = builder.id;
        name = builder.name;
        level = builder.level;
        sizeBytes = builder.sizeBytes;
        smallestKey = builder.smallestKey;
        largestKey = builder.largestKey;
        smallestKeyPrefix = prefix(smallestKey);
        largestKeyPrefix = prefix(largestKey);
        entryCounts = builder.entryCounts;
        smallestSequence = builder.smallestSequence;
        largestSequence = builder.largestSequence;
        creationTimeMillis = builder.creationTimeMillis;
        garbage = builder.garbage;
    }

    /**
     * Starts the metadata of a table.
     *
     * @param id never used before in this tree
     * @param name of the file, relative to the directory of the manifest
     */
    public static Builder builder(long id, String name) {
        return new Builder(id, name);
    }

    public long id() {
        return id;
    }

    public String name() {
        return name;
    }

    public int level() {
        return level;
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    /** The smallest user key; not to be changed. */
    public byte[] smallestKey() {
        return smallestKey;
    }

    /** The largest user key, inclusive; not to be changed. */
    public byte[] largestKey() {
        return largestKey;
    }

    public EntryCounts entryCounts() {
        return entryCounts;
    }

    public long smallestSequence() {
        return smallestSequence;
    }

    public long largestSequence() {
        return largestSequence;
    }

    public long creationTimeMillis() {
        return creationTimeMillis;
    }

    public Garbage garbage() {
        return garbage;
    }

    /** Returns the same table at another level. */
    public TableMetadata atLevel(int level) {
        return toBuilder(level, garbage).build();
    }

    /** Returns the same table with more garbage. */
    public TableMetadata withMoreGarbage(Garbage more) {
        return toBuilder(level, garbage.plus(more)).build();
    }

    private Builder toBuilder(int level, Garbage garbage) {
        return builder(id, name)
                .level(level)
                .sizeBytes(sizeBytes)
                .keyRange(smallestKey, largestKey)
                .entryCounts(entryCounts)
                .sequences(smallestSequence, largestSequence)
                .creationTimeMillis(creationTimeMillis)
                .garbage(garbage);
    }

    /** Compares a user key with the smallest of the table; allocates nothing. */
    public int compareToSmallest(OffHeapMemory memory, int offset, int length) {
        return compare(memory, offset, length, smallestKey, smallestKeyPrefix);
    }

    /** Compares a user key with the largest of the table; allocates nothing. */
    public int compareToLargest(OffHeapMemory memory, int offset, int length) {
        return compare(memory, offset, length, largestKey, largestKeyPrefix);
    }

    /** Returns whether the key ranges share a key. */
    public boolean overlaps(TableMetadata other) {
        return Arrays.compareUnsigned(smallestKey, other.largestKey) <= 0
                && Arrays.compareUnsigned(other.smallestKey, largestKey) <= 0;
    }

    private static long prefix(byte[] key) {
        long prefix = 0;
        for (int i = 0; i < Math.min(Long.BYTES, key.length); i++) {
            prefix |= (key[i] & 0xffL) << (Long.SIZE - 8 - 8 * i);
        }
        return prefix;
    }

    /** Eight bytes at once decide nearly always; the rest is on the heap, so byte by byte. */
    private static int compare(
            OffHeapMemory memory, int offset, int length, byte[] key, long keyPrefix) {
        int at = 0;
        if (length >= Long.BYTES && key.length >= Long.BYTES) {
            long prefix = memory.getLongBigEndian(offset);
            if (prefix != keyPrefix) {
                return Long.compareUnsigned(prefix, keyPrefix);
            }
            at = Long.BYTES;
        }
        for (int end = Math.min(length, key.length); at < end; at++) {
            int difference = memory.getUnsignedByte(offset + at) - (key[at] & 0xff);
            if (difference != 0) {
                return difference;
            }
        }
        return length - key.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TableMetadata table
                && id == table.id
                && name.equals(table.name)
                && level == table.level
                && sizeBytes == table.sizeBytes
                && Arrays.equals(smallestKey, table.smallestKey)
                && Arrays.equals(largestKey, table.largestKey)
                && entryCounts.equals(table.entryCounts)
                && smallestSequence == table.smallestSequence
                && largestSequence == table.largestSequence
                && creationTimeMillis == table.creationTimeMillis
                && garbage.equals(table.garbage);
    }

    @Override
    public int hashCode() {
        return Objects.hash(id, name, level);
    }

    @Override
    public String toString() {
        return name
                + "[id="
                + id
                + " level="
                + level
                + " sizeBytes="
                + sizeBytes
                + " keys="
                + dev.tarn.memory.BytesView.of(smallestKey)
                + ".."
                + dev.tarn.memory.BytesView.of(largestKey)
                + " sequences="
                + smallestSequence
                + ".."
                + largestSequence
                + " entries="
                + entryCounts.total()
                + " garbage="
                + garbage.entryCount
                + "]";
    }

    /** Collects the fields; {@link #build} checks them. */
    public static final class Builder {
        private final long id;
        private final String name;
        private int level;
        private long sizeBytes;
        private byte[] smallestKey = {};
        private byte[] largestKey = {};
        private EntryCounts entryCounts = new EntryCounts(0, 0, 0, 0);
        private long smallestSequence;
        private long largestSequence;
        private long creationTimeMillis;
        private Garbage garbage = Garbage.NONE;

        private Builder(long id, String name) {
            this.id = id;
            this.name = name;
        }

        public Builder level(int level) {
            this.level = level;
            return this;
        }

        public Builder sizeBytes(long sizeBytes) {
            this.sizeBytes = sizeBytes;
            return this;
        }

        /** Both inclusive; retains the arrays. */
        public Builder keyRange(byte[] smallestKey, byte[] largestKey) {
            this.smallestKey = smallestKey;
            this.largestKey = largestKey;
            return this;
        }

        public Builder entryCounts(EntryCounts entryCounts) {
            this.entryCounts = entryCounts;
            return this;
        }

        public Builder sequences(long smallestSequence, long largestSequence) {
            this.smallestSequence = smallestSequence;
            this.largestSequence = largestSequence;
            return this;
        }

        public Builder creationTimeMillis(long creationTimeMillis) {
            this.creationTimeMillis = creationTimeMillis;
            return this;
        }

        public Builder garbage(Garbage garbage) {
            this.garbage = garbage;
            return this;
        }

        /**
         * Returns the metadata.
         *
         * @throws IllegalArgumentException if a field is outside its range
         */
        public TableMetadata build() {
            check(id > 0 && id < Long.MAX_VALUE, "id must be positive and not the largest", id);
            check(level >= 0, "level must not be negative", level);
            check(sizeBytes >= 0, "size must not be negative", sizeBytes);
            check(
                    Arrays.compareUnsigned(smallestKey, largestKey) <= 0,
                    "smallest key must not be larger than the largest",
                    id);
            check(
                    0 <= smallestSequence
                            && smallestSequence <= largestSequence
                            && largestSequence <= SequenceNumbers.MAX,
                    "sequence numbers must be ordered and in range",
                    largestSequence);
            check(isFileName(name), "name must be a plain file name", id);
            return new TableMetadata(this);
        }

        private void check(boolean holds, String what, long value) {
            if (!holds) {
                throw new IllegalArgumentException(
                        "table " + what + ": value=" + value + " id=" + id + " name=" + name);
            }
        }

        /** Letters, digits, {@code . _ -}, not starting with a dot: no way out of the directory. */
        private static boolean isFileName(String name) {
            if (name.isEmpty() || name.length() > NAME_LENGTH_MAX || name.charAt(0) == '.') {
                return false;
            }
            return name.chars()
                    .allMatch(
                            c ->
                                    (c >= 'a' && c <= 'z')
                                            || (c >= 'A' && c <= 'Z')
                                            || (c >= '0' && c <= '9')
                                            || c == '.'
                                            || c == '_'
                                            || c == '-');
        }
    }
}
