package dev.tarn.engine.internal.iterator;

import dev.tarn.engine.internal.version.SortedRun;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a sorted run, table after table; one table is open at a time.
 *
 * <p>Owner: owns the iterator over the current table.
 */
public final class RunEntries extends EntryIterator {
    /** Opens the entries of a table of the run. */
    @FunctionalInterface
    public interface TableOpener {
        EntryIterator open(int tableIndex) throws IOException;
    }

    private final SortedRun run;
    private final TableOpener opener;
    private @Nullable EntryIterator table;
    private int tableIndex = -1;

    public RunEntries(SortedRun run, TableOpener opener) {
        this.run = run;
        this.opener = opener;
    }

    @Override
    public boolean seekToFirst() throws IOException {
        return show(open(0).seekToFirst()) || nextTable();
    }

    @Override
    public boolean seekToLast() throws IOException {
        return show(open(run.tableCount() - 1).seekToLast()) || previousTable();
    }

    @Override
    public boolean seek(OffHeapMemory memory, int offset, int length) throws IOException {
        int index = run.ceiling(memory, offset, length);
        if (index == run.tableCount()) {
            return clearEntry();
        }
        return show(open(index).seek(memory, offset, length)) || nextTable();
    }

    @Override
    public boolean seekForPrevious(OffHeapMemory memory, int offset, int length)
            throws IOException {
        int index = Math.min(run.ceiling(memory, offset, length), run.tableCount() - 1);
        return show(open(index).seekForPrevious(memory, offset, length)) || previousTable();
    }

    @Override
    public boolean next() throws IOException {
        return show(current().next()) || nextTable();
    }

    @Override
    public boolean previous() throws IOException {
        return show(current().previous()) || previousTable();
    }

    private boolean nextTable() throws IOException {
        while (tableIndex + 1 < run.tableCount()) {
            if (show(open(tableIndex + 1).seekToFirst())) {
                return true;
            }
        }
        return clearEntry();
    }

    private boolean previousTable() throws IOException {
        while (tableIndex > 0) {
            if (show(open(tableIndex - 1).seekToLast())) {
                return true;
            }
        }
        return clearEntry();
    }

    private boolean show(boolean found) {
        if (found) {
            setEntry(current());
        }
        return found;
    }

    private EntryIterator current() {
        EntryIterator current = table;
        if (current == null) {
            throw new IllegalStateException("run iterator has no position");
        }
        return current;
    }

    private EntryIterator open(int index) throws IOException {
        EntryIterator current = table;
        if (current != null && tableIndex == index) {
            return current;
        }
        closeTable();
        EntryIterator opened = opener.open(index);
        table = opened;
        tableIndex = index;
        return opened;
    }

    private void closeTable() throws IOException {
        clearEntry();
        EntryIterator current = table;
        table = null;
        if (current != null) {
            current.close();
        }
    }

    @Override
    public void close() throws IOException {
        closeTable();
    }
}
