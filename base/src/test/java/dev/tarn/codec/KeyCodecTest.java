package dev.tarn.codec;

import static dev.tarn.type.DataTypes.BIGINT;
import static dev.tarn.type.DataTypes.BINARY;
import static dev.tarn.type.DataTypes.BOOLEAN;
import static dev.tarn.type.DataTypes.BYTES;
import static dev.tarn.type.DataTypes.CHAR;
import static dev.tarn.type.DataTypes.DATE;
import static dev.tarn.type.DataTypes.DECIMAL;
import static dev.tarn.type.DataTypes.DOUBLE;
import static dev.tarn.type.DataTypes.FLOAT;
import static dev.tarn.type.DataTypes.INT;
import static dev.tarn.type.DataTypes.SMALLINT;
import static dev.tarn.type.DataTypes.STRING;
import static dev.tarn.type.DataTypes.TIME;
import static dev.tarn.type.DataTypes.TIMESTAMP;
import static dev.tarn.type.DataTypes.TIMESTAMP_LTZ;
import static dev.tarn.type.DataTypes.TINYINT;
import static dev.tarn.type.DataTypes.VARBINARY;
import static dev.tarn.type.DataTypes.VARCHAR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.Seeds;
import dev.tarn.type.DataType;
import dev.tarn.type.DataTypes;
import dev.tarn.type.ScalarType;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyCodecTest {
    /** Runs a body with its own random numbers; Seeds names them when it fails. */
    private static void seeded(Consumer<Random> body) {
        Seeds.run(1, random -> body.accept(new Random(random.nextLong())));
    }

    static List<ScalarType> types() {
        return List.of(
                BOOLEAN,
                TINYINT,
                SMALLINT,
                INT,
                BIGINT,
                FLOAT,
                DOUBLE,
                DECIMAL(1, 0),
                DECIMAL(9, 9),
                DECIMAL(10, 3),
                DECIMAL(18, 0),
                DECIMAL(19, 4),
                DECIMAL(38, 10),
                CHAR(1),
                CHAR(5),
                VARCHAR(20),
                STRING,
                BINARY(8),
                VARBINARY(30),
                BYTES,
                DATE,
                TIME(0),
                TIME(3),
                TIME(6),
                TIME(9),
                TIMESTAMP(0),
                TIMESTAMP(3),
                TIMESTAMP(6),
                TIMESTAMP(9),
                TIMESTAMP_LTZ(3),
                TIMESTAMP_LTZ(9));
    }

    @ParameterizedTest
    @MethodSource("types")
    void bytesOrderAsValues(ScalarType type) {
        checkOrder(List.of(type));
        checkOrder(List.of(type.notNull()));
    }

    @Test
    void bytesOfCompositeKeysOrderAsTheirParts() {
        seeded(KeyCodecTest::bytesOfCompositeKeysOrderAsTheirParts);
    }

    private static void bytesOfCompositeKeysOrderAsTheirParts(Random random) {
        for (int i = 0; i < 150; i++) {
            List<ScalarType> key = new ArrayList<>();
            int partCount = 2 + random.nextInt(4);
            for (int part = 0; part < partCount; part++) {
                ScalarType type = types().get(random.nextInt(types().size()));
                key.add(random.nextBoolean() ? type : type.notNull());
            }
            checkOrder(key, random, 200);
        }
    }

    /** Where a wrong terminator would show: strings that are prefixes of others, then a part. */
    @Test
    void stringsBeforeOtherPartsOrderByTheString() {
        for (ScalarType second :
                List.of(STRING, BYTES, BIGINT, STRING.notNull(), BIGINT.notNull())) {
            checkOrder(List.of(STRING.notNull(), second));
            checkOrder(List.of(BYTES, second));
            checkOrder(List.of(CHAR(5).notNull(), second));
        }
    }

    private static void checkOrder(List<ScalarType> key) {
        seeded(random -> checkOrder(key, random, 1000));
    }

    /** Compares the encoded bytes of random pairs with their values, and reads them back. */
    private static void checkOrder(List<ScalarType> key, Random random, int iterations) {
        KeyValues values = new KeyValues(key, random);
        KeyEncoder encoder = new KeyEncoder(key);
        KeyDecoder decoder = new KeyDecoder(key);
        OffHeapMemory memory = OffHeapMemory.wrap(ByteBuffer.allocateDirect(1 << 14));
        Object[] left = values.next();
        for (int i = 0; i < iterations; i++) {
            Object[] right = values.nextNear(left);
            int leftLength = values.encode(encoder, left, memory, 3, 1 << 13);
            int rightLength = values.encode(encoder, right, memory, 1 << 13, 1 << 14);
            int actual = OffHeapMemory.compare(memory, 3, leftLength, memory, 1 << 13, rightLength);
            int expected = values.compare(left, right);
            assertThat(Integer.signum(actual))
                    .as(
                            "key=%s left=%s right=%s",
                            key, Arrays.deepToString(left), Arrays.deepToString(right))
                    .isEqualTo(Integer.signum(expected));
            decoder.wrap(memory, 1 << 13, rightLength);
            values.checkDecoded(decoder, right);
            left = right;
        }
    }

    @Test
    void bothZerosAreOneKey() {
        assertThat(hex(encode(DOUBLE, encoder -> encoder.putDouble(-0.0))))
                .isEqualTo(hex(encode(DOUBLE, encoder -> encoder.putDouble(0.0))));
        assertThat(hex(encode(FLOAT, encoder -> encoder.putFloat(-0.0f))))
                .isEqualTo(hex(encode(FLOAT, encoder -> encoder.putFloat(0.0f))));
    }

    @Test
    void allNansAreOneKeyAboveInfinity() {
        byte[] nan = encode(DOUBLE, encoder -> encoder.putDouble(Double.NaN));
        for (long payload :
                new long[] {0x7ff0000000000001L, 0x7fffffffffffffffL, 0xfff8000000000000L, -1L}) {
            double other = Double.longBitsToDouble(payload);
            assertThat(encode(DOUBLE, encoder -> encoder.putDouble(other))).isEqualTo(nan);
        }
        byte[] infinity = encode(DOUBLE, encoder -> encoder.putDouble(Double.POSITIVE_INFINITY));
        assertThat(Arrays.compareUnsigned(nan, infinity)).isPositive();
        byte[] floatNan = encode(FLOAT, encoder -> encoder.putFloat(Float.NaN));
        for (int payload : new int[] {0x7f800001, 0x7fffffff, 0xffc00000, -1}) {
            float other = Float.intBitsToFloat(payload);
            assertThat(encode(FLOAT, encoder -> encoder.putFloat(other))).isEqualTo(floatNan);
        }
    }

    @Test
    void decimalsAreEqualByValue() {
        for (ScalarType type : List.of(DECIMAL(9, 2), DECIMAL(12, 2), DECIMAL(30, 2))) {
            byte[] key = encode(type, encoder -> encoder.putDecimal(150, 2));
            assertThat(encode(type, encoder -> encoder.putDecimal(15, 1))).isEqualTo(key);
            assertThat(encode(type, encoder -> encoder.putDecimal(new BigDecimal("1.500"))))
                    .isEqualTo(key);
            assertThat(encode(type, encoder -> encoder.putDecimal(new BigDecimal("1.4951"))))
                    .as("rounds half away from zero")
                    .isEqualTo(key);
        }
    }

    @Test
    void decimalBeyondItsTypeIsRefused() {
        assertThatThrownBy(() -> encode(DECIMAL(4, 2), encoder -> encoder.putDecimal(10_000, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("value=100.00 type=DECIMAL(4, 2)");
        assertThatThrownBy(
                        () ->
                                encode(
                                        DECIMAL(38, 0),
                                        encoder ->
                                                encoder.putDecimal(
                                                        new BigDecimal("1E+1000000000"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () ->
                                encode(
                                        DECIMAL(4, 2),
                                        encoder -> encoder.putDecimal(new BigDecimal("99.995"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(
                        encode(
                                DECIMAL(4, 2),
                                encoder -> encoder.putDecimal(new BigDecimal("1E-1000000000"))))
                .isEqualTo(encode(DECIMAL(4, 2), encoder -> encoder.putDecimal(0, 0)));
    }

    @Test
    void charComparesPadded() {
        byte[] padded = encode(CHAR(4), encoder -> encoder.putString("ab  "));
        assertThat(encode(CHAR(4), encoder -> encoder.putString("ab"))).isEqualTo(padded);
        assertThat(encode(CHAR(4), encoder -> encoder.putString("ab      "))).isEqualTo(padded);
        assertThat(encode(CHAR(4), encoder -> encoder.putBytes(BytesView.of("ab"))))
                .isEqualTo(padded);
        assertThat(encode(CHAR(4), encoder -> encoder.putBytes(ascii("ab ")))).isEqualTo(padded);
        byte[] tab = encode(CHAR(4), encoder -> encoder.putString("ab\t"));
        assertThat(Arrays.compareUnsigned(tab, padded)).as("a tab is below a blank").isNegative();
        assertThatThrownBy(() -> encode(CHAR(4), encoder -> encoder.putString("abcde")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("characters=5 part=0 type=CHAR(4)");
        assertThat(encode(CHAR(2), encoder -> encoder.putString("\ud83d\ude00")))
                .as("counts characters, not bytes")
                .isEqualTo("\ud83d\ude00 ".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void textViewAndArrayGiveOneKey() {
        seeded(KeyCodecTest::textViewAndArrayGiveOneKey);
    }

    private static void textViewAndArrayGiveOneKey(Random random) {
        List<ScalarType> key = List.of(STRING, CHAR(8), VARCHAR(100));
        for (int i = 0; i < 1000; i++) {
            String text = KeyValues.text(random, 40);
            String shortText = KeyValues.text(random, 4);
            byte[] fromText =
                    encode(
                            key,
                            e -> e.putString(text).putString(shortText).putString(text).finish());
            byte[] textBytes = text.getBytes(StandardCharsets.UTF_8);
            byte[] shortBytes = shortText.getBytes(StandardCharsets.UTF_8);
            byte[] fromArray =
                    encode(
                            key,
                            e ->
                                    e.putBytes(textBytes)
                                            .putBytes(shortBytes)
                                            .putBytes(textBytes)
                                            .finish());
            byte[] fromView =
                    encode(
                            key,
                            e ->
                                    e.putBytes(BytesView.of(textBytes))
                                            .putBytes(BytesView.of(shortBytes))
                                            .putBytes(BytesView.of(textBytes))
                                            .finish());
            assertThat(fromArray).as("text=%s", text).isEqualTo(fromText);
            assertThat(fromView).as("text=%s", text).isEqualTo(fromText);
        }
    }

    @Test
    void keyThatDoesNotFitReportsItsLengthAndWritesNothingBeyondTheLimit() {
        List<ScalarType> key =
                List.of(INT, STRING, CHAR(7).notNull(), TIMESTAMP(9), DECIMAL(30, 2), BYTES);
        seeded(random -> checkEachLimit(new KeyValues(key, random), new KeyEncoder(key)));
    }

    private static void checkEachLimit(KeyValues values, KeyEncoder encoder) {
        OffHeapMemory memory = OffHeapMemory.wrap(ByteBuffer.allocateDirect(1 << 12));
        for (int i = 0; i < 60; i++) {
            Object[] row = values.next();
            int length = values.encode(encoder, row, memory, 0, 1 << 12);
            for (int room = 0; room <= length; room++) {
                memory.fill(0, 1 << 12, (byte) 0x5a);
                int result = values.encode(encoder, row, memory, 7, 7 + room);
                assertThat(result).isEqualTo(room == length ? length : -length);
                for (int at = 7 + room; at < 7 + room + 32; at++) {
                    assertThat(memory.getByte(at)).isEqualTo((byte) 0x5a);
                }
            }
        }
    }

    @Test
    void longestKeyIsAcceptedAndOneByteMoreRefused() {
        OffHeapMemory memory = OffHeapMemory.wrap(ByteBuffer.allocateDirect(1 << 17));
        KeyEncoder encoder = new KeyEncoder(List.of(BYTES.notNull()));
        byte[] longest = new byte[KeyEncoder.KEY_LENGTH_MAX];
        assertThat(encoder.begin(memory, 0, 1 << 17).putBytes(longest).finish()).isEqualTo(65_535);
        byte[] tooLong = new byte[KeyEncoder.KEY_LENGTH_MAX + 1];
        encoder.begin(memory, 0, 1 << 17).putBytes(tooLong);
        assertThatThrownBy(encoder::finish)
                .isInstanceOf(KeyTooLongException.class)
                .hasMessage("key is too long: keyLength=65536 keyLengthMax=65535");
        encoder.begin(memory, 0, 1 << 17).putBytes(BytesView.of(tooLong));
        assertThatThrownBy(encoder::finish).isInstanceOf(KeyTooLongException.class);
        KeyEncoder padded = new KeyEncoder(List.of(CHAR(Integer.MAX_VALUE), STRING));
        padded.begin(memory, 0, 1 << 17).putString("a").putString("b");
        assertThatThrownBy(padded::finish).isInstanceOf(KeyTooLongException.class);
        KeyEncoder text = new KeyEncoder(List.of(STRING, STRING));
        text.begin(memory, 0, 1 << 17).putString("\u0000".repeat(40_000)).putString("b");
        assertThatThrownBy(text::finish)
                .isInstanceOf(KeyTooLongException.class)
                .hasMessageContaining("keyLength=80004");
    }

    @Test
    void misuseIsRefused() {
        assertThatThrownBy(() -> encode(INT, encoder -> encoder.putLong(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key part has another type: part=0 expected=INT actual=INT64");
        assertThatThrownBy(() -> encode(INT, encoder -> encoder.putInt(1).putInt(2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected=the end of the key");
        assertThatThrownBy(() -> encode(BYTES, encoder -> encoder.putString("a")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> encode(INT.notNull(), KeyEncoder::putNull))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key part does not take NULL: part=0 type=INT NOT NULL");
        assertThatThrownBy(() -> encode(List.of(INT, INT), encoder -> encoder.putInt(1).finish()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("key is incomplete: parts=1 partsExpected=2");
        assertThatThrownBy(() -> encode(TIME(3), encoder -> encoder.putTime(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> encode(TIMESTAMP(3), encoder -> encoder.putTimestamp(0, -1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new KeyEncoder(List.of(DataTypes.ARRAY(INT))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("type cannot be part of a key: type=ARRAY<INT>");
        assertThatThrownBy(() -> new KeyEncoder(List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void bytesThatNoEncoderWritesAreCorruption() {
        assertCorrupt("02", List.of(BOOLEAN.notNull()), decoder -> decoder.getBoolean(0));
        assertCorrupt("", List.of(BOOLEAN), decoder -> {});
        assertCorrupt("02 01", List.of(BOOLEAN), decoder -> {});
        assertCorrupt("01", List.of(BOOLEAN), decoder -> {});
        assertCorrupt("00 00", List.of(BOOLEAN), decoder -> {});
        assertCorrupt("80 00 00", List.of(INT.notNull()), decoder -> {});
        assertCorrupt("80 00 00 00 00", List.of(INT.notNull()), decoder -> {});
        assertCorrupt("61", List.of(STRING.notNull(), STRING.notNull()), decoder -> {});
        assertCorrupt("61 01", List.of(STRING.notNull(), STRING.notNull()), decoder -> {});
        assertCorrupt("61 01 03 00", List.of(STRING.notNull(), STRING.notNull()), decoder -> {});
        assertCorrupt("61 01 00 00", List.of(STRING.notNull(), STRING.notNull()), decoder -> {});
        assertCorrupt("7f ff ff ff", List.of(FLOAT.notNull()), decoder -> decoder.getFloat(0));
        assertCorrupt("ff c0 00 01", List.of(FLOAT.notNull()), decoder -> decoder.getFloat(0));
        assertCorrupt(
                "7f ff ff ff ff ff ff ff",
                List.of(DOUBLE.notNull()),
                decoder -> decoder.getDouble(0));
        assertCorrupt(
                "00 00 00 00 00 00 00 00",
                List.of(DOUBLE.notNull()),
                decoder -> decoder.getDouble(0));
        assertCorrupt(
                "80 00 00 64",
                List.of(DECIMAL(2, 0).notNull()),
                decoder -> decoder.getCompactDecimal(0));
        assertCorrupt(
                "ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff",
                List.of(DECIMAL(38, 0).notNull()),
                decoder -> decoder.getDecimal(0));
        assertCorrupt("80 00 00 01", List.of(TIME(0).notNull()), decoder -> decoder.getTime(0));
        assertCorrupt("7f ff ff ff", List.of(TIME(3).notNull()), decoder -> decoder.getTime(0));
        assertCorrupt(
                "80 00 00 00 00 00 00 00 00 0f 42 40",
                List.of(TIMESTAMP(9).notNull()),
                decoder -> decoder.getTimestampNanosOfMilli(0));
        assertCorrupt(
                "80 00 00 00 00 00 00 01",
                List.of(TIMESTAMP(0).notNull()),
                decoder -> decoder.getTimestampMillis(0));
        assertCorrupt("61 62", List.of(CHAR(3).notNull()), decoder -> decoder.getString(0));
    }

    /** Damaged keys decode to something or are corruption; nothing else is ever thrown. */
    @Test
    void damagedKeysNeverFailOtherwise() {
        seeded(KeyCodecTest::damagedKeysNeverFailOtherwise);
    }

    private static void damagedKeysNeverFailOtherwise(Random random) {
        for (int i = 0; i < 60; i++) {
            List<ScalarType> key = new ArrayList<>();
            for (int part = 0; part < 4; part++) {
                key.add(types().get(random.nextInt(types().size())));
            }
            KeyValues values = new KeyValues(key, random);
            KeyDecoder decoder = new KeyDecoder(key);
            byte[] good = encode(key, encoder -> values.put(encoder, values.next()).finish());
            for (int damage = 0; damage < 50; damage++) {
                byte[] bytes = Arrays.copyOf(good, random.nextInt(good.length + 3));
                for (int flips = random.nextInt(3); flips > 0 && bytes.length > 0; flips--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
                }
                try {
                    decoder.wrap(BytesView.of(bytes));
                    values.readAll(decoder);
                } catch (CorruptDataException e) {
                    assertThat(e).hasMessageContaining("key");
                }
            }
        }
    }

    @Test
    void documentShowsTheBytesOfItsExample() {
        List<ScalarType> key =
                List.of(
                        BIGINT.notNull(),
                        STRING.notNull(),
                        DECIMAL(12, 2),
                        DOUBLE,
                        DATE,
                        TIMESTAMP(6),
                        CHAR(4),
                        BYTES);
        byte[] actual =
                encode(
                        key,
                        encoder ->
                                encoder.putLong(42)
                                        .putString("a\u0000b")
                                        .putDecimal(-1999, 2)
                                        .putDouble(-1.5)
                                        .putDate((int) LocalDate.of(2026, 12, 1).toEpochDay())
                                        .putTimestamp(1_764_547_200_123L, 456_000)
                                        .putString("ab")
                                        .putBytes(new byte[] {0, 1, 2})
                                        .finish());
        assertThat(hex(actual))
                .isEqualTo(hex(FormatDocument.read("key.md").hexUnder("6. Worked example")));
        KeyDecoder decoder = new KeyDecoder(key).wrap(BytesView.of(actual));
        assertThat(decoder.getLong(0)).isEqualTo(42);
        assertThat(decoder.getString(1)).isEqualTo("a\u0000b");
        assertThat(decoder.getDecimal(2)).isEqualTo(new BigDecimal("-19.99"));
        assertThat(decoder.getString(6)).isEqualTo("ab  ");
    }

    @Test
    void documentListsTheBytesOfEachType() {
        List<List<String>> rows = FormatDocument.read("key.md").tableUnder("Encoded values");
        assertThat(rows).hasSizeGreaterThan(25);
        for (List<String> row : rows) {
            ScalarType type = (ScalarType) dev.tarn.type.DataTypeParser.parse(row.get(0)).notNull();
            byte[] key = encode(List.of(type), encoder -> putText(encoder, type, row.get(1)));
            assertThat(hex(key)).as("%s", row).isEqualTo(row.get(2).replace(" ", ""));
        }
    }

    private static int putText(KeyEncoder encoder, ScalarType type, String text) {
        switch (type.root()) {
            case BOOLEAN -> encoder.putBoolean(Boolean.parseBoolean(text));
            case TINYINT -> encoder.putByte(Byte.parseByte(text));
            case SMALLINT -> encoder.putShort(Short.parseShort(text));
            case INT -> encoder.putInt(Integer.parseInt(text));
            case BIGINT -> encoder.putLong(Long.parseLong(text));
            case FLOAT -> encoder.putFloat(Float.parseFloat(text));
            case DOUBLE -> encoder.putDouble(Double.parseDouble(text));
            case DECIMAL -> encoder.putDecimal(new BigDecimal(text));
            case DATE -> encoder.putDate((int) LocalDate.parse(text).toEpochDay());
            case TIME -> encoder.putTime(LocalTime.parse(text).toNanoOfDay());
            case TIMESTAMP -> {
                java.time.Instant instant = java.time.Instant.parse(text + "Z");
                encoder.putTimestamp(
                        instant.toEpochMilli(),
                        (int)
                                Math.floorMod(
                                        instant.getLong(ChronoField.NANO_OF_SECOND), 1_000_000L));
            }
            case CHAR, VARCHAR -> encoder.putString(text);
            case BINARY, VARBINARY -> encoder.putBytes(FormatDocument.fromHex(text));
            default -> throw new AssertionError("the document has a type without a reader");
        }
        return encoder.finish();
    }

    private interface Use {
        void accept(KeyEncoder encoder);
    }

    private interface Finish {
        int apply(KeyEncoder encoder);
    }

    private interface Read {
        void accept(KeyDecoder decoder);
    }

    private static byte[] encode(ScalarType type, Use use) {
        return encode(
                List.of(type),
                encoder -> {
                    use.accept(encoder);
                    return encoder.finish();
                });
    }

    private static byte[] encode(List<? extends DataType> key, Finish use) {
        OffHeapMemory memory = OffHeapMemory.wrap(ByteBuffer.allocateDirect(1 << 14));
        int length = use.apply(new KeyEncoder(key).begin(memory, 0, 1 << 14));
        assertThat(length).isNotNegative();
        // Single keys are nullable in these tests; the marker would only blur what they show.
        int skip = key.size() == 1 && key.get(0).nullable() ? 1 : 0;
        byte[] bytes = new byte[length - skip];
        memory.getBytes(skip, bytes, 0, length - skip);
        return bytes;
    }

    private static void assertCorrupt(String bytes, List<ScalarType> key, Read read) {
        assertThatThrownBy(
                        () -> {
                            KeyDecoder decoder = new KeyDecoder(key);
                            decoder.wrap(BytesView.of(FormatDocument.fromHex(bytes)));
                            read.accept(decoder);
                        })
                .as("key=%s bytes=%s", key, bytes)
                .isInstanceOf(CorruptDataException.class)
                .hasMessageContaining("part=");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
