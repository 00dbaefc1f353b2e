package dev.tarn.engine;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.engine.internal.iterator.EntryIterator;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks the keys of a store in order, in both directions, within [lower, upper), as they were when
 * it was opened.
 *
 * <p>Owner: the caller closes it, once, before the store; until then the memory and files of its
 * state stay.
 *
 * <p>Lifetime: key and value are valid until the iterator moves.
 *
 * <p>Threads: belongs to one thread at a time.
 *
 * <p>Errors: a move that throws leaves the iterator without a position.
 */
public final class StoreIterator implements AutoCloseable {
    private static final int KEY_CAPACITY = 1 << 16;

    private final EntryIterator entries;
    private final Runnable onClose;
    private final long sequenceNumber;
    private final @Nullable BytesView lower;
    private final @Nullable BytesView upper;
    private final @Nullable MergeOperator mergeOperator;

    /** The current key, copied: the entries move on while its older versions are passed. */
    private final MemoryRegion keyRegion;

    private final OffHeapMemory keyBytes;
    private final BytesView key = new BytesView();
    private final BytesView value = new BytesView();
    private final List<byte[]> operands = new ArrayList<>();
    private int keyLength;
    private boolean isValid;
    private boolean closed;

    /** Whether the entries stand on the current key or behind it, rather than before it. */
    private boolean isForward;

    StoreIterator(
            EntryIterator entries,
            MemoryAccountant accountant,
            long sequenceNumber,
            byte @Nullable [] lower,
            byte @Nullable [] upper,
            @Nullable MergeOperator mergeOperator,
            Runnable onClose) {
        this.entries = entries;
        this.sequenceNumber = sequenceNumber;
        this.lower = lower == null ? null : BytesView.of(lower.clone());
        this.upper = upper == null ? null : BytesView.of(upper.clone());
        this.mergeOperator = mergeOperator;
        this.onClose = onClose;
        this.keyRegion =
                MemoryRegion.allocate(accountant, MemoryPurpose.IO_BUFFER, KEY_CAPACITY, 8);
        this.keyBytes = keyRegion.memory();
    }

    /** Whether this stands on a key. */
    public boolean isValid() {
        return isValid;
    }

    /** The key. */
    public BytesView key() {
        checkValid();
        return key;
    }

    /** The value. */
    public BytesView value() {
        checkValid();
        return value;
    }

    /** Moves to the first key; returns whether there is one. */
    public boolean seekToFirst() throws IOException {
        BytesView bound = lower;
        if (bound != null) {
            return seek(bound);
        }
        begin();
        entries.seekToFirst();
        return findForward();
    }

    /** Moves to the last key; returns whether there is one. */
    public boolean seekToLast() throws IOException {
        begin();
        BytesView bound = upper;
        if (bound == null) {
            entries.seekToLast();
        } else {
            entries.seekForPrevious(bound.memory(), bound.offset(), bound.length());
            while (entries.isValid() && compareToEntry(bound) <= 0) {
                entries.previous();
            }
        }
        return findBackward();
    }

    /** Moves to the first key that is not smaller; returns whether there is one. */
    public boolean seek(BytesView target) throws IOException {
        begin();
        BytesView bound = lower;
        BytesView start = bound != null && bound.compare(target) > 0 ? bound : target;
        entries.seek(start.memory(), start.offset(), start.length());
        return findForward();
    }

    /** Moves to the last key that is not larger; returns whether there is one. */
    public boolean seekForPrevious(BytesView target) throws IOException {
        BytesView bound = upper;
        if (bound != null && bound.compare(target) <= 0) {
            return seekToLast();
        }
        begin();
        entries.seekForPrevious(target.memory(), target.offset(), target.length());
        return findBackward();
    }

    /** Moves to the next key; returns whether there is one. */
    public boolean next() throws IOException {
        checkValid();
        isValid = false;
        if (!isForward) {
            entries.seek(keyBytes, 0, keyLength);
        }
        passCurrentKey();
        return findForward();
    }

    /** Moves to the key before; returns whether there is one. */
    public boolean previous() throws IOException {
        checkValid();
        isValid = false;
        if (isForward) {
            entries.seekForPrevious(keyBytes, 0, keyLength);
            while (entries.isValid() && isCurrentKey()) {
                entries.previous();
            }
        }
        return findBackward();
    }

    private void begin() {
        if (closed) {
            throw new ClosedException("iterator is closed");
        }
        isValid = false;
    }

    private void checkValid() {
        if (!isValid) {
            begin();
            throw new IllegalStateException("iterator does not stand on a key");
        }
    }

    /** From the first entry of a key, finds the first key that has a value. */
    private boolean findForward() throws IOException {
        isForward = true;
        while (entries.isValid()) {
            if (upper != null && compareToEntry(upper) <= 0) {
                return false;
            }
            if (!isVisible()) {
                entries.next();
                continue;
            }
            takeKey();
            switch (kind()) {
                case ValueKind.PUT -> {
                    entries.value(value);
                    isValid = true;
                    return true;
                }
                case ValueKind.DELETE -> passCurrentKey();
                default -> {
                    foldForward();
                    isValid = true;
                    return true;
                }
            }
        }
        return false;
    }

    private void passCurrentKey() throws IOException {
        while (entries.isValid() && isCurrentKey()) {
            entries.next();
        }
    }

    /** Collects operands from the newest visible one down to their base. */
    private void foldForward() throws IOException {
        operands.clear();
        byte[] base = null;
        boolean isAtBase = false;
        while (!isAtBase && entries.isValid() && isCurrentKey()) {
            switch (kind()) {
                case ValueKind.PUT -> {
                    base = entries.value(value).toByteArray();
                    isAtBase = true;
                }
                case ValueKind.DELETE -> isAtBase = true;
                default -> operands.add(entries.value(value).toByteArray());
            }
            if (!isAtBase) {
                entries.next();
            }
        }
        byte[] folded = base;
        for (int i = operands.size() - 1; i >= 0; i--) {
            folded = merge(folded, operands.get(i));
        }
        show(folded);
    }

    /** From the last entry of a key, finds the last key that has a value. */
    private boolean findBackward() throws IOException {
        isForward = false;
        while (entries.isValid()) {
            if (lower != null && compareToEntry(lower) > 0) {
                return false;
            }
            takeKey();
            byte[] folded = null;
            // Oldest first, so each visible entry replaces or extends what is known so far.
            while (entries.isValid() && isCurrentKey()) {
                if (isVisible()) {
                    folded =
                            switch (kind()) {
                                case ValueKind.PUT -> entries.value(value).toByteArray();
                                case ValueKind.DELETE -> null;
                                default -> merge(folded, entries.value(value).toByteArray());
                            };
                }
                entries.previous();
            }
            if (folded != null) {
                show(folded);
                isValid = true;
                return true;
            }
        }
        return false;
    }

    private byte[] merge(byte @Nullable [] base, byte[] operand) {
        MergeOperator operator = mergeOperator;
        if (operator == null) {
            throw new IllegalStateException(
                    "store has MERGE entries but was opened without a merge operator: key="
                            + key
                            + "; open it with the one they were written for");
        }
        return operator.merge(key, base, BytesView.of(operand));
    }

    private void show(byte @Nullable [] bytes) {
        if (bytes == null) {
            throw new AssertionError("there is at least one operand");
        }
        value.wrap(OffHeapMemory.wrap(bytes), 0, bytes.length);
    }

    private void takeKey() {
        keyLength = entries.keyLength();
        entries.keyMemory().copyTo(entries.keyOffset(), keyBytes, 0, keyLength);
        key.wrap(keyBytes, 0, keyLength);
    }

    private boolean isCurrentKey() {
        return entries.keyLength() == keyLength
                && OffHeapMemory.equal(
                        entries.keyMemory(), entries.keyOffset(), keyBytes, 0, keyLength);
    }

    private boolean isVisible() {
        return SequenceNumbers.sequenceNumber(entries.trailer()) <= sequenceNumber;
    }

    private byte kind() {
        return ValueKind.kind(SequenceNumbers.kindByte(entries.trailer()));
    }

    private int compareToEntry(BytesView bound) {
        return OffHeapMemory.compare(
                bound.memory(),
                bound.offset(),
                bound.length(),
                entries.keyMemory(),
                entries.keyOffset(),
                entries.keyLength());
    }

    @Override
    public void close() throws IOException {
        begin();
        closed = true;
        try {
            entries.close();
        } finally {
            keyRegion.close();
            onClose.run();
        }
    }
}
