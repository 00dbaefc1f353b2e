package dev.tarn.type;

/**
 * The type of a column or of a part of one: its family, its parameters and whether it takes NULL.
 *
 * <p>Two types are equal when their text is. {@link DataTypes} makes them, {@link DataTypeParser}
 * reads the text that {@code toString} writes.
 */
public sealed interface DataType permits ScalarType, ArrayType, MapType, RowType {
    TypeRoot root();

    boolean nullable();

    /** Returns this type, taking NULL or not as said. */
    DataType withNullable(boolean nullable);

    /** Returns this type without NULL. */
    default DataType notNull() {
        return withNullable(false);
    }

    /** Returns the text of {@code type} with its nullability, as SQL writes it. */
    static String withNullability(String text, boolean nullable) {
        return nullable ? text : text + " NOT NULL";
    }
}
