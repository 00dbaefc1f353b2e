package dev.tarn.sst.block;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.memory.OffHeapMemory;
import org.jspecify.annotations.Nullable;

/**
 * Searches data blocks that lie in memory as {@link RawBlockLayout} says.
 *
 * <p>Owner: the caller holds the memory. Threads: stateless.
 *
 * <p>Errors: {@link #find} and {@link #lowerBound} may run on bytes that another thread is just
 * replacing: they never read outside the block, always end, and return {@link #MALFORMED} for
 * nonsense. The other methods expect a block that {@link #check} has accepted.
 */
public final class BlockReader {
    /** No entry matches. */
    public static final int ABSENT = -1;

    /** The bytes are not a data block. */
    public static final int MALFORMED = -2;

    private static final long LOW_BITS = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

    private BlockReader() {}

    /** Returns the number of entries, or {@link #MALFORMED} if the block cannot hold as many. */
    public static int entryCount(OffHeapMemory block, int base, int length) {
        if (length < RawBlockLayout.FINGERPRINTS_OFFSET + RawBlockLayout.ENTRY_OVERHEAD_MIN) {
            return MALFORMED;
        }
        int entryCount = block.getInt(base + RawBlockLayout.ENTRY_COUNT_OFFSET);
        if (entryCount <= 0 || entryCount > length / RawBlockLayout.ENTRY_OVERHEAD_MIN) {
            return MALFORMED;
        }
        int width = isWide(length) ? Integer.BYTES : Short.BYTES;
        int entriesStart = RawBlockLayout.offsetsOffset(entryCount) + width * (entryCount + 1);
        return entriesStart <= length ? entryCount : MALFORMED;
    }

    private static boolean isWide(int length) {
        return length > RawBlockLayout.NARROW_LENGTH_MAX;
    }

    /** Returns the offset of entry {@code index}, in [0, entryCount], from the block's start. */
    public static int entryOffset(
            OffHeapMemory block, int base, int length, int entryCount, int index) {
        int offsets = base + RawBlockLayout.offsetsOffset(entryCount);
        return isWide(length)
                ? block.getInt(offsets + Integer.BYTES * index)
                : block.getUnsignedShort(offsets + Short.BYTES * index);
    }

    /**
     * Returns the index of the newest entry for a user key whose sequence number is at most {@code
     * sequenceMax} and which is no range tombstone; {@link #ABSENT} or {@link #MALFORMED}.
     *
     * <p>The fingerprints are compared eight at a time; only entries whose fingerprint matches are
     * looked at.
     */
    public static int find(
            OffHeapMemory block,
            int base,
            int length,
            long hash,
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long sequenceMax) {
        int entryCount = entryCount(block, base, length);
        if (entryCount < 0) {
            return MALFORMED;
        }
        long pattern = RawBlockLayout.fingerprint(hash) * LOW_BITS;
        int word = base + RawBlockLayout.FINGERPRINTS_OFFSET;
        for (int first = 0; first < entryCount; first += Long.BYTES, word += Long.BYTES) {
            long difference = block.getLong(word) ^ pattern;
            // The lowest set bit marks a true match; higher ones may be false, and are only slower.
            long matches = (difference - LOW_BITS) & ~difference & HIGH_BITS;
            while (matches != 0) {
                int index = first + (Long.numberOfTrailingZeros(matches) >>> 3);
                matches &= matches - 1;
                if (index >= entryCount) {
                    break;
                }
                int start = entryOffset(block, base, length, entryCount, index);
                int end = entryOffset(block, base, length, entryCount, index + 1);
                if (!isEntry(block, base, length, start, end)) {
                    return MALFORMED;
                }
                int entry = base + start;
                if (keyLength(block, entry) == keyLength
                        && OffHeapMemory.equal(
                                block,
                                entry + RawBlockLayout.ENTRY_KEY_OFFSET,
                                key,
                                keyOffset,
                                keyLength)
                        && isVisible(trailer(block, entry), sequenceMax)) {
                    return index;
                }
            }
        }
        return ABSENT;
    }

    /**
     * Returns the index of the first entry whose fingerprint matches, {@link #ABSENT} or {@link
     * #MALFORMED}. May run on bytes that are being replaced.
     */
    public static int firstMatch(OffHeapMemory block, int base, int length, long hash) {
        int entryCount = entryCount(block, base, length);
        if (entryCount < 0) {
            return MALFORMED;
        }
        long pattern = RawBlockLayout.fingerprint(hash) * LOW_BITS;
        int word = base + RawBlockLayout.FINGERPRINTS_OFFSET;
        for (int first = 0; first < entryCount; first += Long.BYTES, word += Long.BYTES) {
            long difference = block.getLong(word) ^ pattern;
            long matches = (difference - LOW_BITS) & ~difference & HIGH_BITS;
            if (matches != 0) {
                int index = first + (Long.numberOfTrailingZeros(matches) >>> 3);
                return index < entryCount ? index : ABSENT;
            }
        }
        return ABSENT;
    }

    /** Returns whether the entry from {@code start} to {@code end} is visible and has this key. */
    public static boolean isMatch(
            OffHeapMemory block,
            int base,
            int length,
            int start,
            int end,
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long sequenceMax) {
        return isEntry(block, base, length, start, end)
                && keyLength(block, base + start) == keyLength
                && OffHeapMemory.equal(
                        block,
                        base + start + RawBlockLayout.ENTRY_KEY_OFFSET,
                        key,
                        keyOffset,
                        keyLength)
                && isVisible(trailer(block, base + start), sequenceMax);
    }

    private static boolean isVisible(long trailer, long sequenceMax) {
        return SequenceNumbers.sequenceNumber(trailer) <= sequenceMax
                && ValueKind.kind(SequenceNumbers.kindByte(trailer)) != ValueKind.RANGE_DELETE;
    }

    /**
     * Returns the index of the first entry at or behind (user key, {@code sequenceMax}) in
     * internal-key order, which is entryCount if there is none; or {@link #MALFORMED}.
     */
    public static int lowerBound(
            OffHeapMemory block,
            int base,
            int length,
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long sequenceMax) {
        int entryCount = entryCount(block, base, length);
        if (entryCount < 0) {
            return MALFORMED;
        }
        int low = 0;
        int high = entryCount;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int start = entryOffset(block, base, length, entryCount, middle);
            int end = entryOffset(block, base, length, entryCount, middle + 1);
            if (!isEntry(block, base, length, start, end)) {
                return MALFORMED;
            }
            int entry = base + start;
            int order =
                    OffHeapMemory.compare(
                            block,
                            entry + RawBlockLayout.ENTRY_KEY_OFFSET,
                            keyLength(block, entry),
                            key,
                            keyOffset,
                            keyLength);
            boolean before = order == 0 ? trailer(block, entry) >>> 8 > sequenceMax : order < 0;
            if (before) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns whether the range from {@code start} to {@code end} holds an entry in the block. */
    private static boolean isEntry(OffHeapMemory block, int base, int length, int start, int end) {
        return start >= 0
                && end <= length
                && end - start >= RawBlockLayout.ENTRY_KEY_OFFSET
                && end - start - RawBlockLayout.ENTRY_KEY_OFFSET >= keyLength(block, base + start);
    }

    /** Returns the trailer of the entry at this offset in the memory. */
    public static long trailer(OffHeapMemory block, int entry) {
        return block.getLong(entry + RawBlockLayout.ENTRY_TRAILER_OFFSET);
    }

    /** Returns the key length of the entry at this offset in the memory. */
    public static int keyLength(OffHeapMemory block, int entry) {
        return block.getUnsignedShort(entry + RawBlockLayout.ENTRY_KEY_LENGTH_OFFSET);
    }

    /**
     * Checks everything that reading the block relies on; the order of the keys is not part of it.
     *
     * @return null, or what is wrong
     */
    public static @Nullable String check(OffHeapMemory block, int base, int length) {
        int entryCount = entryCount(block, base, length);
        if (entryCount < 0) {
            return "entry count does not fit the block: rawLength=" + length;
        }
        int flags = block.getInt(base + RawBlockLayout.FLAGS_OFFSET);
        if (flags != (isWide(length) ? RawBlockLayout.FLAG_WIDE : 0)) {
            return "block flags are wrong: flags=" + flags + " rawLength=" + length;
        }
        int width = isWide(length) ? Integer.BYTES : Short.BYTES;
        int start = entryOffset(block, base, length, entryCount, 0);
        int expected = RawBlockLayout.offsetsOffset(entryCount) + width * (entryCount + 1);
        if (start != expected) {
            return "first entry is misplaced: expectedOffset=" + expected + " offset=" + start;
        }
        for (int i = 1; i <= entryCount; i++) {
            int end = entryOffset(block, base, length, entryCount, i);
            if (!isEntry(block, base, length, start, end)
                    || !ValueKind.isValid(SequenceNumbers.kindByte(trailer(block, base + start)))) {
                return "entry is malformed: index=" + (i - 1) + " start=" + start + " end=" + end;
            }
            start = end;
        }
        return start == length
                ? null
                : "entries do not fill the block: end=" + start + " rawLength=" + length;
    }
}
