package dev.tarn.type;

/** A list of values of one type. */
public record ArrayType(DataType element, boolean nullable) implements DataType {
    @Override
    public TypeRoot root() {
        return TypeRoot.ARRAY;
    }

    @Override
    public ArrayType withNullable(boolean nullable) {
        return new ArrayType(element, nullable);
    }

    @Override
    public ArrayType notNull() {
        return withNullable(false);
    }

    @Override
    public String toString() {
        return DataType.withNullability("ARRAY<" + element + ">", nullable);
    }
}
