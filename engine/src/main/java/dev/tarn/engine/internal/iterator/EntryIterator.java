package dev.tarn.engine.internal.iterator;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;

/**
 * A position in a sequence of entries in internal key order: user key ascending, unsigned; then
 * sequence number descending.
 *
 * <p>An abstract class, so that what a merge reads of each entry are fields: only moving is a
 * virtual call, whatever mix of memtables and tables is merged.
 *
 * <p>Owner: whoever created it closes it, once; the bytes belong to the source.
 *
 * <p>Lifetime: key and value stay valid until the iterator moves or is closed, and the source with
 * them. Other iterators may move meanwhile.
 *
 * <p>Threads: belongs to one thread.
 *
 * <p>Errors: moving reads and may throw {@link IOException} or a corruption error; the iterator can
 * then only be closed. Reading an entry or stepping while not {@link #isValid()} is a bug.
 */
public abstract class EntryIterator implements AutoCloseable {
    private static final OffHeapMemory NONE = OffHeapMemory.wrap(new byte[0]);

    // Read by the merge directly: the getters are for everybody else.
    OffHeapMemory keyMemory = NONE;
    int keyOffset;
    int keyLength;
    long keyPrefix;
    long trailer;
    OffHeapMemory valueMemory = NONE;
    int valueOffset;
    int valueLength;
    boolean valid;

    protected EntryIterator() {}

    /** Moves to the first entry; returns whether there is one. */
    public abstract boolean seekToFirst() throws IOException;

    /** Moves to the last entry; returns whether there is one. */
    public abstract boolean seekToLast() throws IOException;

    /** Moves to the first entry whose user key is not smaller; returns whether there is one. */
    public abstract boolean seek(OffHeapMemory memory, int offset, int length) throws IOException;

    /** Moves to the last entry whose user key is not larger; returns whether there is one. */
    public abstract boolean seekForPrevious(OffHeapMemory memory, int offset, int length)
            throws IOException;

    /** Moves to the next entry; returns whether there is one. */
    public abstract boolean next() throws IOException;

    /** Moves to the entry before; returns whether there is one. */
    public abstract boolean previous() throws IOException;

    @Override
    public abstract void close() throws IOException;

    /** Returns whether this points at an entry. */
    public final boolean isValid() {
        return valid;
    }

    /** The memory of {@link #keyOffset()}. */
    public final OffHeapMemory keyMemory() {
        return keyMemory;
    }

    public final int keyOffset() {
        return keyOffset;
    }

    public final int keyLength() {
        return keyLength;
    }

    /** The first eight bytes of the user key, big-endian, filled up with zeros. */
    public final long keyPrefix() {
        return keyPrefix;
    }

    /** {@code sequenceNumber << 8 | kindByte}. */
    public final long trailer() {
        return trailer;
    }

    /** The memory of {@link #valueOffset()}. */
    public final OffHeapMemory valueMemory() {
        return valueMemory;
    }

    public final int valueOffset() {
        return valueOffset;
    }

    public final int valueLength() {
        return valueLength;
    }

    /** Points {@code view} at the user key, as long as that is valid. */
    public final BytesView key(BytesView view) {
        return view.wrap(keyMemory, keyOffset, keyLength);
    }

    /** Points {@code view} at the value, as long as that is valid. */
    public final BytesView value(BytesView view) {
        return view.wrap(valueMemory, valueOffset, valueLength);
    }

    /** Makes this point at an entry; for subclasses when they have moved. */
    protected final void setEntry(
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            long trailer,
            OffHeapMemory valueMemory,
            int valueOffset,
            int valueLength) {
        this.keyMemory = keyMemory;
        this.keyOffset = keyOffset;
        this.keyLength = keyLength;
        this.keyPrefix = KeyPrefix.of(keyMemory, keyOffset, keyLength);
        this.trailer = trailer;
        this.valueMemory = valueMemory;
        this.valueOffset = valueOffset;
        this.valueLength = valueLength;
        this.valid = true;
    }

    /** Makes this point at what another points at, as long as that does not move. */
    protected final void setEntry(EntryIterator other) {
        this.keyMemory = other.keyMemory;
        this.keyOffset = other.keyOffset;
        this.keyLength = other.keyLength;
        this.keyPrefix = other.keyPrefix;
        this.trailer = other.trailer;
        this.valueMemory = other.valueMemory;
        this.valueOffset = other.valueOffset;
        this.valueLength = other.valueLength;
        this.valid = true;
    }

    /** Makes this point at no entry; returns false, as moves do then. */
    protected final boolean clearEntry() {
        valid = false;
        keyMemory = NONE;
        valueMemory = NONE;
        return false;
    }

    /** Compares the entries of two iterators in internal key order. */
    static int compareEntries(EntryIterator left, EntryIterator right) {
        if (left.keyPrefix != right.keyPrefix) {
            return Long.compareUnsigned(left.keyPrefix, right.keyPrefix);
        }
        return compareBehindPrefix(left, right);
    }

    private static int compareBehindPrefix(EntryIterator left, EntryIterator right) {
        // Keys of at least eight bytes agree in those; shorter ones may differ in length only.
        int seen = Math.min(Long.BYTES, Math.min(left.keyLength, right.keyLength));
        int order =
                OffHeapMemory.compare(
                        left.keyMemory,
                        left.keyOffset + seen,
                        left.keyLength - seen,
                        right.keyMemory,
                        right.keyOffset + seen,
                        right.keyLength - seen);
        // The larger sequence number first.
        return order != 0 ? order : Long.compareUnsigned(right.trailer, left.trailer);
    }
}
