package dev.tarn.jmh;

import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.row.RowBuilder;
import dev.tarn.row.RowFlyweight;
import dev.tarn.type.DataTypes;
import dev.tarn.type.RowSchema;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does encoding a row of eight mixed columns into off-heap memory cost, and reading it back
 * field by field, and does either leave garbage? Run with {@code -prof gc}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class RowEncodeBenchmark {
    private static final int CAPACITY = 4096;

    private final RowSchema schema =
            RowSchema.builder()
                    .field("order_id", DataTypes.BIGINT)
                    .field("quantity", DataTypes.INT)
                    .field("open", DataTypes.BOOLEAN)
                    .field("weight", DataTypes.DOUBLE)
                    .field("amount", DataTypes.DECIMAL(12, 2))
                    .field("created", DataTypes.TIMESTAMP(3))
                    .field("status", DataTypes.STRING)
                    .field("comment", DataTypes.STRING)
                    .build();
    private final RowBuilder builder = new RowBuilder(schema);
    private final RowFlyweight row = RowFlyweight.of(schema);
    private final BytesView text = new BytesView();
    private final byte[] status = "paid".getBytes(StandardCharsets.UTF_8);
    private final byte[] comment =
            "left at the door of the neighbour".getBytes(StandardCharsets.UTF_8);

    private MemoryRegion region;
    private long number;
    private int length;

    @Setup(Level.Trial)
    public void setUp() {
        region =
                MemoryRegion.allocate(
                        MemoryAccountant.unlimited(),
                        MemoryPurpose.IO_BUFFER,
                        CAPACITY,
                        MemoryRegion.CACHE_LINE_BYTES);
        length = encode();
        if (decode() == 0) {
            throw new AssertionError("the row reads back as nothing");
        }
    }

    @TearDown(Level.Trial)
    public void tearDown() {
        region.close();
    }

    @Benchmark
    public int encode() {
        long value = ++number;
        return builder.begin(region.memory(), 0, CAPACITY)
                .setLong(0, value)
                .setInt(1, (int) value)
                .setBoolean(2, (value & 1) == 0)
                .setDouble(3, (double) value)
                .setDecimal(4, value & 0xffff, 2)
                .setTimestamp(5, value, 0)
                .setString(6, status)
                .setString(7, comment)
                .finish();
    }

    @Benchmark
    public long decode() {
        row.wrap(region.memory(), 0, length);
        long sum = row.getLong(0) + row.getInt(1) + (row.getBoolean(2) ? 1 : 0);
        sum += (long) row.getDouble(3) + row.getCompactDecimal(4) + row.getTimestampMillis(5);
        row.getBytes(6, text);
        sum += text.getByte(0);
        row.getBytes(7, text);
        return sum + text.getByte(text.length() - 1);
    }
}
