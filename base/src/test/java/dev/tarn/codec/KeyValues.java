package dev.tarn.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.type.ScalarType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Random and adversarial values for the parts of a key, and how SQL compares them.
 *
 * <p>Times are nanoseconds as {@code Long}, timestamps nanoseconds since 1970 as {@code
 * BigInteger}.
 */
final class KeyValues {
    private static final BigInteger NANOS_PER_MILLI = BigInteger.valueOf(1_000_000);

    private final List<ScalarType> types;
    private final Random random;

    KeyValues(List<ScalarType> types, Random random) {
        this.types = types;
        this.random = random;
    }

    @Nullable Object[] next() {
        Object[] values = new Object[types.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = nextValue(types.get(i));
        }
        return values;
    }

    /** Returns values that share their first parts with others, so that later ones decide. */
    @Nullable Object[] nextNear(@Nullable Object[] others) {
        Object[] values = next();
        int shared = random.nextInt(values.length + 1);
        System.arraycopy(others, 0, values, 0, shared == values.length ? shared - 1 : shared);
        int at = Math.min(shared, values.length - 1);
        if (others[at] instanceof byte[] bytes && random.nextBoolean()) {
            values[at] = limited(types.get(at), nearBytes(bytes));
        }
        return values;
    }

    /** Returns a neighbour of a string: a prefix, an extension, or one with another byte. */
    private byte[] nearBytes(byte[] bytes) {
        int choice = random.nextInt(3);
        if (choice == 0) {
            return Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        }
        byte[] near = Arrays.copyOf(bytes, bytes.length + choice - 1);
        if (near.length > 0) {
            near[near.length - 1] = edgeByte();
        }
        return near;
    }

    private byte edgeByte() {
        byte[] edges = {0, 1, 2, 3, 0x1f, ' ', '!', 'a', 0x7f};
        return edges[random.nextInt(edges.length)];
    }

    private @Nullable Object nextValue(ScalarType type) {
        if (type.nullable() && random.nextInt(8) == 0) {
            return null;
        }
        return switch (type.root()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) integer(8);
            case SMALLINT -> (short) integer(16);
            case INT, DATE -> (int) integer(32);
            case BIGINT -> integer(64);
            case FLOAT -> nextFloat();
            case DOUBLE -> nextDouble();
            case DECIMAL -> nextDecimal(type);
            case TIME -> nextTime();
            case TIMESTAMP, TIMESTAMP_LTZ ->
                    BigInteger.valueOf(Math.max(integer(64), Long.MIN_VALUE + 1000))
                            .multiply(NANOS_PER_MILLI)
                            .add(BigInteger.valueOf(nanosOfMilli()));
            case CHAR, VARCHAR, BINARY, VARBINARY -> nextBytes(type);
            default -> throw new AssertionError(type);
        };
    }

    private long integer(int bits) {
        long min = -1L << (bits - 1);
        return switch (random.nextInt(6)) {
            case 0 -> min + random.nextInt(3);
            case 1 -> ~min - random.nextInt(3);
            case 2 -> random.nextInt(5) - 2;
            default -> random.nextLong() >> (64 - 1 - random.nextInt(bits));
        };
    }

    private int nanosOfMilli() {
        int[] edges = {0, 1, 999, 1000, 999_999, 999_000};
        return random.nextBoolean()
                ? random.nextInt(1_000_000)
                : edges[random.nextInt(edges.length)];
    }

    private long nextTime() {
        long[] edges = {0, 1, 999_999, 1_000_000, 86_399_999_999_999L, 86_399_999_000_000L};
        return random.nextBoolean()
                ? (long) (random.nextDouble() * 86_400_000_000_000L)
                : edges[random.nextInt(edges.length)];
    }

    private float nextFloat() {
        float[] edges = {
            0.0f,
            -0.0f,
            Float.NaN,
            Float.intBitsToFloat(0xffc12345),
            Float.POSITIVE_INFINITY,
            Float.NEGATIVE_INFINITY,
            Float.MIN_VALUE,
            -Float.MIN_VALUE,
            Float.MAX_VALUE,
            -Float.MAX_VALUE,
            Float.MIN_NORMAL,
            1.0f,
            -1.0f
        };
        return random.nextBoolean()
                ? Float.intBitsToFloat(random.nextInt())
                : edges[random.nextInt(edges.length)];
    }

    private double nextDouble() {
        double[] edges = {
            0.0,
            -0.0,
            Double.NaN,
            Double.longBitsToDouble(0xfff1234567890abcL),
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            Double.MIN_VALUE,
            -Double.MIN_VALUE,
            Double.MAX_VALUE,
            -Double.MAX_VALUE,
            Double.MIN_NORMAL,
            1.0,
            -1.0
        };
        return random.nextBoolean()
                ? Double.longBitsToDouble(random.nextLong())
                : edges[random.nextInt(edges.length)];
    }

    private BigDecimal nextDecimal(ScalarType type) {
        BigInteger bound = BigInteger.TEN.pow(type.precision());
        BigInteger unscaled =
                switch (random.nextInt(4)) {
                    case 0 -> bound.subtract(BigInteger.ONE);
                    case 1 -> BigInteger.valueOf(random.nextInt(3) - 1);
                    default -> new BigInteger(random.nextInt(128), random).mod(bound);
                };
        unscaled = random.nextBoolean() ? unscaled : unscaled.negate();
        BigDecimal value = new BigDecimal(unscaled, type.scale());
        return random.nextBoolean() ? value : value.stripTrailingZeros();
    }

    private byte[] nextBytes(ScalarType type) {
        if (type.root().isText()) {
            String text = text(random, 20);
            return limited(type, text.getBytes(StandardCharsets.UTF_8));
        }
        byte[] bytes = new byte[random.nextInt(4) == 0 ? random.nextInt(40) : random.nextInt(4)];
        boolean edges = random.nextBoolean();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = edges ? edgeByte() : (byte) random.nextInt(256);
        }
        if (random.nextInt(6) == 0) {
            Arrays.fill(bytes, (byte) (random.nextBoolean() ? 0 : 0xff));
        }
        return bytes;
    }

    /** Cuts CHAR to its length in characters; keys refuse longer ones. */
    private static byte[] limited(ScalarType type, byte[] bytes) {
        if (type.root() != dev.tarn.type.TypeRoot.CHAR) {
            return bytes;
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        int count = Math.min(type.length(), text.codePointCount(0, text.length()));
        return text.substring(0, text.offsetByCodePoints(0, count))
                .getBytes(StandardCharsets.UTF_8);
    }

    static String text(Random random, int lengthMax) {
        StringBuilder text = new StringBuilder();
        String[] edges = {
            "\u0000",
            "\u0001",
            "\u0002",
            " ",
            "\t",
            "a",
            "b",
            "z",
            "\u007f",
            "\u0080",
            "\u07ff",
            "\u0800",
            "\uffff",
            "\ud7ff",
            "\ue000",
            "\ud83d\ude00",
            "\udbff\udfff"
        };
        for (int length = random.nextInt(lengthMax + 1); length > 0; length--) {
            if (random.nextInt(3) == 0) {
                text.append(edges[random.nextInt(edges.length)]);
            } else {
                text.append((char) ('a' + random.nextInt(3)));
            }
        }
        return text.toString();
    }

    int encode(
            KeyEncoder encoder,
            @Nullable Object[] values,
            OffHeapMemory memory,
            int offset,
            int limit) {
        return put(encoder.begin(memory, offset, limit), values).finish();
    }

    KeyEncoder put(KeyEncoder encoder, @Nullable Object[] values) {
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            if (value == null) {
                encoder.putNull();
                continue;
            }
            switch (types.get(i).root()) {
                case BOOLEAN -> encoder.putBoolean((Boolean) value);
                case TINYINT -> encoder.putByte((Byte) value);
                case SMALLINT -> encoder.putShort((Short) value);
                case INT -> encoder.putInt((Integer) value);
                case DATE -> encoder.putDate((Integer) value);
                case BIGINT -> encoder.putLong((Long) value);
                case FLOAT -> encoder.putFloat((Float) value);
                case DOUBLE -> encoder.putDouble((Double) value);
                case DECIMAL -> putDecimal(encoder, (BigDecimal) value);
                case TIME -> encoder.putTime((Long) value);
                case TIMESTAMP, TIMESTAMP_LTZ -> {
                    BigInteger[] parts = ((BigInteger) value).divideAndRemainder(NANOS_PER_MILLI);
                    long millis = parts[0].longValue();
                    int nanos = parts[1].intValue();
                    // Before 1970 the remainder is negative.
                    encoder.putTimestamp(
                            nanos < 0 ? millis - 1 : millis, nanos < 0 ? nanos + 1_000_000 : nanos);
                }
                default -> putBytes(encoder, types.get(i), (byte[]) value);
            }
        }
        return encoder;
    }

    private void putDecimal(KeyEncoder encoder, BigDecimal value) {
        if (value.unscaledValue().bitLength() < 64 && random.nextBoolean()) {
            encoder.putDecimal(value.unscaledValue().longValue(), value.scale());
        } else {
            encoder.putDecimal(value);
        }
    }

    private void putBytes(KeyEncoder encoder, ScalarType type, byte[] value) {
        String text = new String(value, StandardCharsets.UTF_8);
        // What is cut inside a character is no text.
        boolean isText =
                type.root().isText() && Arrays.equals(text.getBytes(StandardCharsets.UTF_8), value);
        int choice = random.nextInt(isText ? 3 : 2);
        switch (choice) {
            case 0 -> encoder.putBytes(value);
            case 1 -> {
                byte[] padded = new byte[value.length + 10];
                System.arraycopy(value, 0, padded, 7, value.length);
                encoder.putBytes(OffHeapMemory.wrap(padded), 7, value.length);
            }
            default -> encoder.putString(text);
        }
    }

    int compare(@Nullable Object[] left, @Nullable Object[] right) {
        for (int i = 0; i < left.length; i++) {
            int comparison = compare(types.get(i), left[i], right[i]);
            if (comparison != 0) {
                return comparison;
            }
        }
        return 0;
    }

    private static int compare(ScalarType type, @Nullable Object left, @Nullable Object right) {
        if (left == null || right == null) {
            return (left == null ? 0 : 1) - (right == null ? 0 : 1);
        }
        return switch (type.root()) {
            case BOOLEAN -> Boolean.compare((Boolean) left, (Boolean) right);
            case TINYINT -> Byte.compare((Byte) left, (Byte) right);
            case SMALLINT -> Short.compare((Short) left, (Short) right);
            case INT, DATE -> Integer.compare((Integer) left, (Integer) right);
            case BIGINT -> Long.compare((Long) left, (Long) right);
            case FLOAT -> {
                float a = (Float) left;
                float b = (Float) right;
                yield a == b ? 0 : Float.compare(a, b);
            }
            case DOUBLE -> {
                double a = (Double) left;
                double b = (Double) right;
                yield a == b ? 0 : Double.compare(a, b);
            }
            case DECIMAL -> ((BigDecimal) left).compareTo((BigDecimal) right);
            case TIME -> cut((Long) left, type).compareTo(cut((Long) right, type));
            case TIMESTAMP, TIMESTAMP_LTZ ->
                    cut((BigInteger) left, type).compareTo(cut((BigInteger) right, type));
            case CHAR ->
                    Arrays.compareUnsigned(
                            padded((byte[]) left, type), padded((byte[]) right, type));
            default -> Arrays.compareUnsigned((byte[]) left, (byte[]) right);
        };
    }

    private static Long cut(long nanos, ScalarType type) {
        return cut(BigInteger.valueOf(nanos), type).longValue();
    }

    private static BigInteger cut(BigInteger nanos, ScalarType type) {
        return new BigDecimal(nanos, 9)
                .setScale(type.precision(), RoundingMode.FLOOR)
                .setScale(9, RoundingMode.UNNECESSARY)
                .unscaledValue();
    }

    private static byte[] padded(byte[] bytes, ScalarType type) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        int missing = type.length() - text.codePointCount(0, text.length());
        return (text + " ".repeat(missing)).getBytes(StandardCharsets.UTF_8);
    }

    /** Reads all parts, whatever they are. */
    void readAll(KeyDecoder decoder) {
        for (int i = 0; i < types.size(); i++) {
            read(decoder, i);
        }
    }

    void checkDecoded(KeyDecoder decoder, @Nullable Object[] values) {
        for (int i = 0; i < values.length; i++) {
            assertThat(decoder.isNull(i)).isEqualTo(values[i] == null);
            Object value = values[i];
            if (value == null) {
                continue;
            }
            ScalarType type = types.get(i);
            Object decoded = read(decoder, i);
            if (type.root() == dev.tarn.type.TypeRoot.CHAR) {
                assertThat((byte[]) decoded).isEqualTo(padded((byte[]) value, type));
            } else {
                assertThat(compare(type, decoded, value))
                        .as("type=%s decoded=%s value=%s", type, decoded, value)
                        .isZero();
            }
        }
    }

    private Object read(KeyDecoder decoder, int part) {
        ScalarType type = types.get(part);
        return switch (type.root()) {
            case BOOLEAN -> decoder.getBoolean(part);
            case TINYINT -> decoder.getByte(part);
            case SMALLINT -> decoder.getShort(part);
            case INT -> decoder.getInt(part);
            case DATE -> decoder.getDate(part);
            case BIGINT -> decoder.getLong(part);
            case FLOAT -> decoder.getFloat(part);
            case DOUBLE -> decoder.getDouble(part);
            case DECIMAL -> decoder.getDecimal(part);
            case TIME -> decoder.getTime(part);
            case TIMESTAMP, TIMESTAMP_LTZ ->
                    BigInteger.valueOf(decoder.getTimestampMillis(part))
                            .multiply(NANOS_PER_MILLI)
                            .add(BigInteger.valueOf(decoder.getTimestampNanosOfMilli(part)));
            default -> {
                BytesView view = new BytesView();
                decoder.getBytes(part, view);
                yield view.toByteArray();
            }
        };
    }
}
