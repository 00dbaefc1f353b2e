package dev.tarn.type;

/**
 * The changes of a column's type under which stored rows stay readable: those that lose nothing.
 *
 * <ul>
 *   <li>TINYINT to SMALLINT to INT to BIGINT
 *   <li>TINYINT and SMALLINT to FLOAT; those and INT to DOUBLE; FLOAT to DOUBLE
 *   <li>an integer to a DECIMAL with room for all its digits (3, 5, 10, 19) before the point
 *   <li>DECIMAL to one with no fewer digits before and none fewer behind the point
 *   <li>CHAR to a longer CHAR or a VARCHAR no shorter, VARCHAR to a longer one; BINARY and
 *       VARBINARY alike
 *   <li>TIME, TIMESTAMP, TIMESTAMP_LTZ to more digits
 *   <li>NOT NULL to NULL, never back
 * </ul>
 *
 * <p>ARRAY, MAP and ROW change only their nullability.
 */
public final class TypeWidening {
    private TypeWidening() {}

    /** Returns whether values of {@code source} can be read as {@code target}. */
    public static boolean isAllowed(DataType source, DataType target) {
        if (source.nullable() && !target.nullable()) {
            return false;
        }
        if (source.withNullable(true).equals(target.withNullable(true))) {
            return true;
        }
        return source instanceof ScalarType from
                && target instanceof ScalarType to
                && isWider(from, to);
    }

    /**
     * Checks that a column may change its type.
     *
     * @throws IllegalArgumentException if not, naming the column and both types
     */
    static void check(DataType source, DataType target, String field) {
        if (isAllowed(source, target)) {
            return;
        }
        String problem =
                source.nullable() && !target.nullable()
                        ? "a column that takes NULL cannot become NOT NULL"
                        : "a column's type may only be widened";
        throw new IllegalArgumentException(
                problem + ": field=" + field + " from=" + source + " to=" + target);
    }

    private static boolean isWider(ScalarType from, ScalarType to) {
        TypeRoot target = to.root();
        return switch (from.root()) {
            case TINYINT, SMALLINT, INT, BIGINT -> integerFits(from.root(), to);
            case FLOAT -> target == TypeRoot.DOUBLE;
            case DECIMAL ->
                    target == TypeRoot.DECIMAL
                            && to.scale() >= from.scale()
                            && to.precision() - to.scale() >= from.precision() - from.scale();
            case CHAR ->
                    (target == TypeRoot.CHAR || target == TypeRoot.VARCHAR)
                            && to.length() >= from.length();
            case BINARY ->
                    (target == TypeRoot.BINARY || target == TypeRoot.VARBINARY)
                            && to.length() >= from.length();
            case VARCHAR, VARBINARY -> target == from.root() && to.length() >= from.length();
            case TIME, TIMESTAMP, TIMESTAMP_LTZ ->
                    target == from.root() && to.precision() >= from.precision();
            default -> false;
        };
    }

    private static boolean integerFits(TypeRoot from, ScalarType to) {
        return switch (to.root()) {
            case SMALLINT, INT, BIGINT -> to.root().compareTo(from) > 0;
            case FLOAT -> from == TypeRoot.TINYINT || from == TypeRoot.SMALLINT;
            case DOUBLE -> from != TypeRoot.BIGINT;
            case DECIMAL -> to.precision() - to.scale() >= digits(from);
            default -> false;
        };
    }

    private static int digits(TypeRoot integer) {
        return switch (integer) {
            case TINYINT -> 3;
            case SMALLINT -> 5;
            case INT -> 10;
            default -> 19;
        };
    }
}
