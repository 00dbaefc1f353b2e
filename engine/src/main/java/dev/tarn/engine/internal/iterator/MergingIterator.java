package dev.tarn.engine.internal.iterator;

import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import java.util.List;

/**
 * The entries of several iterators as one sequence, in both directions.
 *
 * <p>Entries of equal internal key, which only bulk-loaded tables have, come in the order of their
 * iterators: newest source first.
 *
 * <p>Owner: owns the iterators it merges and closes them.
 *
 * <p>Lifetime, Threads, Errors: as {@link EntryIterator} says. Moving allocates nothing of its own.
 *
 * <p>Invariants: while valid and forward, every iterator but the current one stands on its first
 * entry behind the current entry, or is not valid; backward, on its last entry before it.
 */
public final class MergingIterator extends EntryIterator {
    private final EntryIterator[] iterators;
    private final LoserTree tree;
    private boolean reverse;
    private int current;

    /** Merges iterators, newest source first; they need no position yet. */
    public MergingIterator(List<? extends EntryIterator> iterators) {
        this.iterators = iterators.toArray(new EntryIterator[0]);
        this.tree = new LoserTree(this.iterators);
    }

    /** The index of the iterator that the current entry comes from. */
    public int sourceIndex() {
        return current;
    }

    @Override
    public boolean seekToFirst() throws IOException {
        for (EntryIterator iterator : iterators) {
            iterator.seekToFirst();
        }
        return rebuild(false);
    }

    @Override
    public boolean seekToLast() throws IOException {
        for (EntryIterator iterator : iterators) {
            iterator.seekToLast();
        }
        return rebuild(true);
    }

    @Override
    public boolean seek(OffHeapMemory memory, int offset, int length) throws IOException {
        for (EntryIterator iterator : iterators) {
            iterator.seek(memory, offset, length);
        }
        return rebuild(false);
    }

    @Override
    public boolean seekForPrevious(OffHeapMemory memory, int offset, int length)
            throws IOException {
        for (EntryIterator iterator : iterators) {
            iterator.seekForPrevious(memory, offset, length);
        }
        return rebuild(true);
    }

    @Override
    public boolean next() throws IOException {
        assert valid : "next() without an entry";
        if (reverse) {
            return turnForward();
        }
        iterators[current].next();
        tree.replay();
        return showWinner();
    }

    @Override
    public boolean previous() throws IOException {
        assert valid : "previous() without an entry";
        if (!reverse) {
            return turnBackward();
        }
        iterators[current].previous();
        tree.replay();
        return showWinner();
    }

    /** Moves all others behind the current entry, which stays valid meanwhile. */
    private boolean turnForward() throws IOException {
        EntryIterator now = iterators[current];
        for (int i = 0; i < iterators.length; i++) {
            EntryIterator other = iterators[i];
            if (i == current) {
                continue;
            }
            boolean found = other.seek(now.keyMemory, now.keyOffset, now.keyLength);
            while (found && isBefore(i, current)) {
                found = other.next();
            }
        }
        now.next();
        return rebuild(false);
    }

    /** Moves all others before the current entry, which stays valid meanwhile. */
    private boolean turnBackward() throws IOException {
        EntryIterator now = iterators[current];
        for (int i = 0; i < iterators.length; i++) {
            EntryIterator other = iterators[i];
            if (i == current) {
                continue;
            }
            boolean found = other.seekForPrevious(now.keyMemory, now.keyOffset, now.keyLength);
            while (found && !isBefore(i, current)) {
                found = other.previous();
            }
        }
        now.previous();
        return rebuild(true);
    }

    private boolean isBefore(int left, int right) {
        int order = compareEntries(iterators[left], iterators[right]);
        return order < 0 || (order == 0 && left < right);
    }

    private boolean rebuild(boolean reverse) {
        this.reverse = reverse;
        if (iterators.length == 0) {
            return clearEntry();
        }
        tree.build(reverse);
        return showWinner();
    }

    private boolean showWinner() {
        current = tree.winner();
        EntryIterator winner = iterators[current];
        if (!winner.valid) {
            return clearEntry();
        }
        setEntry(winner);
        return true;
    }

    /** Closes all iterators; the first failure is thrown when all are closed. */
    @Override
    public void close() throws IOException {
        clearEntry();
        IOException failure = null;
        for (EntryIterator iterator : iterators) {
            try {
                iterator.close();
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
