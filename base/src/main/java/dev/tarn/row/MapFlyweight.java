package dev.tarn.row;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.memory.BytesView;
import dev.tarn.type.MapType;

/**
 * Reads maps: two arrays of one count, the length of the first before them. The pairs stand in the
 * order in which they were written; nothing looks for keys that occur twice.
 *
 * <p>Owner, lifetime, threads and errors as in {@link SlotReader}.
 */
public final class MapFlyweight {
    private final ArrayFlyweight keys;
    private final ArrayFlyweight values;
    private final BytesView bytes = new BytesView();

    /** Creates a flyweight for maps of a type; it has no pairs until it is wrapped. */
    public MapFlyweight(MapType type) {
        keys = new ArrayFlyweight(type.key());
        values = new ArrayFlyweight(type.value());
    }

    BytesView bytes() {
        return bytes;
    }

    void wrapBytes() {
        int length = bytes.length();
        int keysLength = length < Integer.BYTES ? -1 : bytes.memory().getInt(bytes.offset());
        if (keysLength < 0 || keysLength > length - Integer.BYTES) {
            throw new CorruptDataException(
                    "map is shorter than its keys: keysLength=" + keysLength + " length=" + length);
        }
        int keysOffset = bytes.offset() + Integer.BYTES;
        keys.bytes().wrap(bytes.memory(), keysOffset, keysLength);
        keys.wrapBytes();
        values.bytes()
                .wrap(bytes.memory(), keysOffset + keysLength, length - Integer.BYTES - keysLength);
        values.wrapBytes();
        if (keys.count() != values.count()) {
            throw new CorruptDataException(
                    "map has keys and values of different counts: keyCount="
                            + keys.count()
                            + " valueCount="
                            + values.count());
        }
    }

    /** Returns the number of pairs. */
    public int count() {
        return keys.count();
    }

    /** Returns the keys; valid until this flyweight is positioned again. */
    public ArrayFlyweight keys() {
        return keys;
    }

    /** Returns the values, in the order of the keys. */
    public ArrayFlyweight values() {
        return values;
    }
}
