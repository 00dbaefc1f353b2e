package dev.tarn.codec;

import dev.tarn.type.DataType;
import dev.tarn.type.Decimals;
import dev.tarn.type.ScalarType;
import dev.tarn.type.TemporalPrecision;
import java.util.List;

/** How one part of a key is encoded; docs/formats/key.md is the truth. */
record KeyPart(ScalarType type, Encoding encoding) {
    /** The first byte of a part that takes NULL. */
    static final byte NULL_MARKER = 0;

    static final byte VALUE_MARKER = 1;

    /** Ends a string of bytes that is not the key's last part; smaller than all that may follow. */
    static final byte TERMINATOR = 0;

    /** Stands before the substitute of a byte that is 0 or 1. */
    static final byte ESCAPE = 1;

    /** What a byte of 0 or 1 grows by behind {@link #ESCAPE}. */
    static final int ESCAPE_SHIFT = 1;

    static final int FLOAT_NAN = 0x7fc00000;
    static final long DOUBLE_NAN = 0x7ff8000000000000L;

    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

    /** An encoding and the bytes it takes; 0 for strings of bytes. */
    enum Encoding {
        BOOLEAN(1),
        INT8(1),
        INT16(2),
        INT32(4),
        DATE(4),
        INT64(8),
        FLOAT(4),
        DOUBLE(8),
        DECIMAL32(4),
        DECIMAL64(8),
        DECIMAL128(16),
        TIME_MILLIS(4),
        TIME_NANOS(8),
        MILLIS(8),
        MILLIS_NANOS(12),
        PADDED_TEXT(0),
        TEXT(0),
        BYTES(0);

        final int length;

        Encoding(int length) {
            this.length = length;
        }
    }

    static KeyPart of(DataType type) {
        if (!(type instanceof ScalarType scalar)) {
            throw new IllegalArgumentException("type cannot be part of a key: type=" + type);
        }
        return new KeyPart(scalar, encodingOf(scalar));
    }

    static KeyPart[] all(List<? extends DataType> types) {
        if (types.isEmpty()) {
            throw new IllegalArgumentException("a key has at least one part");
        }
        return types.stream().map(KeyPart::of).toArray(KeyPart[]::new);
    }

    private static Encoding encodingOf(ScalarType type) {
        return switch (type.root()) {
            case BOOLEAN -> Encoding.BOOLEAN;
            case TINYINT -> Encoding.INT8;
            case SMALLINT -> Encoding.INT16;
            case INT -> Encoding.INT32;
            case DATE -> Encoding.DATE;
            case BIGINT -> Encoding.INT64;
            case FLOAT -> Encoding.FLOAT;
            case DOUBLE -> Encoding.DOUBLE;
            case DECIMAL ->
                    type.precision() <= 9
                            ? Encoding.DECIMAL32
                            : Decimals.isCompact(type) ? Encoding.DECIMAL64 : Encoding.DECIMAL128;
            case TIME -> hasMillis(type) ? Encoding.TIME_MILLIS : Encoding.TIME_NANOS;
            case TIMESTAMP, TIMESTAMP_LTZ ->
                    hasMillis(type) ? Encoding.MILLIS : Encoding.MILLIS_NANOS;
            case CHAR -> Encoding.PADDED_TEXT;
            case VARCHAR -> Encoding.TEXT;
            case BINARY, VARBINARY -> Encoding.BYTES;
            case ARRAY, MAP, ROW -> throw new AssertionError("not scalar: " + type);
        };
    }

    private static boolean hasMillis(ScalarType type) {
        return type.precision() <= TemporalPrecision.MILLIS_PRECISION_MAX;
    }

    /** Returns whether one of the eight bytes is 0 or 1, and so must be escaped. */
    static boolean hasEscaped(long bytes) {
        return ((bytes - 2 * ONES) & ~bytes & HIGH_BITS) != 0;
    }

    /** Returns whether a byte must be escaped. */
    static boolean isEscaped(byte value) {
        return (value & 0xfe) == 0;
    }
}
