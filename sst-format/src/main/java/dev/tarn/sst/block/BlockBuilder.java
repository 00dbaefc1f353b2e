package dev.tarn.sst.block;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import java.util.Arrays;

/**
 * Collects the entries of one data block and lays them out as {@link RawBlockLayout} says; reused
 * from block to block.
 *
 * <p>Owner: keeps its own copy of the entries. Threads: belongs to one thread.
 *
 * <p>Errors: order and lengths are the caller's to check.
 */
public final class BlockBuilder implements AutoCloseable {
    /** What stays allocated between blocks; larger memory is given back. */
    private static final int KEPT_CAPACITY_MAX = 1 << 20;

    private final ScratchBuffer entries;
    private byte[] fingerprints = new byte[64];
    private int[] ends = new int[64];
    private int entryCount;
    private int entryBytes;

    public BlockBuilder(MemoryAccountant accountant, int blockSizeBytes) {
        this.entries = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 2 * blockSizeBytes);
    }

    public int entryCount() {
        return entryCount;
    }

    /** Returns the length of the block if it ended here. */
    public long rawLength() {
        return RawBlockLayout.rawLength(entryCount, entryBytes);
    }

    /** Returns the length of the block if an entry with these lengths were its last. */
    public long rawLengthWith(int keyLength, int valueLength) {
        return RawBlockLayout.rawLength(
                entryCount + 1,
                (long) entryBytes + RawBlockLayout.ENTRY_KEY_OFFSET + keyLength + valueLength);
    }

    /** Appends an entry. */
    public void add(
            long hash,
            OffHeapMemory key,
            int keyOffset,
            int keyLength,
            long trailer,
            OffHeapMemory value,
            int valueOffset,
            int valueLength) {
        int start = entryBytes;
        int end = start + RawBlockLayout.ENTRY_KEY_OFFSET + keyLength + valueLength;
        OffHeapMemory target = entries.grow(end, start);
        target.putLong(start + RawBlockLayout.ENTRY_TRAILER_OFFSET, trailer);
        target.putShort(start + RawBlockLayout.ENTRY_KEY_LENGTH_OFFSET, (short) keyLength);
        int keyStart = start + RawBlockLayout.ENTRY_KEY_OFFSET;
        key.copyTo(keyOffset, target, keyStart, keyLength);
        value.copyTo(valueOffset, target, keyStart + keyLength, valueLength);
        if (entryCount == ends.length) {
            fingerprints = Arrays.copyOf(fingerprints, 2 * entryCount);
            ends = Arrays.copyOf(ends, 2 * entryCount);
        }
        fingerprints[entryCount] = (byte) RawBlockLayout.fingerprint(hash);
        ends[entryCount] = end;
        entryCount++;
        entryBytes = end;
    }

    /**
     * Writes the block to the start of {@code target}, forgets its entries and returns its length.
     */
    public int finish(ScratchBuffer target) {
        int rawLength = Math.toIntExact(rawLength());
        boolean wide = rawLength > RawBlockLayout.NARROW_LENGTH_MAX;
        OffHeapMemory block = target.ensure(rawLength);
        block.putInt(RawBlockLayout.ENTRY_COUNT_OFFSET, entryCount);
        block.putInt(RawBlockLayout.FLAGS_OFFSET, wide ? RawBlockLayout.FLAG_WIDE : 0);
        int offsets = RawBlockLayout.offsetsOffset(entryCount);
        // The last word first: what the fingerprints do not overwrite is padding.
        block.putLong(offsets - Long.BYTES, 0);
        block.putBytes(RawBlockLayout.FINGERPRINTS_OFFSET, fingerprints, 0, entryCount);
        int width = wide ? Integer.BYTES : Short.BYTES;
        int start = offsets + width * (entryCount + 1);
        putOffset(block, offsets, wide, start);
        for (int i = 0; i < entryCount; i++) {
            putOffset(block, offsets + width * (i + 1), wide, start + ends[i]);
        }
        entries.memory().copyTo(0, block, start, entryBytes);
        reset();
        return rawLength;
    }

    private static void putOffset(OffHeapMemory block, int at, boolean wide, int offset) {
        if (wide) {
            block.putInt(at, offset);
        } else {
            block.putShort(at, (short) offset);
        }
    }

    private void reset() {
        entryCount = 0;
        entryBytes = 0;
        entries.shrink(KEPT_CAPACITY_MAX);
    }

    @Override
    public void close() {
        entries.close();
    }
}
