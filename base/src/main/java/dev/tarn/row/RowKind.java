package dev.tarn.row;

import dev.tarn.codec.ValueKind;

/** What a row of a changelog does. */
public enum RowKind {
    INSERT("+I", ValueKind.ROW_INSERT),
    /** The image before an update. */
    UPDATE_BEFORE("-U", ValueKind.ROW_UPDATE_BEFORE),
    /** The image after an update. */
    UPDATE_AFTER("+U", ValueKind.ROW_UPDATE_AFTER),
    DELETE("-D", ValueKind.ROW_DELETE);

    private final String text;
    private final byte code;

    RowKind(String text, byte code) {
        this.text = text;
        this.code = code;
    }

    /** Returns the code that {@link ValueKind} carries. */
    public byte code() {
        return code;
    }

    /** Returns whether the row is taken back: -U and -D. */
    public boolean isRetract() {
        return this == UPDATE_BEFORE || this == DELETE;
    }

    /** Returns the kind of a code. */
    public static RowKind ofCode(byte code) {
        for (RowKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new IllegalArgumentException("there is no row kind of this code: code=" + code);
    }

    /** Returns the kind of a text: +I, -U, +U or -D. */
    public static RowKind ofText(String text) {
        for (RowKind kind : values()) {
            if (kind.text.equals(text)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                "there is no row kind of this text (+I, -U, +U, -D): text=" + text);
    }

    /** Returns +I, -U, +U or -D. */
    @Override
    public String toString() {
        return text;
    }
}
