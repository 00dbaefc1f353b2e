package dev.tarn.memtable;

import dev.tarn.memory.OffHeapMemory;

/**
 * Fills and sorts the records of a {@link SortedDirectory}.
 *
 * <p>The index is walked for the newest entry of each chain; a chain that holds several keys, since
 * they share 31 bits of their hash, gives all its entries, of which the newest of each key stays.
 * Versions are never sorted, so one key a million times costs no more than a walk along its chain.
 *
 * <p>Threads: belongs to one thread; writers may go on beside it.
 */
final class DirectoryBuilder {
    /** The keys looked at to guess which bytes all have in common. */
    private static final int SAMPLE_COUNT_MAX = 1024;

    /** Up to here comparing keys beats looking for the bits in which they differ. */
    private static final int COMPARED_COUNT_MAX = 24;

    private final EntryLog log;
    private final SlotIndex index;
    private final OffHeapMemory records;
    private final int capacity;
    private final RecordSorter sorter;

    private int count;
    private int headCount;
    private boolean conforming = true;
    private KeyWindow window = new KeyWindow(0, 0, 0);

    DirectoryBuilder(EntryLog log, SlotIndex index, OffHeapMemory records) {
        this.log = log;
        this.index = index;
        this.records = records;
        this.capacity = records.capacity() / SortedDirectory.RECORD_BYTES;
        this.sorter = new RecordSorter(records);
    }

    int count() {
        return count;
    }

    KeyWindow window() {
        return window;
    }

    /** Builds the directory; returns false if there are more keys than room. */
    boolean build() {
        if (!collectHeads()) {
            return false;
        }
        if (count == 0) {
            return true;
        }
        headCount = count;
        window = windowOf(0, Math.min(count, SAMPLE_COUNT_MAX));
        if (!extractChecked()) {
            return false;
        }
        if (!conforming) {
            window = windowOf(0, count);
            extract(0, count, window);
        }
        sorter.sort(0, count);
        sortTies(0, count, window);
        if (count > headCount) {
            removeOlderVersions();
        }
        return true;
    }

    private boolean collectHeads() {
        long nextTag = 0;
        while (nextTag < 1L << SlotIndex.TAG_BITS) {
            IndexDirectory directory = index.directory;
            SlotIndex.checkOpen(directory);
            int entry = (int) nextTag >>> directory.shift;
            long segment = directory.entries.getAcquire(entry);
            if (segment == 0) {
                return true;
            }
            int before = count;
            if (!collectSegment(segment)) {
                return false;
            }
            if (directory.entries.getAcquire(entry) != segment || index.directory != directory) {
                // Replaced meanwhile, so what was read may mean nothing.
                count = before;
                continue;
            }
            int tagsShift = SlotIndex.TAG_BITS - IndexSegment.depth(segment);
            nextTag = ((nextTag >>> tagsShift) + 1) << tagsShift;
        }
        return true;
    }

    private boolean collectSegment(long segment) {
        int unit = IndexSegment.unit(segment);
        OffHeapMemory memory = log.memory(unit);
        int offset = log.offset(unit) + SlotIndex.LINE_BYTES;
        int end = offset + IndexSegment.lines(segment) * SlotIndex.LINE_BYTES;
        for (; offset < end; offset += Long.BYTES) {
            int head = SlotIndex.unitOfSlot(memory.getLongAcquire(offset));
            if (head != 0) {
                if (count == capacity) {
                    return false;
                }
                setRecord(count++, 0, head);
            }
        }
        return true;
    }

    /** Adds all entries of a chain if it holds more than one key; returns false if out of room. */
    private boolean addMixedChain(int head, int firstOlder) {
        if (isMixed(head, firstOlder)) {
            for (int unit = firstOlder; unit != 0; unit = EntryChain.older(log, unit)) {
                if (count == capacity) {
                    return false;
                }
                setRecord(count++, 0, unit);
            }
        }
        return true;
    }

    private boolean isMixed(int head, int firstOlder) {
        for (int unit = firstOlder; unit != 0; unit = EntryChain.older(log, unit)) {
            if (compareKeys(head, unit, 0) != 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Extracts all windows, and adds the chains that hold several keys behind the heads; notes if a
     * key does not have what the sampled ones share.
     *
     * @return false if there is not enough room
     */
    private boolean extractChecked() {
        int common = window.commonLength;
        int first = unit(0);
        for (int from = 0; from < count; from += CacheTouch.GROUP) {
            touch(from, Math.min(count, from + CacheTouch.GROUP), EntryLayout.KEY_OFFSET + common);
            for (int i = from; i < Math.min(count, from + CacheTouch.GROUP); i++) {
                int unit = unit(i);
                int older = i < headCount ? EntryChain.older(log, unit) : 0;
                if (older != 0 && !addMixedChain(unit, older)) {
                    return false;
                }
                if (!sharesBytes(unit, first, common)) {
                    conforming = false;
                    continue;
                }
                long window64 = window64(unit, common);
                if (window.compareCommonBits(window64) != 0) {
                    conforming = false;
                }
                setRecord(i, window.of(window64), unit);
            }
        }
        return true;
    }

    /** Reads two words of each entry of a range of records, so that they soon are in the cache. */
    private void touch(int from, int to, int distance) {
        long touched = 0;
        for (int i = from; i < to; i++) {
            int unit = unit(i);
            OffHeapMemory memory = log.memory(unit);
            int offset = log.offset(unit);
            int second = Math.min(offset + distance, memory.capacity() - Long.BYTES);
            touched += memory.getLong(offset) + memory.getLong(second);
        }
        CacheTouch.consume(touched);
    }

    private boolean sharesBytes(int unit, int other, int length) {
        if (length == 0) {
            return true;
        }
        OffHeapMemory memory = log.memory(unit);
        int offset = log.offset(unit);
        return EntryLayout.keyLength(memory, offset) >= length
                && OffHeapMemory.equal(
                        memory,
                        offset + EntryLayout.KEY_OFFSET,
                        log.memory(other),
                        log.offset(other) + EntryLayout.KEY_OFFSET,
                        length);
    }

    private void extract(int from, int to, KeyWindow window) {
        for (int i = from; i < to; i++) {
            int unit = unit(i);
            long window64 = window64(unit, window.commonLength);
            setRecord(i, window.of(window64), unit);
        }
    }

    /** Returns the window behind what the keys of a range share. */
    private KeyWindow windowOf(int from, int to) {
        int first = unit(from);
        OffHeapMemory firstMemory = log.memory(first);
        int firstOffset = log.offset(first);
        int common = EntryLayout.keyLength(firstMemory, firstOffset);
        for (int i = from + 1; i < to; i++) {
            int unit = unit(i);
            OffHeapMemory memory = log.memory(unit);
            int offset = log.offset(unit);
            common = Math.min(common, EntryLayout.keyLength(memory, offset));
            common =
                    OffHeapMemory.mismatch(
                            firstMemory,
                            firstOffset + EntryLayout.KEY_OFFSET,
                            memory,
                            offset + EntryLayout.KEY_OFFSET,
                            common);
        }
        long firstWindow = window64(first, common);
        long differences = 0;
        for (int i = from + 1; i < to; i++) {
            differences |= firstWindow ^ window64(unit(i), common);
        }
        return new KeyWindow(common, Long.numberOfLeadingZeros(differences), firstWindow);
    }

    private long window64(int unit, int commonLength) {
        OffHeapMemory memory = log.memory(unit);
        int offset = log.offset(unit);
        return KeyWindow.window64(
                memory,
                offset + EntryLayout.KEY_OFFSET,
                EntryLayout.keyLength(memory, offset),
                commonLength);
    }

    /** Orders the records whose windows are equal. */
    private void sortTies(int from, int to, KeyWindow window) {
        int start = from;
        for (int i = from + 1; i <= to; i++) {
            if (i == to || record(i) >>> Integer.SIZE != record(start) >>> Integer.SIZE) {
                if (i - start > 1) {
                    sortTie(start, i, window.commonLength);
                }
                start = i;
            }
        }
    }

    private void sortTie(int from, int to, int commonLength) {
        if (to - from > COMPARED_COUNT_MAX) {
            KeyWindow deeper = windowOf(from, to);
            long prefix = record(from) & 0xffffffff00000000L;
            extract(from, to, deeper);
            if (record(from) >>> Integer.SIZE != differing(from, to)) {
                sorter.sort(from, to);
                sortTies(from, to, deeper);
                restorePrefix(from, to, prefix);
                return;
            }
            restorePrefix(from, to, prefix);
        }
        heapSort(from, to, commonLength);
    }

    /** Returns a window of the range that is not the first one's, or the first one's. */
    private long differing(int from, int to) {
        long first = record(from) >>> Integer.SIZE;
        for (int i = from + 1; i < to; i++) {
            long other = record(i) >>> Integer.SIZE;
            if (other != first) {
                return other;
            }
        }
        return first;
    }

    private void restorePrefix(int from, int to, long prefix) {
        for (int i = from; i < to; i++) {
            records.putLong(i * SortedDirectory.RECORD_BYTES, prefix | (unit(i) & 0xffffffffL));
        }
    }

    /** Sorts by comparing keys, then sequence numbers descending; in place, never quadratic. */
    private void heapSort(int from, int to, int commonLength) {
        int length = to - from;
        for (int root = length / 2 - 1; root >= 0; root--) {
            siftDown(from, root, length, commonLength);
        }
        for (int end = length - 1; end > 0; end--) {
            swap(from, from + end);
            siftDown(from, 0, end, commonLength);
        }
    }

    private void siftDown(int from, int start, int length, int commonLength) {
        int root = start;
        while (true) {
            int child = 2 * root + 1;
            if (child >= length) {
                return;
            }
            if (child + 1 < length
                    && compareEntries(unit(from + child), unit(from + child + 1), commonLength)
                            < 0) {
                child++;
            }
            if (compareEntries(unit(from + root), unit(from + child), commonLength) >= 0) {
                return;
            }
            swap(from + root, from + child);
            root = child;
        }
    }

    /** Compares in internal order; the keys are known to share {@code commonLength} bytes. */
    private int compareEntries(int left, int right, int commonLength) {
        int order = compareKeys(left, right, commonLength);
        return order != 0
                ? order
                : Long.compare(
                        EntryChain.sequenceNumber(log, right),
                        EntryChain.sequenceNumber(log, left));
    }

    private int compareKeys(int left, int right, int commonLength) {
        OffHeapMemory leftMemory = log.memory(left);
        int leftOffset = log.offset(left);
        OffHeapMemory rightMemory = log.memory(right);
        int rightOffset = log.offset(right);
        return OffHeapMemory.compare(
                leftMemory,
                leftOffset + EntryLayout.KEY_OFFSET + commonLength,
                EntryLayout.keyLength(leftMemory, leftOffset) - commonLength,
                rightMemory,
                rightOffset + EntryLayout.KEY_OFFSET + commonLength,
                EntryLayout.keyLength(rightMemory, rightOffset) - commonLength);
    }

    /** Keeps the first, which is the newest, of the records of each key. */
    private void removeOlderVersions() {
        int kept = 1;
        for (int i = 1; i < count; i++) {
            long record = record(i);
            long previous = record(kept - 1);
            if (record >>> Integer.SIZE != previous >>> Integer.SIZE
                    || compareKeys((int) previous, (int) record, window.commonLength) != 0) {
                records.putLong(kept * SortedDirectory.RECORD_BYTES, record);
                kept++;
            }
        }
        count = kept;
    }

    private long record(int index) {
        return records.getLong(index * SortedDirectory.RECORD_BYTES);
    }

    private int unit(int index) {
        return records.getInt(index * SortedDirectory.RECORD_BYTES);
    }

    private void setRecord(int index, long prefix, int unit) {
        records.putLong(index * SortedDirectory.RECORD_BYTES, prefix | (unit & 0xffffffffL));
    }

    private void swap(int a, int b) {
        long record = record(a);
        records.putLong(a * SortedDirectory.RECORD_BYTES, record(b));
        records.putLong(b * SortedDirectory.RECORD_BYTES, record);
    }
}
