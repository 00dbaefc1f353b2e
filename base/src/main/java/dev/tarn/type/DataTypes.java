package dev.tarn.type;

import java.util.List;

/** Makes types by their SQL names; all take NULL until {@link DataType#notNull()} is called. */
public final class DataTypes {
    public static final ScalarType BOOLEAN = plain(TypeRoot.BOOLEAN);
    public static final ScalarType TINYINT = plain(TypeRoot.TINYINT);
    public static final ScalarType SMALLINT = plain(TypeRoot.SMALLINT);
    public static final ScalarType INT = plain(TypeRoot.INT);
    public static final ScalarType BIGINT = plain(TypeRoot.BIGINT);
    public static final ScalarType FLOAT = plain(TypeRoot.FLOAT);
    public static final ScalarType DOUBLE = plain(TypeRoot.DOUBLE);
    public static final ScalarType DATE = plain(TypeRoot.DATE);
    public static final ScalarType STRING = VARCHAR(ScalarType.LENGTH_MAX);
    public static final ScalarType BYTES = VARBINARY(ScalarType.LENGTH_MAX);

    private DataTypes() {}

    /** Exact numbers of {@code precision} digits, {@code scale} of them behind the point. */
    public static ScalarType DECIMAL(int precision, int scale) {
        return new ScalarType(TypeRoot.DECIMAL, precision, scale, true);
    }

    /** Text of {@code length} characters, padded with blanks. */
    public static ScalarType CHAR(int length) {
        return sized(TypeRoot.CHAR, length);
    }

    /** Text of up to {@code length} characters. */
    public static ScalarType VARCHAR(int length) {
        return sized(TypeRoot.VARCHAR, length);
    }

    /** Strings of {@code length} bytes. */
    public static ScalarType BINARY(int length) {
        return sized(TypeRoot.BINARY, length);
    }

    /** Strings of up to {@code length} bytes. */
    public static ScalarType VARBINARY(int length) {
        return sized(TypeRoot.VARBINARY, length);
    }

    /** A time of day with {@code precision} digits behind the second. */
    public static ScalarType TIME(int precision) {
        return sized(TypeRoot.TIME, precision);
    }

    /** A date and time without zone, with {@code precision} digits behind the second. */
    public static ScalarType TIMESTAMP(int precision) {
        return sized(TypeRoot.TIMESTAMP, precision);
    }

    /** A point in time with {@code precision} digits behind the second. */
    public static ScalarType TIMESTAMP_LTZ(int precision) {
        return sized(TypeRoot.TIMESTAMP_LTZ, precision);
    }

    public static ArrayType ARRAY(DataType element) {
        return new ArrayType(element, true);
    }

    public static MapType MAP(DataType key, DataType value) {
        return new MapType(key, value, true);
    }

    public static RowType ROW(RowType.Member... members) {
        return new RowType(List.of(members), true);
    }

    /** A member of {@link #ROW}. */
    public static RowType.Member member(String name, DataType type) {
        return new RowType.Member(name, type);
    }

    private static ScalarType plain(TypeRoot root) {
        return new ScalarType(root, 0, 0, true);
    }

    private static ScalarType sized(TypeRoot root, int size) {
        return new ScalarType(root, size, 0, true);
    }
}
