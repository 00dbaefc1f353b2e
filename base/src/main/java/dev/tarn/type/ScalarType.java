package dev.tarn.type;

/**
 * A type without parts.
 *
 * @param root the family; none of ARRAY, MAP and ROW
 * @param size the length in characters or bytes, or the precision in digits; 0 for roots that have
 *     neither
 * @param scale the digits of a DECIMAL behind the point; 0 for all other roots
 * @param nullable whether it takes NULL
 */
public record ScalarType(TypeRoot root, int size, int scale, boolean nullable) implements DataType {
    /** The length of {@code STRING} and {@code BYTES}. */
    public static final int LENGTH_MAX = Integer.MAX_VALUE;

    public static final int DECIMAL_PRECISION_MAX = 38;

    /** The digits of the fraction of a second: nanoseconds. */
    public static final int TIME_PRECISION_MAX = 9;

    /** Checks that the parameters suit the root. */
    public ScalarType {
        if (!root.isKeyType()) {
            throw new IllegalArgumentException("type is not scalar: root=" + root);
        }
        if (root.hasLength()) {
            check(root, "length", size, 1, LENGTH_MAX);
        } else if (root == TypeRoot.DECIMAL) {
            check(root, "precision", size, 1, DECIMAL_PRECISION_MAX);
            check(root, "scale", scale, 0, size);
        } else {
            check(root, "precision", size, 0, root.hasPrecision() ? TIME_PRECISION_MAX : 0);
        }
        if (root != TypeRoot.DECIMAL) {
            check(root, "scale", scale, 0, 0);
        }
    }

    private static void check(TypeRoot root, String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name
                            + " of "
                            + root
                            + " must be in ["
                            + min
                            + ", "
                            + max
                            + "]: "
                            + name
                            + "="
                            + value);
        }
    }

    /** Returns the length in characters (text) or bytes. */
    public int length() {
        if (!root.hasLength()) {
            throw new IllegalStateException("type has no length: type=" + this);
        }
        return size;
    }

    /** Returns the digits of a DECIMAL, or those of the fraction of a second. */
    public int precision() {
        if (!root.hasPrecision()) {
            throw new IllegalStateException("type has no precision: type=" + this);
        }
        return size;
    }

    @Override
    public ScalarType withNullable(boolean nullable) {
        return nullable == this.nullable ? this : new ScalarType(root, size, scale, nullable);
    }

    @Override
    public ScalarType notNull() {
        return withNullable(false);
    }

    @Override
    public String toString() {
        String text;
        if (size == LENGTH_MAX && root == TypeRoot.VARCHAR) {
            text = "STRING";
        } else if (size == LENGTH_MAX && root == TypeRoot.VARBINARY) {
            text = "BYTES";
        } else if (root == TypeRoot.DECIMAL) {
            text = root + "(" + size + ", " + scale + ")";
        } else if (root.hasLength() || root.hasPrecision()) {
            text = root + "(" + size + ")";
        } else {
            text = root.name();
        }
        return DataType.withNullability(text, nullable);
    }
}
