package dev.tarn.row;

import dev.tarn.memory.BytesView;
import dev.tarn.type.ArrayType;
import dev.tarn.type.DataType;
import dev.tarn.type.MapType;
import dev.tarn.type.RowType;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Moves values between rows in bytes and the classes that {@link Row} lists. */
final class RowValues {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private RowValues() {}

    static void setOrNull(SlotWriter<?> target, int index, @Nullable Object value) {
        if (value == null) {
            target.setNull(index);
        } else {
            set(target, index, target.type(index), value);
        }
    }

    static void set(SlotWriter<?> target, int index, DataType type, Object value) {
        try {
            switch (type.root()) {
                case BOOLEAN -> target.setBoolean(index, (Boolean) value);
                case TINYINT -> target.setByte(index, (Byte) value);
                case SMALLINT -> target.setShort(index, (Short) value);
                case INT -> target.setInt(index, (Integer) value);
                case BIGINT -> target.setLong(index, (Long) value);
                case FLOAT -> target.setFloat(index, (Float) value);
                case DOUBLE -> target.setDouble(index, (Double) value);
                case DECIMAL -> target.setDecimal(index, (BigDecimal) value);
                case CHAR, VARCHAR -> target.setString(index, (String) value);
                case BINARY, VARBINARY -> target.setBytes(index, (byte[]) value);
                case DATE ->
                        target.setDate(index, Math.toIntExact(((LocalDate) value).toEpochDay()));
                case TIME -> target.setTime(index, ((LocalTime) value).toNanoOfDay());
                case TIMESTAMP ->
                        setInstant(
                                target, index, ((LocalDateTime) value).toInstant(ZoneOffset.UTC));
                case TIMESTAMP_LTZ -> setInstant(target, index, (Instant) value);
                case ARRAY ->
                        target.setArray(
                                index, array(((ArrayType) type).element(), (List<?>) value));
                case MAP -> setMap(target, index, (MapType) type, (Map<?, ?>) value);
                case ROW -> target.setRow(index, nestedRow((RowType) type, (Row) value));
            }
        } catch (ClassCastException e) {
            throw new IllegalArgumentException(
                    "value has another class than its type: index="
                            + index
                            + " type="
                            + type
                            + " class="
                            + value.getClass().getName(),
                    e);
        }
    }

    private static void setInstant(SlotWriter<?> target, int index, Instant instant) {
        long nanos = instant.getLong(ChronoField.NANO_OF_SECOND);
        target.setTimestamp(index, instant.toEpochMilli(), (int) (nanos % NANOS_PER_MILLI));
    }

    private static void setMap(SlotWriter<?> target, int index, MapType type, Map<?, ?> map) {
        // One pass, so that keys and values pair up whatever the map is.
        List<@Nullable Object> keys = new ArrayList<>();
        List<@Nullable Object> values = new ArrayList<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            keys.add(entry.getKey());
            values.add(entry.getValue());
        }
        target.setMap(index, array(type.key(), keys), array(type.value(), values));
    }

    private static BytesView array(DataType elementType, List<?> elements) {
        CollectedTarget target = new CollectedTarget();
        ArrayBuilder builder = new ArrayBuilder(elementType).begin(target, elements.size());
        int index = 0;
        for (Object element : elements) {
            setOrNull(builder, index++, element);
        }
        return target.view(builder.finish());
    }

    private static BytesView nestedRow(RowType type, Row row) {
        CollectedTarget target = new CollectedTarget();
        if (row.fieldCount() != type.members().size()) {
            throw new IllegalArgumentException(
                    "nested row has another number of members: members="
                            + row.fieldCount()
                            + " type="
                            + type);
        }
        RowBuilder builder = RowBuilder.nested(type).begin(target);
        row.write(builder);
        return target.view(builder.finish());
    }

    static @Nullable Object get(SlotReader source, int index) {
        if (source.isNull(index)) {
            return null;
        }
        DataType type = source.type(index);
        return switch (type.root()) {
            case BOOLEAN -> source.getBoolean(index);
            case TINYINT -> source.getByte(index);
            case SMALLINT -> source.getShort(index);
            case INT -> source.getInt(index);
            case BIGINT -> source.getLong(index);
            case FLOAT -> source.getFloat(index);
            case DOUBLE -> source.getDouble(index);
            case DECIMAL -> source.getDecimal(index);
            case CHAR, VARCHAR -> source.getString(index);
            case BINARY, VARBINARY -> {
                BytesView bytes = new BytesView();
                source.getBytes(index, bytes);
                yield bytes.toByteArray();
            }
            case DATE -> LocalDate.ofEpochDay(source.getDate(index));
            case TIME -> LocalTime.ofNanoOfDay(source.getTime(index));
            case TIMESTAMP -> LocalDateTime.ofInstant(instant(source, index), ZoneOffset.UTC);
            case TIMESTAMP_LTZ -> instant(source, index);
            case ARRAY -> {
                ArrayFlyweight array = new ArrayFlyweight(((ArrayType) type).element());
                source.getArray(index, array);
                yield list(array);
            }
            case MAP -> {
                MapFlyweight map = new MapFlyweight((MapType) type);
                source.getMap(index, map);
                Map<@Nullable Object, @Nullable Object> pairs = new LinkedHashMap<>();
                for (int i = 0; i < map.count(); i++) {
                    pairs.put(get(map.keys(), i), get(map.values(), i));
                }
                yield pairs;
            }
            case ROW -> {
                RowFlyweight row = RowFlyweight.nested((RowType) type);
                source.getRow(index, row);
                yield Row.read(row);
            }
        };
    }

    private static Instant instant(SlotReader source, int index) {
        return Instant.ofEpochMilli(source.getTimestampMillis(index))
                .plusNanos(source.getTimestampNanosOfMilli(index));
    }

    private static List<@Nullable Object> list(ArrayFlyweight array) {
        List<@Nullable Object> elements = new ArrayList<>(array.count());
        for (int i = 0; i < array.count(); i++) {
            elements.add(get(array, i));
        }
        return elements;
    }
}
