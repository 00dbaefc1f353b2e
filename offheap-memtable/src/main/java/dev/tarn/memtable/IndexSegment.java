package dev.tarn.memtable;

/**
 * The word that describes one segment of the index: where it is, how long, and which keys it holds.
 *
 * <pre>
 * bits   field   notes
 * 0-31   unit    of the segment's header line; 0 means no segment
 * 32-47  lines   lines of slots behind the header line
 * 48-55  depth   the segment holds the keys whose tags share so many upper bits
 * 63     frozen  the directory that holds this word is being replaced (multi mode)
 * </pre>
 *
 * <p>A directory entry only ever goes from a segment to a later one with more lines or more depth,
 * so equal words mean that nothing was replaced in between.
 */
final class IndexSegment {
    static final long FROZEN = 1L << 63;

    private static final int LINES_SHIFT = 32;
    private static final int DEPTH_SHIFT = 48;

    private IndexSegment() {}

    static long word(int unit, int lines, int depth) {
        return (long) depth << DEPTH_SHIFT | (long) lines << LINES_SHIFT | (unit & 0xffffffffL);
    }

    static int unit(long word) {
        return (int) word;
    }

    static int lines(long word) {
        return (int) (word >>> LINES_SHIFT) & 0xffff;
    }

    static int depth(long word) {
        return (int) (word >>> DEPTH_SHIFT) & 0xff;
    }

    /** Returns the size in bytes, header line included. */
    static int sizeBytes(long word) {
        return (lines(word) + 1) * SlotIndex.LINE_BYTES;
    }
}
