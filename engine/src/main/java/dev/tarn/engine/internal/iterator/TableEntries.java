package dev.tarn.engine.internal.iterator;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.SstIterator;
import java.io.IOException;

/** The entries of a table as an {@link EntryIterator}; owns the iterator it wraps. */
public final class TableEntries extends EntryIterator {
    private final SstIterator iterator;
    private final BytesView target = new BytesView();

    public TableEntries(SstIterator iterator) {
        this.iterator = iterator;
    }

    @Override
    public boolean seekToFirst() throws IOException {
        return show(iterator.seekToFirst());
    }

    @Override
    public boolean seekToLast() throws IOException {
        return show(iterator.seekToLast());
    }

    @Override
    public boolean seek(OffHeapMemory memory, int offset, int length) throws IOException {
        return show(iterator.seek(target.wrap(memory, offset, length)));
    }

    @Override
    public boolean seekForPrevious(OffHeapMemory memory, int offset, int length)
            throws IOException {
        return show(iterator.seekForPrevious(target.wrap(memory, offset, length)));
    }

    @Override
    public boolean next() throws IOException {
        return show(iterator.next());
    }

    @Override
    public boolean previous() throws IOException {
        return show(iterator.previous());
    }

    private boolean show(boolean found) {
        if (!found) {
            return clearEntry();
        }
        BytesView key = iterator.key();
        BytesView value = iterator.value();
        setEntry(
                key.memory(),
                key.offset(),
                key.length(),
                iterator.trailer(),
                value.memory(),
                value.offset(),
                value.length());
        return true;
    }

    @Override
    public void close() {
        clearEntry();
        iterator.close();
    }
}
