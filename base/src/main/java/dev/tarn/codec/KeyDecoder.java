package dev.tarn.codec;

import dev.tarn.codec.KeyPart.Encoding;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.type.DataType;
import dev.tarn.type.Decimals;
import dev.tarn.type.ScalarType;
import dev.tarn.type.TemporalPrecision;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parts of a key that {@link KeyEncoder} wrote.
 *
 * <p>Owner: the key's bytes stay their owner's; the decoder points at them from {@link #wrap} to
 * the next.
 *
 * <p>Threads: an instance belongs to one thread and is reused; reading primitives and views
 * allocates nothing, except for the first string with escaped bytes.
 *
 * <p>Errors: bytes that no encoder of these types writes are a {@link CorruptDataException}, from
 * {@link #wrap} if parts have no end, else from the getter. A getter that does not suit the part's
 * type is an {@link IllegalArgumentException}. A NULL reads as zero or empty.
 */
public final class KeyDecoder {
    private final KeyPart[] parts;

    /** Where the value of a part begins, behind its marker; -1 for NULL. */
    private final int[] offsets;

    /** The bytes that a value takes, escaped if it is. */
    private final int[] lengths;

    private final int[] escapeCounts;

    private OffHeapMemory memory = OffHeapMemory.wrap(new byte[0]);
    private int start;
    private int end;

    /** Unescaped strings, each at the offset it has in the key, so that they never overlap. */
    private @Nullable OffHeapMemory unescaped;

    /** Creates a decoder for keys of these parts. */
    public KeyDecoder(List<? extends DataType> types) {
        parts = KeyPart.all(types);
        offsets = new int[parts.length];
        lengths = new int[parts.length];
        escapeCounts = new int[parts.length];
    }

    /** Points at a key and finds its parts. */
    public KeyDecoder wrap(BytesView key) {
        return wrap(key.memory(), key.offset(), key.length());
    }

    /** Points at a key and finds its parts; retains {@code memory}. */
    public KeyDecoder wrap(OffHeapMemory memory, int offset, int length) {
        this.memory = memory;
        this.start = offset;
        this.end = offset + length;
        if (length > KeyEncoder.KEY_LENGTH_MAX) {
            throw corrupt("is too long", 0);
        }
        int at = offset;
        for (int i = 0; i < parts.length; i++) {
            at = locate(i, at);
        }
        if (at != end) {
            throw corrupt("has bytes behind its last part: extraBytes=" + (end - at), parts.length);
        }
        return this;
    }

    private int locate(int part, int at) {
        escapeCounts[part] = 0;
        lengths[part] = 0;
        if (parts[part].type().nullable()) {
            byte marker = at < end ? memory.getByte(at) : -1;
            at++;
            if (marker == KeyPart.NULL_MARKER) {
                offsets[part] = -1;
                return at;
            }
            if (marker != KeyPart.VALUE_MARKER) {
                throw corrupt("has no valid NULL marker", part);
            }
        }
        offsets[part] = at;
        int length = parts[part].encoding().length;
        if (length != 0) {
            if (end - at < length) {
                throw corrupt("is cut off", part);
            }
        } else if (part == parts.length - 1) {
            length = end - at;
        } else {
            length = lengthToTerminator(part, at);
            lengths[part] = length;
            return at + length + 1;
        }
        lengths[part] = length;
        return at + length;
    }

    private int lengthToTerminator(int part, int at) {
        int i = at;
        while (i < end) {
            if (i <= end - Long.BYTES && !KeyPart.hasEscaped(memory.getLong(i))) {
                i += Long.BYTES;
                continue;
            }
            byte value = memory.getByte(i);
            if (value == KeyPart.TERMINATOR) {
                return i - at;
            }
            if (value == KeyPart.ESCAPE) {
                escapeCounts[part]++;
                i++;
                int substitute = i < end ? memory.getByte(i) - KeyPart.ESCAPE_SHIFT : -1;
                if (substitute != 0 && substitute != 1) {
                    throw corrupt("has an invalid escape", part);
                }
            }
            i++;
        }
        throw corrupt("is not terminated", part);
    }

    public int partCount() {
        return parts.length;
    }

    /** Returns the type of a part. */
    public ScalarType type(int part) {
        return parts[part].type();
    }

    public boolean isNull(int part) {
        return offsets[part] < 0;
    }

    /** Returns a BOOLEAN. */
    public boolean getBoolean(int part) {
        if (expect(part, Encoding.BOOLEAN)) {
            return false;
        }
        byte value = memory.getByte(offsets[part]);
        if ((value & 0xfe) != 0) {
            throw corrupt("is no boolean", part);
        }
        return value != 0;
    }

    /** Returns a TINYINT. */
    public byte getByte(int part) {
        return expect(part, Encoding.INT8) ? 0 : (byte) (memory.getByte(offsets[part]) ^ 0x80);
    }

    /** Returns a SMALLINT. */
    public short getShort(int part) {
        return expect(part, Encoding.INT16)
                ? 0
                : (short) (Short.reverseBytes(memory.getShort(offsets[part])) ^ 0x8000);
    }

    /** Returns an INT. */
    public int getInt(int part) {
        return expect(part, Encoding.INT32) ? 0 : signedInt(offsets[part]);
    }

    /** Returns a BIGINT. */
    public long getLong(int part) {
        return expect(part, Encoding.INT64) ? 0 : signedLong(offsets[part]);
    }

    /** Returns a FLOAT. */
    public float getFloat(int part) {
        if (expect(part, Encoding.FLOAT)) {
            return 0;
        }
        int stored = Integer.reverseBytes(memory.getInt(offsets[part]));
        int bits = stored ^ (~(stored >> 31) | Integer.MIN_VALUE);
        float value = Float.intBitsToFloat(bits);
        if (bits == Integer.MIN_VALUE || (Float.isNaN(value) && bits != KeyPart.FLOAT_NAN)) {
            throw corrupt("is -0.0 or a NaN that keys do not hold", part);
        }
        return value;
    }

    /** Returns a DOUBLE. */
    public double getDouble(int part) {
        if (expect(part, Encoding.DOUBLE)) {
            return 0;
        }
        long stored = Long.reverseBytes(memory.getLong(offsets[part]));
        long bits = stored ^ (~(stored >> 63) | Long.MIN_VALUE);
        double value = Double.longBitsToDouble(bits);
        if (bits == Long.MIN_VALUE || (Double.isNaN(value) && bits != KeyPart.DOUBLE_NAN)) {
            throw corrupt("is -0.0 or a NaN that keys do not hold", part);
        }
        return value;
    }

    /** Returns the unscaled value of a DECIMAL of up to 18 digits. */
    public long getCompactDecimal(int part) {
        Encoding encoding = parts[part].encoding();
        if (encoding != Encoding.DECIMAL32 && encoding != Encoding.DECIMAL64) {
            throw wrongPart(part, "a DECIMAL of up to 18 digits");
        }
        if (isNull(part)) {
            return 0;
        }
        int at = offsets[part];
        long unscaled = encoding == Encoding.DECIMAL32 ? signedInt(at) : signedLong(at);
        long bound = Decimals.powerOfTen(parts[part].type().precision());
        if (unscaled <= -bound || unscaled >= bound) {
            throw corrupt("has more digits than its type", part);
        }
        return unscaled;
    }

    /** Returns a DECIMAL at the scale of its type. */
    public BigDecimal getDecimal(int part) {
        ScalarType type = parts[part].type();
        if (parts[part].encoding() != Encoding.DECIMAL128) {
            return BigDecimal.valueOf(getCompactDecimal(part), type.scale());
        }
        if (isNull(part)) {
            return BigDecimal.valueOf(0, type.scale());
        }
        byte[] bytes = new byte[16];
        memory.getBytes(offsets[part], bytes, 0, 16);
        bytes[0] ^= (byte) 0x80;
        BigDecimal value = new BigDecimal(new BigInteger(bytes), type.scale());
        if (value.precision() > type.precision()) {
            throw corrupt("has more digits than its type", part);
        }
        return value;
    }

    /** Returns a DATE, in days since 1970-01-01. */
    public int getDate(int part) {
        return expect(part, Encoding.DATE) ? 0 : signedInt(offsets[part]);
    }

    /** Returns a TIME, in nanoseconds of the day. */
    public long getTime(int part) {
        Encoding encoding = parts[part].encoding();
        if (encoding != Encoding.TIME_MILLIS && encoding != Encoding.TIME_NANOS) {
            throw wrongPart(part, "TIME");
        }
        if (isNull(part)) {
            return 0;
        }
        long nanos =
                encoding == Encoding.TIME_MILLIS
                        ? (long) signedInt(offsets[part]) * TemporalPrecision.NANOS_PER_MILLI
                        : signedLong(offsets[part]);
        if (nanos < 0
                || nanos >= TemporalPrecision.NANOS_PER_DAY
                || nanos != TemporalPrecision.cutNanos(nanos, parts[part].type().precision())) {
            throw corrupt("is no time of day of its type", part);
        }
        return nanos;
    }

    /** Returns the milliseconds since 1970-01-01T00:00:00 of a TIMESTAMP or TIMESTAMP_LTZ. */
    public long getTimestampMillis(int part) {
        expectTimestamp(part);
        if (isNull(part)) {
            return 0;
        }
        long millis = signedLong(offsets[part]);
        if (!TemporalPrecision.isCutMillis(millis, parts[part].type().precision())) {
            throw corrupt("has more digits than its type", part);
        }
        return millis;
    }

    /** Returns the nanoseconds of the millisecond of a TIMESTAMP or TIMESTAMP_LTZ. */
    public int getTimestampNanosOfMilli(int part) {
        expectTimestamp(part);
        if (isNull(part) || parts[part].encoding() == Encoding.MILLIS) {
            return 0;
        }
        int nanos = Integer.reverseBytes(memory.getInt(offsets[part] + 8));
        if (nanos < 0
                || nanos >= TemporalPrecision.NANOS_PER_MILLI
                || nanos != TemporalPrecision.cutNanos(nanos, parts[part].type().precision())) {
            throw corrupt("has nanoseconds that its type does not hold", part);
        }
        return nanos;
    }

    /**
     * Points {@code value} at a string; CHAR in its padded form.
     *
     * <p>Lifetime: until the next {@link #wrap}, or as long as the key if that is shorter.
     */
    public void getBytes(int part, BytesView value) {
        if (parts[part].encoding().length != 0) {
            throw wrongPart(part, "a string");
        }
        if (isNull(part)) {
            value.wrap(memory, start, 0);
        } else if (escapeCounts[part] == 0) {
            value.wrap(memory, offsets[part], lengths[part]);
        } else {
            value.wrap(unescape(part), offsets[part] - start, lengths[part] - escapeCounts[part]);
        }
        if (parts[part].encoding() == Encoding.PADDED_TEXT && !isNull(part)) {
            int characters = Utf8.characterCount(value.memory(), value.offset(), value.length());
            if (characters != parts[part].type().length()) {
                throw corrupt("is not padded to its length: characters=" + characters, part);
            }
        }
    }

    /** Returns a text; CHAR in its padded form. */
    public String getString(int part) {
        if (parts[part].encoding() == Encoding.BYTES) {
            throw wrongPart(part, "text");
        }
        BytesView bytes = new BytesView();
        getBytes(part, bytes);
        return Utf8.get(bytes.memory(), bytes.offset(), bytes.length());
    }

    private OffHeapMemory unescape(int part) {
        OffHeapMemory target = unescaped;
        if (target == null) {
            target = OffHeapMemory.wrap(ByteBuffer.allocateDirect(KeyEncoder.KEY_LENGTH_MAX));
            unescaped = target;
        }
        int from = offsets[part];
        int to = from - start;
        int stop = from + lengths[part];
        while (from < stop) {
            byte value = memory.getByte(from++);
            if (value == KeyPart.ESCAPE) {
                value = (byte) (memory.getByte(from++) - KeyPart.ESCAPE_SHIFT);
            }
            target.putByte(to++, value);
        }
        return target;
    }

    private int signedInt(int at) {
        return Integer.reverseBytes(memory.getInt(at)) ^ Integer.MIN_VALUE;
    }

    private long signedLong(int at) {
        return Long.reverseBytes(memory.getLong(at)) ^ Long.MIN_VALUE;
    }

    /** Checks the encoding of a part and returns whether it is NULL. */
    private boolean expect(int part, Encoding encoding) {
        if (parts[part].encoding() != encoding) {
            throw wrongPart(part, encoding.name());
        }
        return offsets[part] < 0;
    }

    private void expectTimestamp(int part) {
        Encoding encoding = parts[part].encoding();
        if (encoding != Encoding.MILLIS && encoding != Encoding.MILLIS_NANOS) {
            throw wrongPart(part, "TIMESTAMP");
        }
    }

    private IllegalArgumentException wrongPart(int part, String wanted) {
        return new IllegalArgumentException(
                "key part has another type: part="
                        + part
                        + " expected="
                        + wanted
                        + " actual="
                        + parts[part].type());
    }

    private CorruptDataException corrupt(String problem, int part) {
        String type = part < parts.length ? parts[part].type().toString() : "none";
        BytesView shown = new BytesView().wrap(memory, start, Math.max(0, end - start));
        return new CorruptDataException(
                "key "
                        + problem
                        + ": part="
                        + part
                        + " type="
                        + type
                        + " keyLength="
                        + (end - start)
                        + " key="
                        + shown);
    }
}
