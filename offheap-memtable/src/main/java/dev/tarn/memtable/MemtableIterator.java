package dev.tarn.memtable;

import dev.tarn.memory.ClosedException;
import dev.tarn.memory.OffHeapMemory;

/**
 * Moves over the entries of a memtable in internal order: keys ascending, unsigned, and the
 * versions of a key from the newest to the oldest.
 *
 * <p>Created by {@link Memtable#newIterator()}; invalid until a seek.
 *
 * <p>Owner: the caller closes it, exactly once; it retains the memtable until then.
 *
 * <p>Lifetime: {@link #entry()} is valid until the iterator moves, the bytes it points at until the
 * iterator is closed.
 *
 * <p>Threads: belongs to one thread.
 */
public final class MemtableIterator implements AutoCloseable {
    private final Memtable memtable;
    private final EntryLog log;
    private final SortedDirectory directory;
    private final boolean ownsDirectory;
    private final VersionCursor versions = new VersionCursor();

    private int index = -1;

    /** The first key that was not read ahead; going back and forth only makes it less useful. */
    private int touchedTo;

    private boolean closed;

    MemtableIterator(
            Memtable memtable, EntryLog log, SortedDirectory directory, boolean ownsDirectory) {
        this.memtable = memtable;
        this.log = log;
        this.directory = directory;
        this.ownsDirectory = ownsDirectory;
    }

    /** The number of different keys. */
    public int keyCount() {
        return directory.count();
    }

    /** Returns whether this points at an entry. */
    public boolean isValid() {
        return versions.isValid();
    }

    /** The current entry; the same object each time. */
    public EntryView entry() {
        return versions.entry();
    }

    /** Goes to the first entry. */
    public void seekToFirst() {
        touchedTo = 0;
        moveTo(0);
    }

    /** Goes to the last entry: the oldest version of the last key. */
    public void seekToLast() {
        moveTo(directory.count() - 1);
        versions.toOldest();
    }

    /** Goes to the newest version of the first key that is not smaller. */
    public void seek(OffHeapMemory keyMemory, int keyOffset, int keyLength) {
        touchedTo = 0;
        moveTo(directory.lowerBound(keyMemory, keyOffset, keyLength));
    }

    /**
     * Goes to the first entry whose internal key is not smaller: of the key itself only versions
     * count whose sequence number is not larger.
     */
    public void seek(OffHeapMemory keyMemory, int keyOffset, int keyLength, long sequenceNumber) {
        int found = directory.lowerBound(keyMemory, keyOffset, keyLength);
        touchedTo = 0;
        moveTo(found);
        if (found < directory.count()
                && directory.compareKey(found, keyMemory, keyOffset, keyLength) == 0) {
            while (entry().sequenceNumber() > sequenceNumber) {
                if (!versions.older()) {
                    nextKey();
                    return;
                }
            }
        }
    }

    /** Goes to the oldest version of the last key that is not larger. */
    public void seekForPrevious(OffHeapMemory keyMemory, int keyOffset, int keyLength) {
        int found = directory.lowerBound(keyMemory, keyOffset, keyLength);
        if (found == directory.count()
                || directory.compareKey(found, keyMemory, keyOffset, keyLength) != 0) {
            found--;
        }
        moveTo(found);
        versions.toOldest();
    }

    /** Goes to the next entry: an older version of the key, or the newest of the next key. */
    public void next() {
        if (!versions.older()) {
            nextKey();
        }
    }

    /** Goes to the newest version of the next key. */
    public void nextKey() {
        if (index + 1 >= touchedTo) {
            touchAhead();
        }
        moveTo(index + 1);
    }

    /** Goes to the next older version of the key; returns whether there is one, else stays. */
    public boolean older() {
        return versions.older();
    }

    /** Goes to the next newer version of the key; returns whether there is one, else stays. */
    public boolean newer() {
        return versions.newer();
    }

    /** A handle of the entry this points at, as {@link Memtable#multiGet} returns them. */
    public int handle() {
        return versions.unit();
    }

    /** Goes to the previous entry: a newer version of the key, or the oldest of the key before. */
    public void previous() {
        if (!versions.newer()) {
            moveTo(index - 1);
            versions.toOldest();
        }
    }

    /** Goes to the newest version of the previous key. */
    public void previousKey() {
        moveTo(index - 1);
    }

    /**
     * Gives up the order, if it is this iterator's own, and releases the memtable.
     *
     * @throws ClosedException if it was closed before
     */
    @Override
    public void close() {
        if (closed) {
            throw new ClosedException("memtable iterator closed twice");
        }
        closed = true;
        versions.start(log, 0);
        if (ownsDirectory) {
            directory.close();
        }
        memtable.release();
    }

    /** Entries lie in the order they were put, so each of the next keys is a cache miss. */
    private void touchAhead() {
        int from = index + 1;
        int to = Math.min(directory.count(), from + CacheTouch.GROUP);
        long touched = 0;
        for (int i = from; i < to; i++) {
            touched += log.touchEntry(directory.unit(i));
        }
        CacheTouch.consume(touched);
        touchedTo = from + CacheTouch.GROUP;
    }

    private void moveTo(int newIndex) {
        if (closed) {
            throw new ClosedException("memtable iterator is closed");
        }
        index = newIndex;
        boolean exists = newIndex >= 0 && newIndex < directory.count();
        versions.start(log, exists ? directory.unit(newIndex) : 0);
    }
}
