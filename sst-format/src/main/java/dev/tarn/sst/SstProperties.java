package dev.tarn.sst;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.memory.BytesView;
import java.util.Arrays;

/**
 * What an SST file says of itself.
 *
 * <p>Owner: holds its own copies on the Java heap; immutable.
 *
 * <p>Units: counts are of entries unless they say otherwise, sizes are bytes.
 *
 * @param formatVersion see {@link SstFormatVersion}
 * @param entryCount of all kinds together
 * @param keyCount distinct user keys
 * @param putCount entries of kind {@link ValueKind#PUT}
 * @param deleteCount entries of kind {@link ValueKind#DELETE}
 * @param mergeCount entries of kind {@link ValueKind#MERGE}
 * @param rangeDeleteCount entries of kind {@link ValueKind#RANGE_DELETE}
 * @param sequenceMin the smallest sequence number; 0 if the file is empty
 * @param sequenceMax the largest sequence number; 0 if the file is empty
 * @param keyBytes of the user keys of all entries
 * @param valueBytes of the values of all entries
 * @param rawDataBytes of the data blocks before compression
 * @param storedDataBytes of the data blocks in the file, with their headers
 * @param blockCount of data blocks
 * @param filterBytes of the filter partitions in the file
 * @param indexBytes of the index partitions in the file
 * @param filterBitsPerKey as the writer was told; 0 without a filter
 * @param blockSizeBytes as the writer was told
 * @param smallestKey the first user key, a copy; empty if the file is
 * @param largestKey the last user key, a copy; empty if the file is
 * @param creator as the writer was told
 */
// The arrays are copied when they come in and when they go out.
@SuppressWarnings("ArrayRecordComponent")
public record SstProperties(
        int formatVersion,
        long entryCount,
        long keyCount,
        long putCount,
        long deleteCount,
        long mergeCount,
        long rangeDeleteCount,
        long sequenceMin,
        long sequenceMax,
        long keyBytes,
        long valueBytes,
        long rawDataBytes,
        long storedDataBytes,
        long blockCount,
        long filterBytes,
        long indexBytes,
        double filterBitsPerKey,
        int blockSizeBytes,
        byte[] smallestKey,
        byte[] largestKey,
        String creator) {

    public SstProperties {
        smallestKey = smallestKey.clone();
        largestKey = largestKey.clone();
    }

    @Override
    public byte[] smallestKey() {
        return smallestKey.clone();
    }

    @Override
    public byte[] largestKey() {
        return largestKey.clone();
    }

    /** Returns whether the file has no entries. */
    public boolean isEmpty() {
        return entryCount == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SstProperties that
                && toString().equals(that.toString())
                && Arrays.equals(smallestKey, that.smallestKey)
                && Arrays.equals(largestKey, that.largestKey);
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    /** Shows {@code name=value} pairs; keys are escaped and cut to 32 bytes. */
    @Override
    public String toString() {
        return "formatVersion="
                + formatVersion
                + " creator="
                + creator
                + " entryCount="
                + entryCount
                + " keyCount="
                + keyCount
                + " putCount="
                + putCount
                + " deleteCount="
                + deleteCount
                + " mergeCount="
                + mergeCount
                + " rangeDeleteCount="
                + rangeDeleteCount
                + " sequenceMin="
                + sequenceMin
                + " sequenceMax="
                + sequenceMax
                + " keyBytes="
                + keyBytes
                + " valueBytes="
                + valueBytes
                + " rawDataBytes="
                + rawDataBytes
                + " storedDataBytes="
                + storedDataBytes
                + " blockCount="
                + blockCount
                + " filterBytes="
                + filterBytes
                + " indexBytes="
                + indexBytes
                + " filterBitsPerKey="
                + filterBitsPerKey
                + " blockSizeBytes="
                + blockSizeBytes
                + " smallestKey="
                + BytesView.of(smallestKey)
                + " largestKey="
                + BytesView.of(largestKey);
    }

    /** Sums up the entries of a file while it is written; belongs to one thread. */
    static final class Counter {
        long entryCount;
        long keyCount;
        final long[] countByKind = new long[ValueKind.RANGE_DELETE + 1];
        long sequenceMin = SequenceNumbers.MAX;
        long sequenceMax;
        long keyBytes;
        long valueBytes;
        long rawDataBytes;
        long storedDataBytes;
        long filterBytes;
        long indexBytes;

        void count(long trailer, int keyLength, int valueLength, boolean isNewKey) {
            entryCount++;
            if (isNewKey) {
                keyCount++;
            }
            countByKind[ValueKind.kind(SequenceNumbers.kindByte(trailer))]++;
            long sequenceNumber = SequenceNumbers.sequenceNumber(trailer);
            sequenceMin = Math.min(sequenceMin, sequenceNumber);
            sequenceMax = Math.max(sequenceMax, sequenceNumber);
            keyBytes += keyLength;
            valueBytes += valueLength;
        }

        SstProperties toProperties(
                SstOptions options, long blockCount, byte[] smallestKey, byte[] largestKey) {
            return new SstProperties(
                    SstFormatVersion.CURRENT,
                    entryCount,
                    keyCount,
                    countByKind[ValueKind.PUT],
                    countByKind[ValueKind.DELETE],
                    countByKind[ValueKind.MERGE],
                    countByKind[ValueKind.RANGE_DELETE],
                    entryCount == 0 ? 0 : sequenceMin,
                    sequenceMax,
                    keyBytes,
                    valueBytes,
                    rawDataBytes,
                    storedDataBytes,
                    blockCount,
                    filterBytes,
                    indexBytes,
                    options.filterBitsPerKey(),
                    options.blockSizeBytes(),
                    smallestKey,
                    largestKey,
                    options.creator());
        }
    }
}
