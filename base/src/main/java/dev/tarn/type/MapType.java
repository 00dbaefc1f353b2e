package dev.tarn.type;

/** Pairs of a key and a value. */
public record MapType(DataType key, DataType value, boolean nullable) implements DataType {
    @Override
    public TypeRoot root() {
        return TypeRoot.MAP;
    }

    @Override
    public MapType withNullable(boolean nullable) {
        return new MapType(key, value, nullable);
    }

    @Override
    public MapType notNull() {
        return withNullable(false);
    }

    @Override
    public String toString() {
        return DataType.withNullability("MAP<" + key + ", " + value + ">", nullable);
    }
}
