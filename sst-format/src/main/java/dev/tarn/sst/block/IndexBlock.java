package dev.tarn.sst.block;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import org.jspecify.annotations.Nullable;

/**
 * A flyweight over an index partition, or a whole file's flat index, that lies in memory as {@link
 * IndexBlockLayout} says.
 *
 * <p>Owner: whoever holds the memory. Lifetime: of that memory.
 *
 * <p>Threads: searching changes nothing; {@link #wrap} belongs to whoever publishes the flyweight.
 * Hints are written and read without order, since whoever uses one verifies it.
 *
 * <p>Errors: expects bytes that {@link #check} has accepted.
 */
public final class IndexBlock {
    /**
     * So many prefixes around the model's guess are compared all at once: their loads overlap, and
     * no branch depends on them. Mostly the answer is among them.
     */
    private static final int COUNTED_LENGTH = 8;

    /** A model that is as good as this is followed by a few steps from its lowest guess. */
    private static final int STEPPED_ERROR_MAX = 2;

    /** Up to here, the model finds the next block sooner than a finger does. */
    private static final int MODEL_ERROR_OF_FINGER = 16;

    private OffHeapMemory memory = OffHeapMemory.wrap(new byte[0]);
    private int base;
    private int records;
    private int extents;
    private int separators;
    private int blockCount;
    private int firstBlock;
    private int commonLength;
    private long baseOffset;
    private long endOffset;

    /** A linear model of the prefixes: first one, blocks per unit of prefix, largest error. */
    private long firstPrefix;

    private double blocksPerPrefix;
    private int modelError;

    /** Points the flyweight at a partition and returns it. */
    public IndexBlock wrap(OffHeapMemory block, int base) {
        memory = block;
        this.base = base;
        blockCount = block.getInt(base + IndexBlockLayout.BLOCK_COUNT_OFFSET);
        firstBlock = block.getInt(base + IndexBlockLayout.FIRST_BLOCK_OFFSET);
        baseOffset = block.getLong(base + IndexBlockLayout.BASE_OFFSET_OFFSET);
        endOffset = block.getLong(base + IndexBlockLayout.END_OFFSET_OFFSET);
        commonLength = block.getInt(base + IndexBlockLayout.COMMON_PREFIX_LENGTH_OFFSET);
        records = base + IndexBlockLayout.RECORDS_OFFSET;
        extents = records + IndexBlockLayout.RECORD_SIZE * blockCount;
        separators = extents + IndexBlockLayout.EXTENT_SIZE * blockCount;
        modelError = blockCount;
        return this;
    }

    /**
     * Fits a line to the prefixes, which guides every search from now on; worth it for a partition
     * that is searched more often than it has blocks. Returns this.
     */
    public IndexBlock fitModel() {
        firstPrefix = prefix(0);
        double span = unsignedToDouble(prefix(blockCount - 1) - firstPrefix);
        if (span == 0) {
            return this;
        }
        blocksPerPrefix = (blockCount - 1) / span;
        int error = 0;
        for (int i = 0; i < blockCount; i++) {
            // The answer for a key may be this block, or the next if only the key is larger.
            int guess = guess(prefix(i));
            error = Math.max(error, Math.max(i - guess + 1, guess - i));
        }
        modelError = error;
        return this;
    }

    private int guess(long prefix) {
        return (int) (unsignedToDouble(prefix - firstPrefix) * blocksPerPrefix);
    }

    /** Exact enough: the error is measured with the same function. */
    private static double unsignedToDouble(long value) {
        return (double) (value >>> 1) * 2;
    }

    public int blockCount() {
        return blockCount;
    }

    /** The number, in the file, of the first block. */
    public int firstBlock() {
        return firstBlock;
    }

    /**
     * Returns the index of the first block whose separator is not below the key; blockCount if all
     * are.
     */
    public int find(OffHeapMemory key, int keyOffset, int keyLength) {
        int common = commonLength;
        if (common > 0) {
            int order =
                    OffHeapMemory.compare(
                            key,
                            keyOffset,
                            Math.min(keyLength, common),
                            memory,
                            separators,
                            common);
            if (order != 0) {
                return order < 0 ? 0 : blockCount;
            }
        }
        long prefix = KeyPrefix.at(key, keyOffset, keyLength, common);
        int low = lowerBound(prefix);
        return low == blockCount || prefix(low) != prefix
                ? low
                : findAmongEqual(prefix, low, key, keyOffset, keyLength);
    }

    /** As {@link #find}, for a key that is not below the one that gave {@code finger}. */
    public int findFrom(int finger, OffHeapMemory key, int keyOffset, int keyLength) {
        if (finger >= blockCount
                || (commonLength > 0 && !sharesCommon(key, keyOffset, keyLength))) {
            return find(key, keyOffset, keyLength);
        }
        long prefix = KeyPrefix.at(key, keyOffset, keyLength, commonLength);
        if (Long.compareUnsigned(prefix, prefix(finger)) < 0) {
            // Dense keys: many in a row are in one block.
            return finger;
        }
        int low = modelError <= MODEL_ERROR_OF_FINGER ? lowerBound(prefix) : gallop(finger, prefix);
        return low == blockCount || prefix(low) != prefix
                ? low
                : findAmongEqual(prefix, low, key, keyOffset, keyLength);
    }

    /** The first index at or behind the finger whose prefix is not below this one. */
    private int gallop(int finger, long prefix) {
        int low = finger;
        int high = finger;
        int step = 1;
        while (high < blockCount && Long.compareUnsigned(prefix(high), prefix) < 0) {
            low = high + 1;
            high += step;
            step <<= 1;
        }
        return lowerBound(prefix, low, Math.min(high, blockCount));
    }

    private boolean sharesCommon(OffHeapMemory key, int keyOffset, int keyLength) {
        return keyLength >= commonLength
                && OffHeapMemory.equal(key, keyOffset, memory, separators, commonLength);
    }

    /** The first index whose prefix is not below this one; blockCount if all are. */
    private int lowerBound(long prefix) {
        int error = modelError;
        if (error >= blockCount || blockCount < COUNTED_LENGTH) {
            return lowerBound(prefix, 0, blockCount);
        }
        if (Long.compareUnsigned(prefix, firstPrefix) <= 0) {
            return 0;
        }
        int guess = Math.min(guess(prefix), blockCount);
        if (error <= STEPPED_ERROR_MAX) {
            int at = Math.max(0, guess - error);
            while (at < blockCount && Long.compareUnsigned(prefix(at), prefix) < 0) {
                at++;
            }
            return at;
        }
        int start = windowStart(guess);
        int end = start + COUNTED_LENGTH;
        int below = countBelow(prefix, start);
        if (below == 0 && start > 0) {
            return lowerBound(prefix, Math.max(0, Math.min(start, guess - error)), start);
        }
        if (below == COUNTED_LENGTH && end < blockCount) {
            return lowerBound(prefix, end, Math.max(end, Math.min(blockCount, guess + error)));
        }
        return start + below;
    }

    private int windowStart(int guess) {
        return Math.max(0, Math.min(guess - COUNTED_LENGTH / 2, blockCount - COUNTED_LENGTH));
    }

    /** How many of the prefixes from {@code start} on are below this one. */
    private int countBelow(long prefix, int start) {
        int below = 0;
        for (int i = 0; i < COUNTED_LENGTH; i++) {
            below += below(prefix(start + i), prefix);
        }
        return below;
    }

    /**
     * Loads the record where the model expects the key, so that it is on its way to this core;
     * returns something that depends on it.
     */
    public long touch(OffHeapMemory key, int keyOffset, int keyLength) {
        int guess = guess(KeyPrefix.at(key, keyOffset, keyLength, commonLength));
        return prefix(Math.max(0, Math.min(guess, blockCount - 1)));
    }

    /** The first index in [low, high) whose prefix is not below this one; high if all are. */
    private int lowerBound(long prefix, int low, int high) {
        int length = high - low;
        if (length == 0) {
            return low;
        }
        while (length > 1) {
            int half = length >>> 1;
            low += half & -below(prefix(low + half - 1), prefix);
            length -= half;
        }
        return low + below(prefix(low), prefix);
    }

    /** Returns 1 if a is below b, unsigned, else 0; arithmetic, so that nothing is predicted. */
    private static int below(long a, long b) {
        return (int) (((~a & b) | ((~a | b) & (a - b))) >>> 63);
    }

    private int findAmongEqual(
            long prefix, int low, OffHeapMemory key, int keyOffset, int keyLength) {
        int step = 1;
        int high = low + 1;
        while (high < blockCount && prefix(high) == prefix) {
            high = Math.min(high + step, blockCount);
            step <<= 1;
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compareSeparator(middle, key, keyOffset, keyLength) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Compares a separator's suffix with what the key has behind the common prefix. */
    private int compareSeparator(int index, OffHeapMemory key, int keyOffset, int keyLength) {
        int start = suffixStart(index);
        return OffHeapMemory.compare(
                memory,
                separators + start,
                suffixEnd(index) - start,
                key,
                keyOffset + commonLength,
                keyLength - commonLength);
    }

    /** Returns whether a block's separator is this key. */
    public boolean separatorEquals(int index, OffHeapMemory key, int keyOffset, int keyLength) {
        int start = suffixStart(index);
        return commonLength + suffixEnd(index) - start == keyLength
                && OffHeapMemory.equal(memory, separators, key, keyOffset, commonLength)
                && OffHeapMemory.equal(
                        memory,
                        separators + start,
                        key,
                        keyOffset + commonLength,
                        keyLength - commonLength);
    }

    private long prefix(int index) {
        return memory.getLong(records + IndexBlockLayout.RECORD_SIZE * index);
    }

    private int suffixStart(int index) {
        return index == 0 ? commonLength : suffixEnd(index - 1);
    }

    private int suffixEnd(int index) {
        return memory.getInt(
                extents
                        + IndexBlockLayout.EXTENT_SIZE * index
                        + IndexBlockLayout.EXTENT_SEPARATOR_END_OFFSET);
    }

    /** Where the last block ends in the file. */
    public long endOffset() {
        return endOffset;
    }

    /** Returns the length of the partition in memory. */
    public int length() {
        return (int)
                IndexBlockLayout.length(
                        blockCount,
                        memory.getInt(base + IndexBlockLayout.SEPARATORS_LENGTH_OFFSET));
    }

    /** Copies the partition; hints may be copied while they are written. */
    public void copyTo(OffHeapMemory target, int targetOffset) {
        memory.copyTo(base, target, targetOffset, length());
    }

    /** Returns the length of a block when decompressed. */
    public int rawLength(int index) {
        return memory.getInt(extents + IndexBlockLayout.EXTENT_SIZE * index);
    }

    /** Returns where a block starts in the file. */
    public long offset(int index) {
        return baseOffset + relativeOffset(index);
    }

    private long relativeOffset(int index) {
        return memory.getInt(
                        records
                                + IndexBlockLayout.RECORD_SIZE * index
                                + IndexBlockLayout.RECORD_OFFSET_OFFSET)
                & 0xffffffffL;
    }

    /** Returns how many bytes a block takes in the file. */
    public int storedLength(int index) {
        long end = index + 1 < blockCount ? offset(index + 1) : endOffset;
        return (int) (end - offset(index));
    }

    /** Returns the frame that the block was last seen in, plus 1; 0 if it was not seen. */
    public int hint(int index) {
        return memory.getInt(
                records
                        + IndexBlockLayout.RECORD_SIZE * index
                        + IndexBlockLayout.RECORD_HINT_OFFSET);
    }

    /** Remembers the frame that the block was seen in, plus 1. */
    public void putHint(int index, int hint) {
        memory.putInt(
                records
                        + IndexBlockLayout.RECORD_SIZE * index
                        + IndexBlockLayout.RECORD_HINT_OFFSET,
                hint);
    }

    /** Copies a block's separator to {@code target} and returns its length. */
    public int copySeparator(int index, ScratchBuffer target) {
        int start = suffixStart(index);
        int suffixLength = suffixEnd(index) - start;
        OffHeapMemory key = target.ensure(commonLength + suffixLength);
        memory.copyTo(separators, key, 0, commonLength);
        memory.copyTo(separators + start, key, commonLength, suffixLength);
        return commonLength + suffixLength;
    }

    /** Points at the bytes that all separators start with. */
    public void commonPrefix(BytesView target) {
        target.wrap(memory, separators, commonLength);
    }

    /** Points at what a separator has behind the common prefix. */
    public void suffix(int index, BytesView target) {
        int start = suffixStart(index);
        target.wrap(memory, separators + start, suffixEnd(index) - start);
    }

    /**
     * Checks everything that using the partition relies on.
     *
     * @return null, or what is wrong
     */
    public static @Nullable String check(OffHeapMemory block, int base, int length) {
        if (length < IndexBlockLayout.RECORDS_OFFSET) {
            return "index partition is too short: rawLength=" + length;
        }
        int blockCount = block.getInt(base + IndexBlockLayout.BLOCK_COUNT_OFFSET);
        int common = block.getInt(base + IndexBlockLayout.COMMON_PREFIX_LENGTH_OFFSET);
        int kept = block.getInt(base + IndexBlockLayout.SEPARATORS_LENGTH_OFFSET);
        if (blockCount < 1
                || common < 0
                || common > kept
                || IndexBlockLayout.length(blockCount, kept) != length) {
            return "index partition's counts do not fit: blockCount="
                    + blockCount
                    + " commonPrefixLength="
                    + common
                    + " separatorsLength="
                    + kept
                    + " rawLength="
                    + length;
        }
        IndexBlock index = new IndexBlock().wrap(block, base);
        if (index.firstBlock < 0 || index.baseOffset < 0 || index.endOffset < index.baseOffset) {
            return "index partition's range is malformed: firstBlock="
                    + index.firstBlock
                    + " baseOffset="
                    + index.baseOffset
                    + " endOffset="
                    + index.endOffset;
        }
        return index.checkRecords(kept);
    }

    private @Nullable String checkRecords(int separatorsLength) {
        int suffixStart = commonLength;
        for (int i = 0; i < blockCount; i++) {
            int suffixEnd = suffixEnd(i);
            long end = i + 1 < blockCount ? relativeOffset(i + 1) : endOffset - baseOffset;
            long storedLength = end - relativeOffset(i);
            if ((i == 0 && relativeOffset(0) != 0)
                    || storedLength <= BlockHeaderLayout.SIZE
                    || storedLength > Integer.MAX_VALUE
                    || rawLength(i) <= 0
                    || rawLength(i)
                            > BlockHeaderLayout.rawLengthMax(
                                    (int) storedLength - BlockHeaderLayout.SIZE)
                    || hint(i) != 0) {
                return "index record is malformed: index="
                        + i
                        + " storedLength="
                        + storedLength
                        + " rawLength="
                        + rawLength(i);
            }
            if (suffixEnd < suffixStart
                    || suffixEnd > separatorsLength
                    || suffixEnd - suffixStart + commonLength > RawBlockLayout.KEY_LENGTH_MAX) {
                return "index separator is malformed: index=" + i + " end=" + suffixEnd;
            }
            int suffix = separators + suffixStart;
            if (prefix(i) != KeyPrefix.at(memory, suffix, suffixEnd - suffixStart, 0)
                    || (i > 0 && compareSuffixes(i - 1, i) > 0)) {
                return "index separators are out of order: index=" + i;
            }
            suffixStart = suffixEnd;
        }
        return suffixStart == separatorsLength
                ? null
                : "index separators do not fill the partition: end=" + suffixStart;
    }

    private int compareSuffixes(int left, int right) {
        int leftStart = suffixStart(left);
        int rightStart = suffixStart(right);
        return OffHeapMemory.compare(
                memory,
                separators + leftStart,
                suffixEnd(left) - leftStart,
                memory,
                separators + rightStart,
                suffixEnd(right) - rightStart);
    }
}
