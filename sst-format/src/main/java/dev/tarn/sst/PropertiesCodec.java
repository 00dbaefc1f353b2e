package dev.tarn.sst;

import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.PropertiesLayout;
import dev.tarn.sst.block.RawBlockLayout;
import dev.tarn.sst.block.ScratchBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes and reads {@link SstProperties} as {@link PropertiesLayout} says. */
final class PropertiesCodec {
    private PropertiesCodec() {}

    /** Writes the properties at an offset of the target and returns their length. */
    static int write(SstProperties properties, ScratchBuffer target, int at) {
        byte[] creator = properties.creator().getBytes(StandardCharsets.UTF_8);
        byte[] smallest = properties.smallestKey();
        byte[] largest = properties.largestKey();
        int length =
                PropertiesLayout.TEXTS_OFFSET + creator.length + smallest.length + largest.length;
        OffHeapMemory memory = target.ensure((long) at + length);
        memory.putLong(at + PropertiesLayout.ENTRY_COUNT_OFFSET, properties.entryCount());
        memory.putLong(at + PropertiesLayout.KEY_COUNT_OFFSET, properties.keyCount());
        memory.putLong(at + PropertiesLayout.PUT_COUNT_OFFSET, properties.putCount());
        memory.putLong(at + PropertiesLayout.DELETE_COUNT_OFFSET, properties.deleteCount());
        memory.putLong(at + PropertiesLayout.MERGE_COUNT_OFFSET, properties.mergeCount());
        memory.putLong(
                at + PropertiesLayout.RANGE_DELETE_COUNT_OFFSET, properties.rangeDeleteCount());
        memory.putLong(at + PropertiesLayout.SEQUENCE_MIN_OFFSET, properties.sequenceMin());
        memory.putLong(at + PropertiesLayout.SEQUENCE_MAX_OFFSET, properties.sequenceMax());
        memory.putLong(at + PropertiesLayout.KEY_BYTES_OFFSET, properties.keyBytes());
        memory.putLong(at + PropertiesLayout.VALUE_BYTES_OFFSET, properties.valueBytes());
        memory.putLong(at + PropertiesLayout.RAW_DATA_BYTES_OFFSET, properties.rawDataBytes());
        memory.putLong(
                at + PropertiesLayout.STORED_DATA_BYTES_OFFSET, properties.storedDataBytes());
        memory.putLong(at + PropertiesLayout.BLOCK_COUNT_OFFSET, properties.blockCount());
        memory.putLong(at + PropertiesLayout.FILTER_BYTES_OFFSET, properties.filterBytes());
        memory.putLong(at + PropertiesLayout.INDEX_BYTES_OFFSET, properties.indexBytes());
        memory.putLong(
                at + PropertiesLayout.FILTER_BITS_PER_KEY_OFFSET,
                Double.doubleToLongBits(properties.filterBitsPerKey()));
        memory.putInt(at + PropertiesLayout.BLOCK_SIZE_BYTES_OFFSET, properties.blockSizeBytes());
        memory.putInt(at + PropertiesLayout.CREATOR_LENGTH_OFFSET, creator.length);
        memory.putInt(at + PropertiesLayout.SMALLEST_KEY_LENGTH_OFFSET, smallest.length);
        memory.putInt(at + PropertiesLayout.LARGEST_KEY_LENGTH_OFFSET, largest.length);
        int text = at + PropertiesLayout.TEXTS_OFFSET;
        memory.putBytes(text, creator, 0, creator.length);
        memory.putBytes(text + creator.length, smallest, 0, smallest.length);
        memory.putBytes(text + creator.length + smallest.length, largest, 0, largest.length);
        return length;
    }

    /** Reads properties from memory; null if the lengths do not fit. */
    static @Nullable SstProperties read(
            int formatVersion, OffHeapMemory memory, int at, int length) {
        if (length < PropertiesLayout.TEXTS_OFFSET) {
            return null;
        }
        int creatorLength = memory.getInt(at + PropertiesLayout.CREATOR_LENGTH_OFFSET);
        int smallestLength = memory.getInt(at + PropertiesLayout.SMALLEST_KEY_LENGTH_OFFSET);
        int largestLength = memory.getInt(at + PropertiesLayout.LARGEST_KEY_LENGTH_OFFSET);
        if (creatorLength < 0
                || smallestLength < 0
                || smallestLength > RawBlockLayout.KEY_LENGTH_MAX
                || largestLength < 0
                || largestLength > RawBlockLayout.KEY_LENGTH_MAX
                || length - PropertiesLayout.TEXTS_OFFSET
                        != (long) creatorLength + smallestLength + largestLength) {
            return null;
        }
        int text = at + PropertiesLayout.TEXTS_OFFSET;
        byte[] creator = bytes(memory, text, creatorLength);
        byte[] smallest = bytes(memory, text + creatorLength, smallestLength);
        byte[] largest = bytes(memory, text + creatorLength + smallestLength, largestLength);
        return new SstProperties(
                formatVersion,
                memory.getLong(at + PropertiesLayout.ENTRY_COUNT_OFFSET),
                memory.getLong(at + PropertiesLayout.KEY_COUNT_OFFSET),
                memory.getLong(at + PropertiesLayout.PUT_COUNT_OFFSET),
                memory.getLong(at + PropertiesLayout.DELETE_COUNT_OFFSET),
                memory.getLong(at + PropertiesLayout.MERGE_COUNT_OFFSET),
                memory.getLong(at + PropertiesLayout.RANGE_DELETE_COUNT_OFFSET),
                memory.getLong(at + PropertiesLayout.SEQUENCE_MIN_OFFSET),
                memory.getLong(at + PropertiesLayout.SEQUENCE_MAX_OFFSET),
                memory.getLong(at + PropertiesLayout.KEY_BYTES_OFFSET),
                memory.getLong(at + PropertiesLayout.VALUE_BYTES_OFFSET),
                memory.getLong(at + PropertiesLayout.RAW_DATA_BYTES_OFFSET),
                memory.getLong(at + PropertiesLayout.STORED_DATA_BYTES_OFFSET),
                memory.getLong(at + PropertiesLayout.BLOCK_COUNT_OFFSET),
                memory.getLong(at + PropertiesLayout.FILTER_BYTES_OFFSET),
                memory.getLong(at + PropertiesLayout.INDEX_BYTES_OFFSET),
                Double.longBitsToDouble(
                        memory.getLong(at + PropertiesLayout.FILTER_BITS_PER_KEY_OFFSET)),
                memory.getInt(at + PropertiesLayout.BLOCK_SIZE_BYTES_OFFSET),
                smallest,
                largest,
                new String(creator, StandardCharsets.UTF_8));
    }

    private static byte[] bytes(OffHeapMemory memory, int offset, int length) {
        byte[] bytes = new byte[length];
        memory.getBytes(offset, bytes, 0, length);
        return bytes;
    }
}
