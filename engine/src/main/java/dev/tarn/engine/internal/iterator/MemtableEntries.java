package dev.tarn.engine.internal.iterator;

import dev.tarn.memory.OffHeapMemory;
import dev.tarn.memtable.EntryView;
import dev.tarn.memtable.Memtable;
import dev.tarn.memtable.MemtableIterator;

/** The entries of a memtable as an {@link EntryIterator}; retains the memtable until closed. */
public final class MemtableEntries extends EntryIterator {
    private final MemtableIterator iterator;

    public MemtableEntries(Memtable memtable) {
        iterator = memtable.newIterator();
    }

    @Override
    public boolean seekToFirst() {
        iterator.seekToFirst();
        return show();
    }

    @Override
    public boolean seekToLast() {
        iterator.seekToLast();
        return show();
    }

    @Override
    public boolean seek(OffHeapMemory memory, int offset, int length) {
        iterator.seek(memory, offset, length);
        return show();
    }

    @Override
    public boolean seekForPrevious(OffHeapMemory memory, int offset, int length) {
        iterator.seekForPrevious(memory, offset, length);
        return show();
    }

    @Override
    public boolean next() {
        iterator.next();
        return show();
    }

    @Override
    public boolean previous() {
        iterator.previous();
        return show();
    }

    private boolean show() {
        if (!iterator.isValid()) {
            return clearEntry();
        }
        EntryView entry = iterator.entry();
        OffHeapMemory memory = entry.memory();
        int keyLength = entry.keyLength();
        int keyOffset = entry.keyOffset();
        setEntry(
                memory,
                keyOffset,
                keyLength,
                entry.trailer(),
                memory,
                keyOffset + keyLength,
                entry.valueLength());
        return true;
    }

    @Override
    public void close() {
        clearEntry();
        iterator.close();
    }
}
