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
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes keys whose bytes, compared unsigned, order as SQL orders their values; equal keys have
 * equal bytes. docs/formats/key.md defines the encoding.
 *
 * <p>Use: {@code begin}, one {@code put} per part in the order of the key, {@code finish}.
 *
 * <p>Owner: the target memory is the caller's and only written between {@code begin} and {@code
 * finish}; nothing behind the key and nothing beyond the limit is touched.
 *
 * <p>Threads: an instance belongs to one thread and is reused; putting primitives, views, byte
 * arrays and texts allocates nothing, except for texts with the characters 0 or 1.
 *
 * <p>Units: lengths and offsets in bytes.
 *
 * <p>Errors: a put that does not suit the part's type is an {@link IllegalArgumentException}, as is
 * a value its type cannot hold; then begin again. A key that exceeds {@link #KEY_LENGTH_MAX} is a
 * {@link KeyTooLongException}.
 */
public final class KeyEncoder {
    /** The longest key: its length fits 16 bits. */
    public static final int KEY_LENGTH_MAX = 65_535;

    private final KeyPart[] parts;
    private final Encoding[] encodings;
    private final boolean[] nullable;

    private OffHeapMemory target = OffHeapMemory.wrap(new byte[0]);
    private int start;
    private int limit;

    /** Bytes so far, also those that did not fit. */
    private long length;

    private int index;

    /** Creates an encoder for keys of these parts. */
    public KeyEncoder(List<? extends DataType> types) {
        parts = KeyPart.all(types);
        encodings = new Encoding[parts.length];
        nullable = new boolean[parts.length];
        for (int i = 0; i < parts.length; i++) {
            encodings[i] = parts[i].encoding();
            nullable[i] = parts[i].type().nullable();
        }
    }

    public int partCount() {
        return parts.length;
    }

    /** Returns the type of a part. */
    public ScalarType type(int part) {
        return parts[part].type();
    }

    /**
     * Starts a key at {@code offset}; it must end at or before {@code limit}.
     *
     * <p>Retains {@code memory} until the next {@code begin}.
     */
    public KeyEncoder begin(OffHeapMemory memory, int offset, int limit) {
        this.target = memory;
        this.start = offset;
        this.limit = limit;
        this.length = 0;
        this.index = 0;
        return this;
    }

    /**
     * Ends the key.
     *
     * @return its length, or the negated length that it needs if that exceeds the limit
     * @throws IllegalStateException if parts are missing
     * @throws KeyTooLongException if no limit would do
     */
    public int finish() {
        if (index != parts.length) {
            throw new IllegalStateException(
                    "key is incomplete: parts=" + index + " partsExpected=" + parts.length);
        }
        if (length > KEY_LENGTH_MAX) {
            throw new KeyTooLongException(length);
        }
        return fits() ? (int) length : (int) -length;
    }

    /** Puts NULL, which is smaller than every value. */
    public KeyEncoder putNull() {
        if (index == parts.length) {
            throw wrongPart("NULL");
        }
        if (!nullable[index]) {
            throw new IllegalArgumentException(
                    "key part does not take NULL: part=" + index + " type=" + parts[index].type());
        }
        index++;
        putMarker(KeyPart.NULL_MARKER);
        return this;
    }

    /** Puts a BOOLEAN. */
    public KeyEncoder putBoolean(boolean value) {
        int at = claim(Encoding.BOOLEAN, 1);
        if (at >= 0) {
            target.putByte(at, (byte) (value ? 1 : 0));
        }
        return this;
    }

    /** Puts a TINYINT. */
    public KeyEncoder putByte(byte value) {
        int at = claim(Encoding.INT8, 1);
        if (at >= 0) {
            target.putByte(at, (byte) (value ^ 0x80));
        }
        return this;
    }

    /** Puts a SMALLINT. */
    public KeyEncoder putShort(short value) {
        int at = claim(Encoding.INT16, 2);
        if (at >= 0) {
            target.putShort(at, Short.reverseBytes((short) (value ^ 0x8000)));
        }
        return this;
    }

    /** Puts an INT. */
    public KeyEncoder putInt(int value) {
        putSigned(claim(Encoding.INT32, 4), value);
        return this;
    }

    /** Puts a BIGINT. */
    public KeyEncoder putLong(long value) {
        putSigned(claim(Encoding.INT64, 8), value);
        return this;
    }

    /** Puts a FLOAT; both zeros are one key, and all NaN are one, the greatest. */
    public KeyEncoder putFloat(float value) {
        int at = claim(Encoding.FLOAT, 4);
        if (at >= 0) {
            // Adding zero turns -0.0 into 0.0 and changes nothing else.
            int bits =
                    Float.isNaN(value) ? KeyPart.FLOAT_NAN : Float.floatToRawIntBits(value + 0.0f);
            target.putInt(at, Integer.reverseBytes(bits ^ ((bits >> 31) | Integer.MIN_VALUE)));
        }
        return this;
    }

    /** Puts a DOUBLE; both zeros are one key, and all NaN are one, the greatest. */
    public KeyEncoder putDouble(double value) {
        int at = claim(Encoding.DOUBLE, 8);
        if (at >= 0) {
            long bits =
                    Double.isNaN(value)
                            ? KeyPart.DOUBLE_NAN
                            : Double.doubleToRawLongBits(value + 0.0);
            target.putLong(at, Long.reverseBytes(bits ^ ((bits >> 63) | Long.MIN_VALUE)));
        }
        return this;
    }

    /** Puts {@code unscaled * 10^-scale} as a DECIMAL; see {@link Decimals}. */
    public KeyEncoder putDecimal(long unscaled, int scale) {
        ScalarType type = expectDecimal();
        if (encodings[index] == Encoding.DECIMAL128) {
            if (scale != type.scale()) {
                return putDecimal(BigDecimal.valueOf(unscaled, scale));
            }
            putWide(claim(Encoding.DECIMAL128, 16), unscaled >> 63, unscaled);
        } else {
            putCompact(Decimals.toCompact(unscaled, scale, type));
        }
        return this;
    }

    /** Puts a DECIMAL; see {@link Decimals}. */
    public KeyEncoder putDecimal(BigDecimal value) {
        ScalarType type = expectDecimal();
        BigInteger unscaled = Decimals.toUnscaled(value, type);
        if (encodings[index] == Encoding.DECIMAL128) {
            long high = unscaled.shiftRight(64).longValue();
            putWide(claim(Encoding.DECIMAL128, 16), high, unscaled.longValue());
        } else {
            putCompact(unscaled.longValue());
        }
        return this;
    }

    /** Puts a DATE, in days since 1970-01-01. */
    public KeyEncoder putDate(int epochDay) {
        putSigned(claim(Encoding.DATE, 4), epochDay);
        return this;
    }

    /** Puts a TIME, in nanoseconds of the day, cut to the type's precision. */
    public KeyEncoder putTime(long nanosOfDay) {
        Encoding encoding = index == parts.length ? Encoding.BOOLEAN : encodings[index];
        if (encoding != Encoding.TIME_MILLIS && encoding != Encoding.TIME_NANOS) {
            throw wrongPart("TIME");
        }
        TemporalPrecision.checkNanosOfDay(nanosOfDay);
        long cut = TemporalPrecision.cutNanos(nanosOfDay, parts[index].type().precision());
        if (encoding == Encoding.TIME_MILLIS) {
            putSigned(claim(encoding, 4), (int) (cut / TemporalPrecision.NANOS_PER_MILLI));
        } else {
            putSigned(claim(encoding, 8), cut);
        }
        return this;
    }

    /**
     * Puts a TIMESTAMP or TIMESTAMP_LTZ, cut to the type's precision.
     *
     * @param millis since 1970-01-01T00:00:00
     * @param nanosOfMilli in [0, 999999]
     */
    public KeyEncoder putTimestamp(long millis, int nanosOfMilli) {
        Encoding encoding = index == parts.length ? Encoding.BOOLEAN : encodings[index];
        if (encoding != Encoding.MILLIS && encoding != Encoding.MILLIS_NANOS) {
            throw wrongPart("TIMESTAMP");
        }
        TemporalPrecision.checkNanosOfMilli(nanosOfMilli);
        int precision = parts[index].type().precision();
        if (encoding == Encoding.MILLIS) {
            putSigned(claim(encoding, 8), TemporalPrecision.cutMillis(millis, precision));
        } else {
            int at = claim(encoding, 12);
            putSigned(at, millis);
            if (at >= 0) {
                int cut = (int) TemporalPrecision.cutNanos(nanosOfMilli, precision);
                target.putInt(at + 8, Integer.reverseBytes(cut));
            }
        }
        return this;
    }

    /** Puts a string of any type, text as UTF-8. */
    public KeyEncoder putBytes(BytesView bytes) {
        return putBytes(bytes.memory(), bytes.offset(), bytes.length());
    }

    /** Puts a string of any type, text as UTF-8. */
    public KeyEncoder putBytes(OffHeapMemory source, int offset, int sourceLength) {
        Encoding encoding = expectBytes();
        int kept = sourceLength;
        long padding = 0;
        if (encoding == Encoding.PADDED_TEXT) {
            while (kept > 0 && source.getByte(offset + kept - 1) == ' ') {
                kept--;
            }
            padding = padding(Utf8.characterCount(source, offset, kept));
        }
        claimMarker();
        if (kept > KEY_LENGTH_MAX) {
            length += kept;
        } else if (isLast()) {
            int at = claimBytes(kept);
            if (at >= 0) {
                source.copyTo(offset, target, at, kept);
            }
        } else {
            int at = claimBytes(kept + escapes(source, offset, kept));
            if (at >= 0) {
                escape(source, offset, kept, at);
            }
        }
        endBytes(padding);
        return this;
    }

    /** Puts a string of any type, text as UTF-8. */
    public KeyEncoder putBytes(byte[] bytes) {
        Encoding encoding = expectBytes();
        int kept = bytes.length;
        long padding = 0;
        if (encoding == Encoding.PADDED_TEXT) {
            while (kept > 0 && bytes[kept - 1] == ' ') {
                kept--;
            }
            int characters = 0;
            for (int i = 0; i < kept; i++) {
                characters += (bytes[i] & 0xc0) != 0x80 ? 1 : 0;
            }
            padding = padding(characters);
        }
        claimMarker();
        putRaw(bytes, kept);
        endBytes(padding);
        return this;
    }

    /** Puts a text. */
    public KeyEncoder putString(String text) {
        Encoding encoding = expectBytes();
        if (encoding == Encoding.BYTES) {
            throw wrongPart("text");
        }
        int kept = text.length();
        long padding = 0;
        if (encoding == Encoding.PADDED_TEXT) {
            while (kept > 0 && text.charAt(kept - 1) == ' ') {
                kept--;
            }
            padding = padding(text.codePointCount(0, kept));
        }
        claimMarker();
        if (kept > KEY_LENGTH_MAX) {
            length += kept;
        } else {
            putUtf8(text, kept);
        }
        endBytes(padding);
        return this;
    }

    private void putUtf8(String text, int charCount) {
        long plain = 0;
        int escapes = 0;
        for (int i = 0; i < charCount; i++) {
            char c = text.charAt(i);
            escapes += c < 2 ? 1 : 0;
            plain += c < 0x80 ? 1 : 0;
        }
        if (escapes > 0 && !isLast()) {
            // Rare: text with the control characters 0 or 1.
            byte[] bytes = text.substring(0, charCount).getBytes(StandardCharsets.UTF_8);
            putRaw(bytes, bytes.length);
            return;
        }
        int at = claimBytes(plain == charCount ? plain : Utf8.length(text, charCount));
        if (at >= 0) {
            Utf8.put(target, at, text, charCount);
        }
    }

    private void putRaw(byte[] bytes, int count) {
        if (count > KEY_LENGTH_MAX) {
            length += count;
            return;
        }
        if (isLast()) {
            int at = claimBytes(count);
            if (at >= 0) {
                target.putBytes(at, bytes, 0, count);
            }
            return;
        }
        int escapes = 0;
        for (int i = 0; i < count; i++) {
            escapes += KeyPart.isEscaped(bytes[i]) ? 1 : 0;
        }
        int at = claimBytes(count + escapes);
        for (int i = 0; at >= 0 && i < count; i++) {
            at = putEscaped(at, bytes[i]);
        }
    }

    private static int escapes(OffHeapMemory source, int offset, int count) {
        int escapes = 0;
        int i = 0;
        while (i < count) {
            if (i <= count - Long.BYTES && !KeyPart.hasEscaped(source.getLong(offset + i))) {
                i += Long.BYTES;
            } else {
                escapes += KeyPart.isEscaped(source.getByte(offset + i)) ? 1 : 0;
                i++;
            }
        }
        return escapes;
    }

    private void escape(OffHeapMemory source, int offset, int count, int at) {
        int i = 0;
        while (i < count) {
            if (i <= count - Long.BYTES) {
                long bytes = source.getLong(offset + i);
                if (!KeyPart.hasEscaped(bytes)) {
                    target.putLong(at, bytes);
                    at += Long.BYTES;
                    i += Long.BYTES;
                    continue;
                }
            }
            at = putEscaped(at, source.getByte(offset + i));
            i++;
        }
    }

    private int putEscaped(int at, byte value) {
        if (KeyPart.isEscaped(value)) {
            target.putByte(at++, KeyPart.ESCAPE);
            target.putByte(at++, (byte) (value + KeyPart.ESCAPE_SHIFT));
        } else {
            target.putByte(at++, value);
        }
        return at;
    }

    /** Pads and terminates a string, and moves on to the next part. */
    private void endBytes(long padding) {
        int at = claimBytes(padding);
        if (at >= 0 && padding > 0) {
            target.fill(at, (int) padding, (byte) ' ');
        }
        if (!isLast()) {
            int terminator = claimBytes(1);
            if (terminator >= 0) {
                target.putByte(terminator, KeyPart.TERMINATOR);
            }
        }
        index++;
    }

    private long padding(int characters) {
        int missing = parts[index].type().length() - characters;
        if (missing < 0) {
            throw new IllegalArgumentException(
                    "text is too long for its key part: characters="
                            + characters
                            + " part="
                            + index
                            + " type="
                            + parts[index].type());
        }
        return missing;
    }

    private Encoding expectBytes() {
        Encoding encoding = index == parts.length ? Encoding.BOOLEAN : encodings[index];
        if (encoding.length != 0) {
            throw wrongPart("a string");
        }
        return encoding;
    }

    private ScalarType expectDecimal() {
        Encoding encoding = index == parts.length ? Encoding.BOOLEAN : encodings[index];
        if (encoding != Encoding.DECIMAL32
                && encoding != Encoding.DECIMAL64
                && encoding != Encoding.DECIMAL128) {
            throw wrongPart("DECIMAL");
        }
        return parts[index].type();
    }

    private void putCompact(long unscaled) {
        if (encodings[index] == Encoding.DECIMAL32) {
            putSigned(claim(Encoding.DECIMAL32, 4), (int) unscaled);
        } else {
            putSigned(claim(Encoding.DECIMAL64, 8), unscaled);
        }
    }

    private void putWide(int at, long high, long low) {
        putSigned(at, high);
        if (at >= 0) {
            target.putLong(at + 8, Long.reverseBytes(low));
        }
    }

    private void putSigned(int at, int value) {
        if (at >= 0) {
            target.putInt(at, Integer.reverseBytes(value ^ Integer.MIN_VALUE));
        }
    }

    private void putSigned(int at, long value) {
        if (at >= 0) {
            target.putLong(at, Long.reverseBytes(value ^ Long.MIN_VALUE));
        }
    }

    /** Moves on by a part of fixed length; returns where it goes, or -1 if it does not fit. */
    private int claim(Encoding expected, int partLength) {
        if (index == parts.length || encodings[index] != expected) {
            throw wrongPart(expected.name());
        }
        claimMarker();
        index++;
        return claimBytes(partLength);
    }

    private void claimMarker() {
        if (nullable[index]) {
            putMarker(KeyPart.VALUE_MARKER);
        }
    }

    private void putMarker(byte marker) {
        int at = claimBytes(1);
        if (at >= 0) {
            target.putByte(at, marker);
        }
    }

    private int claimBytes(long byteCount) {
        int at = start + (int) Math.min(length, KEY_LENGTH_MAX);
        length += byteCount;
        return fits() ? at : -1;
    }

    /** Whether the key so far fits; once it does not, it never will, and nothing is written. */
    private boolean fits() {
        return length <= KEY_LENGTH_MAX && length <= limit - start;
    }

    /** Whether the part at hand is the last, so that the end of the key ends it too. */
    private boolean isLast() {
        return index == parts.length - 1;
    }

    private IllegalArgumentException wrongPart(String given) {
        String expected =
                index == parts.length ? "the end of the key" : parts[index].type().toString();
        return new IllegalArgumentException(
                "key part has another type: part="
                        + index
                        + " expected="
                        + expected
                        + " actual="
                        + given);
    }
}
