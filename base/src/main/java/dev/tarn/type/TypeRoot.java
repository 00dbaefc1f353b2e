package dev.tarn.type;

/** The families of types; a type adds length, precision, scale, members and nullability. */
public enum TypeRoot {
    BOOLEAN,
    TINYINT,
    SMALLINT,
    INT,
    BIGINT,
    FLOAT,
    DOUBLE,
    /** Exact numbers of up to 38 digits. */
    DECIMAL,
    /** Text that compares as if padded with blanks to its length in characters. */
    CHAR,
    /** Text; {@code STRING} is the longest. */
    VARCHAR,
    BINARY,
    /** Bytes; {@code BYTES} is the longest. */
    VARBINARY,
    /** Days since 1970-01-01. */
    DATE,
    /** A time of day. */
    TIME,
    /** A date and a time of day without a zone. */
    TIMESTAMP,
    /** A point in time, shown in the zone of the session. */
    TIMESTAMP_LTZ,
    ARRAY,
    MAP,
    ROW;

    /** Returns whether types of this root may be part of a key. */
    public boolean isKeyType() {
        return compareTo(ARRAY) < 0;
    }

    /** Returns whether the root is one of the four integer types. */
    public boolean isInteger() {
        return compareTo(TINYINT) >= 0 && compareTo(BIGINT) <= 0;
    }

    /** Returns whether values are text in UTF-8. */
    public boolean isText() {
        return this == CHAR || this == VARCHAR;
    }

    /** Returns whether values are strings of bytes, text or not. */
    public boolean isBytes() {
        return compareTo(CHAR) >= 0 && compareTo(VARBINARY) <= 0;
    }

    boolean hasLength() {
        return isBytes();
    }

    boolean hasPrecision() {
        return this == DECIMAL || (compareTo(TIME) >= 0 && compareTo(TIMESTAMP_LTZ) <= 0);
    }
}
