package dev.tarn.memtable;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import org.jspecify.annotations.Nullable;

/**
 * A flyweight over one entry of a memtable.
 *
 * <p>Owner: the memtable keeps the bytes; this only points at them.
 *
 * <p>Lifetime: valid while the memtable it was positioned by is retained or open. Copy to keep.
 *
 * <p>Threads: belongs to one thread.
 *
 * <p>Errors: reading an entry before one was found throws {@link IllegalStateException}.
 */
public final class EntryView {
    private @Nullable OffHeapMemory memory;
    private int offset;

    /** Creates a view of nothing. */
    public EntryView() {}

    EntryView wrap(OffHeapMemory memory, int offset) {
        this.memory = memory;
        this.offset = offset;
        return this;
    }

    void clear() {
        memory = null;
    }

    /** Returns whether this points at an entry. */
    public boolean isPresent() {
        return memory != null;
    }

    /** The memory that holds key and value. */
    public OffHeapMemory memory() {
        OffHeapMemory wrapped = memory;
        if (wrapped == null) {
            throw new IllegalStateException("entry view points at no entry");
        }
        return wrapped;
    }

    /** {@code sequenceNumber << 8 | kindByte}, as in an internal key. */
    public long trailer() {
        return EntryLayout.trailer(memory(), offset);
    }

    public long sequenceNumber() {
        return SequenceNumbers.sequenceNumber(trailer());
    }

    /** The kind byte, see {@link dev.tarn.codec.ValueKind}. */
    public byte kindByte() {
        return EntryLayout.kindByte(memory(), offset);
    }

    /** The first byte of the key in {@link #memory()}. */
    public int keyOffset() {
        return offset + EntryLayout.KEY_OFFSET;
    }

    public int keyLength() {
        return EntryLayout.keyLength(memory(), offset);
    }

    /** The first byte of the value in {@link #memory()}. */
    public int valueOffset() {
        return keyOffset() + keyLength();
    }

    public int valueLength() {
        return EntryLayout.valueLength(memory(), offset);
    }

    /** Points {@code key} at the key and returns it. */
    public BytesView key(BytesView key) {
        return key.wrap(memory(), keyOffset(), keyLength());
    }

    /** Points {@code value} at the value and returns it. */
    public BytesView value(BytesView value) {
        return value.wrap(memory(), valueOffset(), valueLength());
    }

    @Override
    public String toString() {
        if (memory == null) {
            return "EntryView[absent]";
        }
        return "EntryView[key="
                + key(new BytesView())
                + " sequenceNumber="
                + sequenceNumber()
                + " kindByte="
                + kindByte()
                + " value="
                + value(new BytesView())
                + "]";
    }
}
