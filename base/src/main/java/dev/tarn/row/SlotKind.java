package dev.tarn.row;

import dev.tarn.type.DataType;
import dev.tarn.type.Decimals;
import dev.tarn.type.ScalarType;
import dev.tarn.type.TemporalPrecision;

/** What the fixed part of a row holds for a field, and in how many bytes. */
enum SlotKind {
    BOOLEAN(1),
    INT8(1),
    INT16(2),
    INT32(4),
    INT64(8),
    FLOAT(4),
    DOUBLE(8),
    /** The unscaled value of a decimal of up to 18 digits. */
    COMPACT_DECIMAL(8),
    /** The unscaled value of a longer decimal: two's complement, low half first. */
    WIDE_DECIMAL(16),
    DATE(4),
    TIME_MILLIS(4),
    TIME_NANOS(8),
    TIMESTAMP_MILLIS(8),
    /** Milliseconds, then the nanoseconds of the millisecond. */
    TIMESTAMP_NANOS(12),
    TEXT(8),
    BYTES(8),
    ARRAY(8),
    MAP(8),
    ROW(8);

    final int length;

    SlotKind(int length) {
        this.length = length;
    }

    boolean isTimestamp() {
        return this == TIMESTAMP_MILLIS || this == TIMESTAMP_NANOS;
    }

    boolean isString() {
        return this == TEXT || this == BYTES;
    }

    static SlotKind of(DataType type) {
        return switch (type.root()) {
            case BOOLEAN -> BOOLEAN;
            case TINYINT -> INT8;
            case SMALLINT -> INT16;
            case INT -> INT32;
            case BIGINT -> INT64;
            case FLOAT -> FLOAT;
            case DOUBLE -> DOUBLE;
            case DECIMAL -> Decimals.isCompact((ScalarType) type) ? COMPACT_DECIMAL : WIDE_DECIMAL;
            case DATE -> DATE;
            case TIME -> hasMillis(type) ? TIME_MILLIS : TIME_NANOS;
            case TIMESTAMP, TIMESTAMP_LTZ -> hasMillis(type) ? TIMESTAMP_MILLIS : TIMESTAMP_NANOS;
            case CHAR, VARCHAR -> TEXT;
            case BINARY, VARBINARY -> BYTES;
            case ARRAY -> ARRAY;
            case MAP -> MAP;
            case ROW -> ROW;
        };
    }

    private static boolean hasMillis(DataType type) {
        return ((ScalarType) type).precision() <= TemporalPrecision.MILLIS_PRECISION_MAX;
    }
}
