package dev.tarn.jmh.memtable;

import dev.tarn.memory.OffHeapMemory;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An insert-only skip list in one piece of off-heap memory, built as RocksDB builds its own, to be
 * compared with: it must be a good one.
 *
 * <pre>
 * node, at an 8-byte boundary; all integers little-endian
 * offset          size         field
 * -4 * (h - 1)    4 * (h - 1)  next at levels h-1 .. 1, so that a node's height need not be stored
 * 0               4            next at level 0; 0 ends the list
 * 4               4            keyLength
 * 8               keyLength    key
 * 8 + keyLength   4            valueLength
 * then            valueLength  value
 * </pre>
 *
 * <p>Threads: any number of inserters and readers, each with a {@link Cursor} of its own.
 *
 * <p>Invariants: (1) a node's bytes and its own links are written before the first link to it; (2)
 * level 0 holds every node, a higher level a subset; (3) links change only by insertion, so a
 * failed compare-and-set means a new neighbour, searched from the old predecessor on.
 *
 * <p>Publication: the compare-and-set of the predecessor's link; pairs with the acquire in {@link
 * #next}.
 */
final class OffHeapSkipList {
    static final int HEIGHT_MAX = 12;

    private static final int KEY_LENGTH_OFFSET = 4;
    private static final int KEY_OFFSET = 8;

    /** Offset 0 is never handed out, so 0 can mean "no node". */
    private static final int HEAD = 64;

    private final OffHeapMemory memory;
    private final AtomicInteger top = new AtomicInteger(2 * HEAD);

    /** Starts an empty list in zeroed memory. */
    OffHeapSkipList(OffHeapMemory memory) {
        this.memory = memory;
    }

    int usedBytes() {
        return top.get();
    }

    /** Returns the first node in key order, or 0. */
    int first() {
        return next(HEAD, 0);
    }

    /** Returns the node after {@code node} at a level, or 0. */
    int next(int node, int level) {
        // Acquire: pairs with the compare-and-set in Cursor.insert; publishes the node's bytes.
        return memory.getIntAcquire(node - 4 * level);
    }

    int valueOffset(int node) {
        return node + KEY_OFFSET + memory.getInt(node + KEY_LENGTH_OFFSET) + 4;
    }

    int valueLength(int node) {
        return memory.getInt(node + KEY_OFFSET + memory.getInt(node + KEY_LENGTH_OFFSET));
    }

    private int compareKey(int node, OffHeapMemory key, int keyOffset, int keyLength) {
        return OffHeapMemory.compare(
                memory,
                node + KEY_OFFSET,
                memory.getInt(node + KEY_LENGTH_OFFSET),
                key,
                keyOffset,
                keyLength);
    }

    /** One thread's place in the list. */
    final class Cursor {
        private final int[] previous = new int[HEIGHT_MAX];
        private final int[] following = new int[HEIGHT_MAX];
        private final SplittableRandom random;

        Cursor(long seed) {
            random = new SplittableRandom(seed);
        }

        /** Returns the node with this key, or 0. */
        int find(OffHeapMemory key, int keyOffset, int keyLength) {
            int node = HEAD;
            int last = 0;
            for (int level = HEIGHT_MAX - 1; level >= 0; level--) {
                while (true) {
                    int next = next(node, level);
                    if (next == 0 || next == last) {
                        break;
                    }
                    int order = compareKey(next, key, keyOffset, keyLength);
                    if (order == 0) {
                        return next;
                    }
                    if (order > 0) {
                        // Seen again one level down, where comparing it would say the same.
                        last = next;
                        break;
                    }
                    node = next;
                }
            }
            return 0;
        }

        /**
         * Adds an entry for a key that is not in the list yet; readers see it once this returns.
         *
         * @throws IndexOutOfBoundsException if the memory is full
         */
        void insert(OffHeapMemory key, int keyLength, OffHeapMemory value, int valueLength) {
            int height = drawHeight();
            int node = allocate(height, KEY_OFFSET + keyLength + 4 + valueLength);
            memory.putInt(node + KEY_LENGTH_OFFSET, keyLength);
            key.copyTo(0, memory, node + KEY_OFFSET, keyLength);
            memory.putInt(node + KEY_OFFSET + keyLength, valueLength);
            value.copyTo(0, memory, node + KEY_OFFSET + keyLength + 4, valueLength);
            findNeighbours(key, keyLength);
            for (int level = 0; level < height; level++) {
                memory.putInt(node - 4 * level, following[level]);
                // Publishes the node at this level: pairs with the acquire in next().
                while (!memory.compareAndSetInt(
                        previous[level] - 4 * level, following[level], node)) {
                    advance(level, previous[level], 0, key, keyLength);
                    memory.putInt(node - 4 * level, following[level]);
                }
            }
        }

        private void findNeighbours(OffHeapMemory key, int keyLength) {
            int node = HEAD;
            int last = 0;
            for (int level = HEIGHT_MAX - 1; level >= 0; level--) {
                advance(level, node, last, key, keyLength);
                node = previous[level];
                last = following[level];
            }
        }

        /** Sets the neighbours at a level, going right from a node left of the key. */
        private void advance(int level, int from, int last, OffHeapMemory key, int keyLength) {
            int node = from;
            int next = next(node, level);
            while (next != 0 && next != last && compareKey(next, key, 0, keyLength) < 0) {
                node = next;
                next = next(node, level);
            }
            previous[level] = node;
            following[level] = next;
        }

        private int drawHeight() {
            int twoBits = random.nextInt();
            int height = 1;
            while (height < HEIGHT_MAX && (twoBits & 3) == 0) {
                height++;
                twoBits >>>= 2;
            }
            return height;
        }

        private int allocate(int height, int bytes) {
            int links = (4 * (height - 1) + 7) & -8;
            int start = top.getAndAdd(links + ((bytes + 7) & -8));
            return start + links;
        }
    }
}
