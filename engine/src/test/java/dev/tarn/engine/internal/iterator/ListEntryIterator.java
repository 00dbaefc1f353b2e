package dev.tarn.engine.internal.iterator;

import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;
import java.util.List;

/** Entries of a sorted list; key and value are copied to a memory of the iterator's own. */
final class ListEntryIterator extends EntryIterator {
    private final List<TestEntry> entries;
    private final OffHeapMemory bytes;
    private final int[] offsets;
    private int index = -1;
    private boolean closed;

    ListEntryIterator(List<TestEntry> entries) {
        this.entries = entries;
        this.offsets = new int[entries.size()];
        int size = 0;
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = size;
            size += entries.get(i).key().length + entries.get(i).value().length;
        }
        bytes = OffHeapMemory.wrap(ByteBuffer.allocateDirect(size));
        for (int i = 0; i < offsets.length; i++) {
            TestEntry entry = entries.get(i);
            bytes.putBytes(offsets[i], entry.key(), 0, entry.key().length);
            bytes.putBytes(offsets[i] + entry.key().length, entry.value(), 0, entry.value().length);
        }
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public boolean seekToFirst() {
        return moveTo(0);
    }

    @Override
    public boolean seekToLast() {
        return moveTo(entries.size() - 1);
    }

    @Override
    public boolean seek(OffHeapMemory memory, int offset, int length) {
        int at = 0;
        while (at < entries.size() && compareKey(at, memory, offset, length) < 0) {
            at++;
        }
        return moveTo(at);
    }

    @Override
    public boolean seekForPrevious(OffHeapMemory memory, int offset, int length) {
        int at = entries.size() - 1;
        while (at >= 0 && compareKey(at, memory, offset, length) > 0) {
            at--;
        }
        return moveTo(at);
    }

    @Override
    public boolean next() {
        // As after a merge's source has ended: stepping on is a bug.
        assert isValid();
        return moveTo(index + 1);
    }

    @Override
    public boolean previous() {
        assert isValid();
        return moveTo(index - 1);
    }

    @Override
    public void close() {
        assert !closed;
        closed = true;
    }

    private int compareKey(int at, OffHeapMemory memory, int offset, int length) {
        int keyLength = entries.get(at).key().length;
        return OffHeapMemory.compare(bytes, offsets[at], keyLength, memory, offset, length);
    }

    private boolean moveTo(int at) {
        index = at;
        if (at < 0 || at >= entries.size()) {
            return clearEntry();
        }
        TestEntry entry = entries.get(at);
        int keyLength = entry.key().length;
        setEntry(
                bytes,
                offsets[at],
                keyLength,
                entry.trailer(),
                bytes,
                offsets[at] + keyLength,
                entry.value().length);
        return true;
    }
}
