package dev.tarn.memtable;

import dev.tarn.memory.OffHeapMemory;
import java.util.Arrays;

/**
 * Sorts 8-byte records in place, as unsigned numbers by their upper 32 bits: most significant byte
 * first, each byte by permuting cycles (American flag sort), small ranges by insertion.
 *
 * <p>Threads: belongs to one thread.
 */
final class RecordSorter {
    private static final int RADIX_BITS = 8;
    private static final int RADIX = 1 << RADIX_BITS;

    /** Insertion sort beats another pass over a range of up to so many. */
    private static final int INSERTION_COUNT_MAX = 32;

    /** The upper 32 bits of a record are sorted by. */
    private static final int FIRST_SHIFT = 64 - RADIX_BITS;

    private static final int LAST_SHIFT = 32;

    private final OffHeapMemory records;

    /** Ends and next free places of the buckets, by recursion level. */
    private final int[][] ends = new int[Integer.SIZE / RADIX_BITS][RADIX];

    private final int[][] heads = new int[Integer.SIZE / RADIX_BITS][RADIX];

    RecordSorter(OffHeapMemory records) {
        this.records = records;
    }

    /** Sorts the records with index in [from, to). */
    void sort(int from, int to) {
        sort(from, to, FIRST_SHIFT);
    }

    private void sort(int from, int to, int shift) {
        if (to - from <= INSERTION_COUNT_MAX) {
            insertionSort(from, to);
            return;
        }
        int level = (FIRST_SHIFT - shift) / RADIX_BITS;
        int[] end = ends[level];
        count(from, to, shift, end);
        permute(from, end, heads[level], shift);
        if (shift > LAST_SHIFT) {
            int start = from;
            for (int bucket = 0; bucket < RADIX; bucket++) {
                if (end[bucket] - start > 1) {
                    sort(start, end[bucket], shift - RADIX_BITS);
                }
                start = end[bucket];
            }
        }
    }

    private void count(int from, int to, int shift, int[] end) {
        Arrays.fill(end, 0);
        for (int i = from; i < to; i++) {
            end[(int) (get(i) >>> shift) & (RADIX - 1)]++;
        }
        int sum = from;
        for (int bucket = 0; bucket < RADIX; bucket++) {
            sum += end[bucket];
            end[bucket] = sum;
        }
    }

    private void permute(int from, int[] end, int[] head, int shift) {
        head[0] = from;
        System.arraycopy(end, 0, head, 1, RADIX - 1);
        for (int bucket = 0; bucket < RADIX; bucket++) {
            int limit = end[bucket];
            while (head[bucket] < limit) {
                long record = get(head[bucket]);
                int target = (int) (record >>> shift) & (RADIX - 1);
                while (target != bucket) {
                    int place = head[target]++;
                    long displaced = get(place);
                    set(place, record);
                    record = displaced;
                    target = (int) (record >>> shift) & (RADIX - 1);
                }
                set(head[bucket]++, record);
            }
        }
    }

    private void insertionSort(int from, int to) {
        for (int i = from + 1; i < to; i++) {
            long record = get(i);
            long key = record ^ Long.MIN_VALUE;
            int j = i - 1;
            for (; j >= from; j--) {
                long other = get(j);
                if ((other ^ Long.MIN_VALUE) <= key) {
                    break;
                }
                set(j + 1, other);
            }
            set(j + 1, record);
        }
    }

    private long get(int index) {
        return records.getLong(index * Long.BYTES);
    }

    private void set(int index, long record) {
        records.putLong(index * Long.BYTES, record);
    }
}
