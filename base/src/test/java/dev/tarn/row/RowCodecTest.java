package dev.tarn.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.codec.FormatDocument;
import dev.tarn.codec.KeyEncoder;
import dev.tarn.codec.UnsupportedFormatException;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.RowGenerator;
import dev.tarn.testing.Seeds;
import dev.tarn.type.ArrayType;
import dev.tarn.type.DataType;
import dev.tarn.type.DataTypeParser;
import dev.tarn.type.DataTypes;
import dev.tarn.type.RowSchema;
import dev.tarn.type.RowType;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RowCodecTest {
    private static final int CAPACITY = 1 << 16;

    private static final List<DataType> TYPES =
            types(
                    "BOOLEAN",
                    "TINYINT",
                    "SMALLINT",
                    "INT",
                    "BIGINT NOT NULL",
                    "FLOAT",
                    "DOUBLE",
                    "DECIMAL(9, 2)",
                    "DECIMAL(18, 18)",
                    "DECIMAL(19, 0)",
                    "DECIMAL(38, 10)",
                    "CHAR(3)",
                    "VARCHAR(20)",
                    "STRING NOT NULL",
                    "BINARY(4)",
                    "BYTES",
                    "DATE",
                    "TIME(0)",
                    "TIME(3)",
                    "TIME(9)",
                    "TIMESTAMP(0)",
                    "TIMESTAMP(3)",
                    "TIMESTAMP(6)",
                    "TIMESTAMP_LTZ(3)",
                    "TIMESTAMP_LTZ(9)",
                    "ARRAY<INT>",
                    "ARRAY<STRING NOT NULL> NOT NULL",
                    "ARRAY<ARRAY<BIGINT>>",
                    "MAP<STRING, DECIMAL(20, 1)>",
                    "MAP<INT NOT NULL, ROW<a INT, b BYTES>>",
                    "ROW<a INT NOT NULL, b STRING, c ARRAY<TIMESTAMP(9)>, d ROW<e BOOLEAN>>");

    private final OffHeapMemory memory = OffHeapMemory.wrap(ByteBuffer.allocateDirect(CAPACITY));

    @Test
    void rowsComeBack() {
        Seeds.run(
                500,
                random -> {
                    RowSchema schema = randomSchema(random);
                    Row row = new RowGenerator(random).row(schema.types());
                    int offset = random.nextInt(9);
                    int length = write(schema, row, offset);
                    RowFlyweight flyweight = RowFlyweight.of(schema).wrap(memory, offset, length);
                    assertThat(Row.read(flyweight)).isEqualTo(row);
                    assertThat(flyweight).hasToString(row.toString());
                });
    }

    @Test
    void fieldsMayBeSetInAnyOrder() {
        RowSchema schema = schema("BIGINT", "STRING", "STRING", "INT");
        RowBuilder builder = new RowBuilder(schema).begin(memory, 0, CAPACITY);
        int length =
                builder.setString(2, "a text that is long")
                        .setInt(3, 3)
                        .setString(1, new BytesView().wrap(BytesView.of("another long text")))
                        .setLong(0, 7)
                        .finish();
        assertThat(Row.read(RowFlyweight.of(schema).wrap(memory, 0, length)))
                .isEqualTo(Row.of(7L, "another long text", "a text that is long", 3));
    }

    @Test
    void fieldsThatAreNotSetAreNullAndNotNullOnesAreMissed() {
        RowSchema schema = schema("INT", "STRING NOT NULL", "BIGINT NOT NULL");
        RowBuilder builder = new RowBuilder(schema);
        int length = builder.begin(memory, 0, CAPACITY).setString(1, "").setLong(2, 0).finish();
        assertThat(Row.read(RowFlyweight.of(schema).wrap(memory, 0, length)))
                .isEqualTo(Row.of(null, "", 0L));
        assertThatThrownBy(() -> builder.begin(memory, 0, CAPACITY).setString(1, "a").finish())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("field must not be NULL: index=2 type=BIGINT NOT NULL");
        assertThat(builder.begin(memory, 0, CAPACITY).setLong(2, 1).finishPartial()).isPositive();
        assertThatThrownBy(() -> builder.begin(memory, 0, CAPACITY).setNull(2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("value must not be NULL: index=2 type=BIGINT NOT NULL");
    }

    @Test
    void nullTakesAValueBack() {
        RowSchema schema = schema("TIMESTAMP(9)", "STRING");
        RowBuilder builder = new RowBuilder(schema).begin(memory, 0, CAPACITY);
        int length =
                builder.setTimestamp(0, -1, 999_999)
                        .setString(1, "abc")
                        .setNull(0)
                        .setNull(1)
                        .finish();
        int empty = builder.begin(memory, 1000, CAPACITY).finish();
        assertThat(length).isEqualTo(empty);
        assertThat(OffHeapMemory.equal(memory, 0, memory, 1000, length)).isTrue();
    }

    @Test
    void rowThatDoesNotFitReportsItsLengthAndWritesNothingBeyondTheLimit() {
        Seeds.run(
                40,
                random -> {
                    RowSchema schema = randomSchema(random);
                    Row row = new RowGenerator(random).row(schema.types());
                    int length = write(schema, row, 0);
                    RowBuilder builder = new RowBuilder(schema);
                    for (int room = 0; room <= length; room++) {
                        memory.fill(0, length + 64, (byte) 0x5a);
                        row.write(builder.begin(memory, 5, 5 + room));
                        int result = builder.finish();
                        assertThat(result).isEqualTo(room == length ? length : -length);
                        for (int at = 5 + room; at < length + 64; at++) {
                            assertThat(memory.getByte(at)).isEqualTo((byte) 0x5a);
                        }
                    }
                });
    }

    @Test
    void growingTargetHoldsWhatFixedMemoryHolds() {
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        Seeds.run(
                100,
                random -> {
                    RowSchema schema = randomSchema(random);
                    Row row = new RowGenerator(random).row(schema.types());
                    int length = write(schema, row, 0);
                    try (RowScratch scratch =
                            new RowScratch(accountant, MemoryPurpose.IO_BUFFER, 1)) {
                        RowBuilder builder = new RowBuilder(schema).begin(scratch);
                        row.write(builder);
                        assertThat(builder.finish()).isEqualTo(length);
                        BytesView view = scratch.view(length, new BytesView());
                        assertThat(view.contentEquals(new BytesView().wrap(memory, 0, length)))
                                .isTrue();
                    }
                });
    }

    @Test
    void misuseIsRefused() {
        RowSchema schema = schema("INT", "STRING", "DECIMAL(4, 2)", "ARRAY<INT>");
        RowBuilder builder = new RowBuilder(schema).begin(memory, 0, CAPACITY);
        assertThatThrownBy(() -> builder.setLong(0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("value has another type: index=0 expected=INT actual=INT64");
        assertThatThrownBy(() -> builder.setDecimal(2, 10_000, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("type=DECIMAL(4, 2)");
        assertThatThrownBy(() -> Row.of(1L, "a", null, null).write(builder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("index=0 type=INT class=java.lang.Long");
        int length = builder.begin(memory, 0, CAPACITY).setInt(0, 1).finish();
        RowFlyweight row = RowFlyweight.of(schema).wrap(memory, 0, length);
        assertThatThrownBy(() -> row.getLong(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("value has another type: index=0 expected=INT64 actual=INT");
        assertThatThrownBy(() -> row.getArray(3, new ArrayFlyweight(DataTypes.INT)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("value is NULL: index=3 type=ARRAY<INT>");
        ArrayBuilder array = new ArrayBuilder(DataTypes.INT).begin(memory, 0, CAPACITY, 2);
        assertThatThrownBy(() -> array.setNull(2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> array.setInt(2, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void oldRowsAreReadUnderTheNewSchema() {
        RowSchema v0 =
                RowSchema.builder()
                        .field("id", DataTypes.BIGINT.notNull())
                        .field("small", DataTypes.TINYINT)
                        .field("dropped", DataTypes.STRING)
                        .field("price", DataTypes.DECIMAL(6, 2))
                        .field("at", DataTypes.TIMESTAMP(3))
                        .field("name", DataTypes.VARCHAR(10))
                        .build();
        RowSchema v1 = v0.changeType("small", DataTypes.INT).drop("dropped");
        RowSchema v2 =
                v1.rename("name", "title")
                        .move("title", 0)
                        .changeType("price", DataTypes.DECIMAL(30, 4))
                        .changeType("at", DataTypes.TIMESTAMP(9))
                        .changeType("small", DataTypes.DOUBLE)
                        .add("added", DataTypes.STRING, "a default that is long")
                        .add("tags", DataTypes.ARRAY(DataTypes.INT), List.of(1, 2))
                        .add("empty", DataTypes.INT, null);
        Map<Integer, RowSchema> schemas = Map.of(v0.id(), v0, v1.id(), v1, v2.id(), v2);
        RowFlyweight reader = RowFlyweight.evolving(v2, schemas::get);
        var time = java.time.LocalDateTime.parse("2026-12-01T12:00:00.123");

        int length = write(v0, Row.of(1L, (byte) -7, "gone", new BigDecimal("-19.99"), time, "x"));
        Row expected =
                Row.of(
                        "x",
                        1L,
                        -7.0,
                        new BigDecimal("-19.9900"),
                        time,
                        "a default that is long",
                        List.of(1, 2),
                        null);
        assertThat(Row.read(reader.wrap(memory, 0, length))).isEqualTo(expected);

        length = write(v1, Row.of(1L, -7, new BigDecimal("-19.99"), time, "x"));
        assertThat(Row.read(reader.wrap(memory, 0, length))).isEqualTo(expected);

        Row own = Row.of(null, 2L, 0.5, null, time.plusNanos(1), null, null, 9);
        length = write(v2, own);
        assertThat(Row.read(reader.wrap(memory, 0, length))).isEqualTo(own);

        RowFlyweight projection =
                RowFlyweight.projecting(List.of(v2.field(5), v2.field(0)), schemas::get);
        length = write(v0, Row.of(1L, null, null, null, null, "x"));
        assertThat(Row.read(projection.wrap(memory, 0, length)))
                .isEqualTo(Row.of("a default that is long", "x"));
    }

    @Test
    void eachWideningConvertsItsValues() {
        Object[][] cases = {
            {"TINYINT", "SMALLINT", (byte) -128, (short) -128},
            {"TINYINT", "BIGINT", (byte) 127, 127L},
            {"SMALLINT", "INT", (short) -5, -5},
            {"INT", "BIGINT", Integer.MIN_VALUE, (long) Integer.MIN_VALUE},
            {"SMALLINT", "FLOAT", (short) 32767, 32767.0f},
            {"INT", "DOUBLE", Integer.MAX_VALUE, (double) Integer.MAX_VALUE},
            {"INT", "DECIMAL(12, 2)", -3, new BigDecimal("-3.00")},
            {"BIGINT", "DECIMAL(38, 2)", Long.MIN_VALUE, new BigDecimal(Long.MIN_VALUE + ".00")},
            {"FLOAT", "DOUBLE", 1.5f, 1.5},
            {"DECIMAL(4, 2)", "DECIMAL(6, 3)", new BigDecimal("1.25"), new BigDecimal("1.250")},
            {"DECIMAL(18, 0)", "DECIMAL(19, 1)", new BigDecimal("-9"), new BigDecimal("-9.0")},
            {"DECIMAL(20, 0)", "DECIMAL(38, 5)", new BigDecimal("7"), new BigDecimal("7.00000")},
            {"CHAR(3)", "STRING", "ab", "ab"},
            {"BINARY(3)", "BYTES", new byte[] {1, 0}, new byte[] {1, 0}},
            {
                "TIME(0)",
                "TIME(9)",
                java.time.LocalTime.of(1, 2, 3),
                java.time.LocalTime.of(1, 2, 3)
            },
            {
                "TIMESTAMP_LTZ(3)",
                "TIMESTAMP_LTZ(6)",
                java.time.Instant.ofEpochMilli(-1),
                java.time.Instant.ofEpochMilli(-1)
            },
        };
        for (Object[] c : cases) {
            RowSchema old = schema((String) c[0]);
            RowSchema wide = old.changeType("f0", DataTypeParser.parse((String) c[1]));
            RowFlyweight reader = RowFlyweight.evolving(wide, id -> id == 0 ? old : wide);
            int length = write(old, Row.of(c[2]));
            assertThat(Row.read(reader.wrap(memory, 0, length)))
                    .as(Arrays.toString(c))
                    .isEqualTo(Row.of(c[3]));
            length = write(old, Row.of((Object) null));
            assertThat(reader.wrap(memory, 0, length).isNull(0)).isTrue();
        }
    }

    @Test
    void typeThatCannotBeReadIsRefused() {
        RowSchema stored = schema("BIGINT");
        RowFlyweight reader = RowFlyweight.evolving(schema("INT"), id -> stored);
        int length = write(stored, Row.of(1L));
        assertThatThrownBy(() -> reader.wrap(memory, 0, length))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("field=f0 stored=BIGINT read=INT storedSchemaId=0");
    }

    @Test
    void damagedHeaderIsReported() {
        RowSchema schema = schema("INT", "STRING");
        RowFlyweight row = RowFlyweight.of(schema);
        int length = write(schema, Row.of(1, "a string beyond its slot"));
        assertThatThrownBy(() -> row.wrap(memory, 0, 2)).isInstanceOf(CorruptDataException.class);
        assertThatThrownBy(() -> row.wrap(memory, 0, 15))
                .isInstanceOf(CorruptDataException.class)
                .hasMessageContaining("shorter than its fixed part: fixedLength=16 rowLength=15");
        memory.putByte(1, (byte) 9);
        assertThatThrownBy(() -> row.wrap(memory, 0, length))
                .isInstanceOf(CorruptDataException.class)
                .hasMessageContaining("schemaId=9");
        memory.putByte(1, (byte) 0);
        memory.putByte(0, (byte) 2);
        assertThatThrownBy(() -> row.wrap(memory, 0, length))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessage(
                        "row has an unknown format version: formatVersion=2 formatVersionMax=1");
        memory.putByte(0, (byte) 1);
        memory.putByte(3, (byte) 4);
        assertThatThrownBy(() -> row.wrap(memory, 0, length))
                .isInstanceOf(CorruptDataException.class)
                .hasMessageContaining("NULL bits beyond its fields: fieldCount=2");
    }

    @Test
    void damagedSlotIsReported() {
        RowSchema schema = schema("INT", "STRING");
        RowFlyweight row = RowFlyweight.of(schema);
        int length = write(schema, Row.of(1, "a string beyond its slot"));
        int slot = 8;
        long good = memory.getLong(slot);
        for (long bad :
                new long[] {
                    0,
                    good + 1,
                    good - 1,
                    good + (1L << 32),
                    good & ~0xffffffffL,
                    good | 0xffffffffL,
                    0x7fffffff00000010L,
                    0x88L << 56,
                    -1L
                }) {
            memory.putLong(slot, bad);
            row.wrap(memory, 0, length);
            assertThatThrownBy(() -> row.getString(1))
                    .as("slot=%x", bad)
                    .isInstanceOf(CorruptDataException.class)
                    .hasMessageContaining("index=1 type=STRING rowLength=40");
        }
    }

    /** Damaged rows read as something or are corruption; nothing else is ever thrown. */
    @Test
    void damagedRowsNeverFailOtherwise() {
        Seeds.run(
                300,
                random -> {
                    RowSchema schema = randomSchema(random);
                    Row row = new RowGenerator(random).row(schema.types());
                    int length = write(schema, row, 0);
                    RowFlyweight flyweight = RowFlyweight.of(schema);
                    byte[] good = new byte[length];
                    memory.getBytes(0, good, 0, length);
                    for (int i = 0; i < 40; i++) {
                        byte[] bad = Arrays.copyOf(good, random.nextInt(length + 1));
                        for (int flips = random.nextInt(4); flips > 0 && bad.length > 0; flips--) {
                            bad[random.nextInt(bad.length)] = (byte) edge(random);
                        }
                        try {
                            // The row ends where the memory does, so that no read is too far.
                            Row.read(flyweight.wrap(BytesView.of(bad)));
                        } catch (CorruptDataException | UnsupportedFormatException e) {
                            assertThat(e).hasMessageContaining("=");
                        }
                    }
                });
    }

    private static int edge(RandomSource random) {
        int[] edges = {0, 1, 0x7f, 0x80, 0x87, 0x88, 0xff};
        return random.nextBoolean() ? edges[random.nextInt(edges.length)] : random.nextInt(256);
    }

    @Test
    void keyOfARowIsThatOfItsValues() {
        Seeds.run(
                300,
                random -> {
                    List<DataType> types = TYPES.subList(0, 25);
                    RowSchema schema = schema(types);
                    int[] columns = new int[1 + random.nextInt(4)];
                    for (int i = 0; i < columns.length; i++) {
                        columns[i] = random.nextInt(types.size());
                    }
                    Row row = new RowGenerator(random).row(types);
                    row.set(11, "ab");
                    int length = write(schema, row, 0);
                    RowFlyweight flyweight = RowFlyweight.of(schema).wrap(memory, 0, length);
                    int keyAt = CAPACITY / 2;
                    int keyLength =
                            new KeyExtractor(types, columns)
                                    .extract(flyweight, memory, keyAt, CAPACITY);
                    assertThat(keyLength).isNotNegative();
                    Row keyRow = new Row(RowKind.INSERT, columns.length);
                    var decoder =
                            new dev.tarn.codec.KeyDecoder(
                                            Arrays.stream(columns).mapToObj(types::get).toList())
                                    .wrap(memory, keyAt, keyLength);
                    for (int i = 0; i < columns.length; i++) {
                        assertThat(decoder.isNull(i)).isEqualTo(row.get(columns[i]) == null);
                        keyRow.set(i, row.get(columns[i]));
                        if (row.get(columns[i]) instanceof String text) {
                            assertThat(decoder.getString(i).stripTrailing())
                                    .isEqualTo(text.stripTrailing());
                        } else if (row.get(columns[i]) instanceof Long number) {
                            assertThat(decoder.getLong(i)).isEqualTo(number);
                        }
                    }
                });
    }

    /** The bar of issue 2: a row of eight mixed columns costs no garbage, written or read. */
    @Test
    void primitivesAndBytesAllocateNothing() {
        RowSchema schema =
                schema(
                        "BIGINT NOT NULL",
                        "INT",
                        "DECIMAL(12, 2)",
                        "STRING",
                        "TIMESTAMP(6)",
                        "DOUBLE",
                        "BYTES",
                        "BOOLEAN");
        RowBuilder builder = new RowBuilder(schema);
        RowFlyweight row = RowFlyweight.of(schema);
        KeyExtractor keys = new KeyExtractor(schema.types(), 0, 3);
        KeyEncoder encoder = new KeyEncoder(List.of(DataTypes.BIGINT.notNull(), DataTypes.STRING));
        BytesView text = new BytesView().wrap(memory, CAPACITY - 100, 20);
        byte[] bytes = new byte[30];
        BytesView read = new BytesView();
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        long sum = 0;
        for (int round = 0; round < 20; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 2000; i++) {
                int length =
                        builder.begin(memory, 0, 1000)
                                .setLong(0, i)
                                .setInt(1, i)
                                .setDecimal(2, i, 2)
                                .setString(3, text)
                                .setTimestamp(4, i, 1000)
                                .setDouble(5, i)
                                .setBytes(6, bytes)
                                .setBoolean(7, true)
                                .finish();
                row.wrap(memory, 0, length);
                row.getBytes(3, read);
                sum +=
                        row.getLong(0)
                                + row.getInt(1)
                                + row.getCompactDecimal(2)
                                + read.length()
                                + row.getTimestampMillis(4)
                                + (long) row.getDouble(5);
                sum += keys.extract(row, memory, 2000, 3000);
                sum += encoder.begin(memory, 2000, 3000).putLong(i).putBytes(text).finish();
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(sum).isPositive();
        assertThat(least).as("bytes of the best round of 2000 rows").isZero();
    }

    @Test
    void documentShowsTheBytesOfItsExample() {
        RowSchema schema =
                new RowSchema(
                        3,
                        RowSchema.builder()
                                .field("id", DataTypes.BIGINT.notNull())
                                .field("amount", DataTypes.DECIMAL(12, 2))
                                .field("status", DataTypes.STRING)
                                .field("note", DataTypes.STRING)
                                .field("day", DataTypes.DATE)
                                .field("seen", DataTypes.TIMESTAMP(6))
                                .field("total", DataTypes.DECIMAL(20, 0))
                                .field("paid", DataTypes.BOOLEAN)
                                .field("tags", DataTypes.ARRAY(DataTypes.STRING))
                                .build()
                                .fields(),
                        9);
        Row row =
                Row.of(
                        42L,
                        new BigDecimal("19.99"),
                        "paid",
                        "sent by post",
                        LocalDate.of(2026, 12, 1),
                        java.time.LocalDateTime.parse("2026-12-01T00:00:00.123456"),
                        new BigDecimal("-1"),
                        null,
                        Arrays.asList("red", null, "dark green"));
        int length = write(schema, row);
        byte[] actual = new byte[length];
        memory.getBytes(0, actual, 0, length);
        byte[] expected = FormatDocument.read("row.md").hexUnder("6. Worked example");
        assertThat(HexFormat.of().formatHex(actual)).isEqualTo(HexFormat.of().formatHex(expected));
        RowFlyweight flyweight = RowFlyweight.of(schema).wrap(BytesView.of(expected));
        assertThat(Row.read(flyweight)).isEqualTo(row);
    }

    @Test
    void documentMapOfItsExample() {
        RowSchema schema = schema("MAP<STRING, INT>", "ROW<a INT, b STRING>");
        int length = write(schema, Row.of(Map.of("k", 1), Row.of(null, "b")));
        byte[] actual = new byte[length];
        memory.getBytes(0, actual, 0, length);
        byte[] expected = FormatDocument.read("row.md").hexUnder("Map and nested row");
        assertThat(HexFormat.of().formatHex(actual)).isEqualTo(HexFormat.of().formatHex(expected));
    }

    @Test
    void arraysAreReadByElement() {
        RowSchema schema = schema("ARRAY<STRING>");
        MemoryAccountant accountant = MemoryAccountant.unlimited();
        try (RowScratch scratch = new RowScratch(accountant, MemoryPurpose.IO_BUFFER, 8)) {
            ArrayBuilder array = new ArrayBuilder(DataTypes.STRING).begin(scratch, 3);
            array.setString(2, "the last of them").setString(0, utf8("x"));
            int arrayLength = array.finish();
            int length =
                    new RowBuilder(schema)
                            .begin(memory, 0, CAPACITY)
                            .setArray(0, scratch.view(arrayLength, new BytesView()))
                            .finish();
            ArrayFlyweight read =
                    new ArrayFlyweight(((ArrayType) schema.field(0).type()).element());
            RowFlyweight.of(schema).wrap(memory, 0, length).getArray(0, read);
            assertThat(read.count()).isEqualTo(3);
            assertThat(read.getString(0)).isEqualTo("x");
            assertThat(read.isNull(1)).isTrue();
            assertThat(read.getString(2)).isEqualTo("the last of them");
            assertThatThrownBy(() -> read.getString(3))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void rowKindsHaveTextAndCode() {
        for (RowKind kind : RowKind.values()) {
            assertThat(RowKind.ofText(kind.toString())).isEqualTo(kind);
            assertThat(RowKind.ofCode(kind.code())).isEqualTo(kind);
        }
        assertThatThrownBy(() -> RowKind.ofText("+X")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RowKind.ofCode((byte) 4))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(Row.ofKind(RowKind.DELETE, 1, new byte[] {1}))
                .isEqualTo(Row.ofKind(RowKind.DELETE, 1, new byte[] {1}))
                .isNotEqualTo(Row.of(1, new byte[] {1}))
                .hasToString("-D[1, [1]]");
    }

    private int write(RowSchema schema, Row row) {
        return write(schema, row, 0);
    }

    private int write(RowSchema schema, Row row, int offset) {
        RowBuilder builder = new RowBuilder(schema).begin(memory, offset, CAPACITY);
        row.write(builder);
        int length = builder.finish();
        assertThat(length).isPositive();
        return length;
    }

    private static RowSchema randomSchema(RandomSource random) {
        DataType[] chosen = new DataType[1 + random.nextInt(20)];
        for (int i = 0; i < chosen.length; i++) {
            chosen[i] = TYPES.get(random.nextInt(TYPES.size()));
        }
        return schema(List.of(chosen));
    }

    private static RowSchema schema(String... texts) {
        return schema(types(texts));
    }

    private static RowSchema schema(List<DataType> types) {
        RowSchema.Builder builder = RowSchema.builder();
        for (int i = 0; i < types.size(); i++) {
            builder.field("f" + i, types.get(i));
        }
        return builder.build();
    }

    private static List<DataType> types(String... texts) {
        return Arrays.stream(texts).map(DataTypeParser::parse).toList();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void nestedRowsAreReadInPlace() {
        RowSchema schema = schema("ROW<a INT, b STRING>");
        int length = write(schema, Row.of(Row.of(5, "a longer text")));
        RowFlyweight nested = RowFlyweight.nested((RowType) schema.field(0).type());
        RowFlyweight.of(schema).wrap(memory, 0, length).getRow(0, nested);
        BytesView text = new BytesView();
        nested.getBytes(1, text);
        assertThat(text.memory()).isSameAs(memory);
        assertThat(nested.getInt(0)).isEqualTo(5);
        assertThat(nested.getString(1)).isEqualTo("a longer text");
    }
}
