package dev.tarn.memory;

import java.nio.charset.StandardCharsets;

/**
 * A read-only range of off-heap bytes: a pointer that is moved from range to range.
 *
 * <p>Owner: whoever owns the memory; a view never owns and never closes it.
 *
 * <p>Lifetime: as the method that positioned it says; copy to keep.
 *
 * <p>Threads: belongs to one thread.
 *
 * <p>Units: bytes. Errors: bounds are those of the memory, checked at each access.
 */
public final class BytesView {
    private static final OffHeapMemory EMPTY = OffHeapMemory.wrap(new byte[0]);

    private OffHeapMemory memory = EMPTY;
    private int offset;
    private int length;

    /** Creates an empty view. */
    public BytesView() {}

    /** Creates a view of a heap array, for tests and rare paths. */
    public static BytesView of(byte[] bytes) {
        return new BytesView().wrap(OffHeapMemory.wrap(bytes), 0, bytes.length);
    }

    /** Creates a view of the UTF-8 bytes of a text, for tests and rare paths. */
    public static BytesView of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Points this view at a range and returns it; retains {@code memory}. */
    public BytesView wrap(OffHeapMemory memory, int offset, int length) {
        this.memory = memory;
        this.offset = offset;
        this.length = length;
        return this;
    }

    /** Points this view at the same range as another. */
    public BytesView wrap(BytesView other) {
        return wrap(other.memory, other.offset, other.length);
    }

    public OffHeapMemory memory() {
        return memory;
    }

    /** The first byte's offset in {@link #memory()}. */
    public int offset() {
        return offset;
    }

    public int length() {
        return length;
    }

    /** Returns the byte at {@code index}, counted from the start of the view. */
    public byte getByte(int index) {
        return memory.getByte(offset + index);
    }

    /** Copies the bytes to a new heap array. */
    public byte[] toByteArray() {
        byte[] bytes = new byte[length];
        memory.getBytes(offset, bytes, 0, length);
        return bytes;
    }

    /** Compares two views as {@link OffHeapMemory#compare} does. */
    public int compare(BytesView other) {
        return OffHeapMemory.compare(
                memory, offset, length, other.memory, other.offset, other.length);
    }

    /** Returns whether two views hold the same bytes. */
    public boolean contentEquals(BytesView other) {
        return length == other.length
                && OffHeapMemory.equal(memory, offset, other.memory, other.offset, length);
    }

    /** Shows the bytes escaped and cut to 32. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(48);
        int shown = Math.min(length, 32);
        for (int i = 0; i < shown; i++) {
            int value = getByte(i) & 0xff;
            if (value >= 0x20 && value < 0x7f && value != '\\') {
                text.append((char) value);
            } else {
                text.append("\\x")
                        .append(Character.forDigit(value >>> 4, 16))
                        .append(Character.forDigit(value & 15, 16));
            }
        }
        if (shown < length) {
            text.append("...(").append(length).append(" bytes)");
        }
        return text.toString();
    }
}
