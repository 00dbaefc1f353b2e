package dev.tarn.testing;

import dev.tarn.row.Row;
import dev.tarn.row.RowKind;
import dev.tarn.type.ArrayType;
import dev.tarn.type.DataType;
import dev.tarn.type.MapType;
import dev.tarn.type.RowType;
import dev.tarn.type.ScalarType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Generates rows and values of every type, at the precision of the type: NULLs, NaNs, negative
 * zeros, numbers of all magnitudes, texts around the length where their encoding changes.
 *
 * <p>Threads: belongs to one thread, like its source.
 */
public final class RowGenerator {
    private final RandomSource random;

    /** Creates a generator that draws from a test's source. */
    public RowGenerator(RandomSource random) {
        this.random = random;
    }

    /** Generates an insert with a value for each type; only nullable types give NULLs. */
    public Row row(List<DataType> types) {
        Row row = new Row(RowKind.INSERT, types.size());
        for (int i = 0; i < types.size(); i++) {
            row.set(i, value(types.get(i)));
        }
        return row;
    }

    /** Generates a value of the class that {@link Row} asks for; now and then NULL if nullable. */
    public @Nullable Object value(DataType type) {
        if (type.nullable() && random.oneIn(5)) {
            return null;
        }
        return switch (type.root()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) integer();
            case SMALLINT -> (short) integer();
            case INT -> (int) integer();
            case BIGINT -> integer();
            case FLOAT -> random.oneIn(4) ? Float.NaN : Float.intBitsToFloat(random.nextInt());
            case DOUBLE -> random.oneIn(4) ? -0.0 : Double.longBitsToDouble(random.nextLong());
            case DECIMAL -> decimal((ScalarType) type);
            case CHAR, VARCHAR -> text();
            case BINARY, VARBINARY -> random.bytes(length());
            case DATE -> LocalDate.ofEpochDay(random.between(-800_000, 800_000));
            case TIME -> LocalTime.ofNanoOfDay(cut(random.between(0L, 86_400_000_000_000L), type));
            case TIMESTAMP -> LocalDateTime.ofInstant(instant(type), ZoneOffset.UTC);
            case TIMESTAMP_LTZ -> instant(type);
            case ARRAY -> {
                List<@Nullable Object> elements = new ArrayList<>();
                for (int count = length() / 2; count > 0; count--) {
                    elements.add(value(((ArrayType) type).element()));
                }
                yield elements;
            }
            case MAP -> {
                MapType map = (MapType) type;
                Map<@Nullable Object, @Nullable Object> pairs = new LinkedHashMap<>();
                for (int count = random.nextInt(5); count > 0; count--) {
                    pairs.put(value(map.key()), value(map.value()));
                }
                yield pairs;
            }
            case ROW -> row(((RowType) type).types());
        };
    }

    private long integer() {
        return random.nextLong() >> random.nextInt(64);
    }

    /** Around the longest string that fits a slot, and now and then long. */
    private int length() {
        return random.oneIn(10) ? random.nextInt(300) : random.nextInt(12);
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int count = length(); count > 0; count--) {
            text.appendCodePoint(
                    random.oneIn(4) ? random.between(0x80, 0xd800) : random.between(0, 0x80));
        }
        return random.oneIn(6) ? text.append("\ud83d\ude00").toString() : text.toString();
    }

    private BigDecimal decimal(ScalarType type) {
        BigInteger bound = BigInteger.TEN.pow(type.precision());
        BigInteger unscaled =
                new BigInteger(random.nextInt(130), new Random(random.nextLong())).mod(bound);
        if (random.oneIn(5)) {
            unscaled = bound.subtract(BigInteger.ONE);
        }
        return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
    }

    private Instant instant(DataType type) {
        long nanos = cut(random.between(0L, 1_000_000_000L), type);
        return Instant.ofEpochSecond(random.between(-10_000_000_000L, 10_000_000_000L), nanos);
    }

    private static long cut(long nanos, DataType type) {
        long unit = (long) Math.pow(10, 9 - ((ScalarType) type).precision());
        return nanos - nanos % unit;
    }
}
