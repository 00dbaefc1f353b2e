package dev.tarn.jmh.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecordsTest {
    private static final int COUNT = 100_000;

    @Test
    void allFormsOfAKeyAndAValueHoldTheSameBytes() {
        Records records = new Records(24, 100);
        byte[] key = new byte[24];
        byte[] value = new byte[100];
        ByteBuffer keyBuffer = ByteBuffer.allocateDirect(24);
        ByteBuffer valueBuffer = ByteBuffer.allocateDirect(100).order(ByteOrder.LITTLE_ENDIAN);
        OffHeapMemory memory = OffHeapScratch.allocate(200);
        for (int i = 0; i < 1000; i++) {
            long prefix = Records.prefix(i);
            records.writeKey(prefix, key);
            records.writeKey(prefix, keyBuffer);
            records.writeKey(prefix, memory, 3);
            assertThat(bytes(keyBuffer, 24)).isEqualTo(key);
            assertThat(bytes(memory, 3, 24)).isEqualTo(key);
            records.writeValue(prefix, value);
            records.writeValue(prefix, valueBuffer);
            records.writeValue(prefix, memory, 5);
            assertThat(bytes(valueBuffer, 100)).isEqualTo(value);
            assertThat(bytes(memory, 5, 100)).isEqualTo(value);
            assertThat(Records.sum(value)).isEqualTo(records.expectedSum(prefix));
            assertThat(Records.sum(valueBuffer, 0, 100)).isEqualTo(records.expectedSum(prefix));
            assertThat(Records.sum(memory, 5, 100)).isEqualTo(records.expectedSum(prefix));
        }
    }

    @Test
    void prefixesAreDifferentAndMissesAreAbsent() {
        Set<Long> stored = new HashSet<>();
        for (int i = 0; i < COUNT; i++) {
            assertThat(stored.add(Records.prefix(i))).isTrue();
        }
        assertThat(Arrays.stream(Probes.hits(COUNT, COUNT, 0)).boxed()).allMatch(stored::contains);
        assertThat(Arrays.stream(Probes.misses(COUNT, COUNT, 0)).boxed())
                .noneMatch(stored::contains);
    }

    @Test
    void sortedProbesAscendAsKeysDo() {
        Records records = new Records(8, 24);
        byte[] key = new byte[8];
        byte[] last = new byte[8];
        for (long prefix : Probes.sortedRecords(1000)) {
            records.writeKey(prefix, key);
            assertThat(Arrays.compareUnsigned(last, key)).isNegative();
            last = key.clone();
        }
        long[] distinct = Probes.sortedDistinct(Probes.hits(1000, 100, 0));
        assertThat(distinct).hasSizeBetween(90, 100).doesNotHaveDuplicates();
        long[] batches = Probes.sortedBatches(Probes.hits(128, 1000, 0), 64);
        for (int i = 1; i < 128; i++) {
            if (i != 64) {
                assertThat(Long.compareUnsigned(batches[i - 1], batches[i])).isNotPositive();
            }
        }
    }

    @Test
    void lengthsOutOfRangeAreRefused() {
        assertThatThrownBy(() -> new Records(12, 100)).hasMessageContaining("keyLength=12");
        assertThatThrownBy(() -> new Records(8, 23)).hasMessageContaining("valueLength=23");
    }

    private static byte[] bytes(ByteBuffer buffer, int length) {
        byte[] bytes = new byte[length];
        buffer.get(0, bytes);
        return bytes;
    }

    private static byte[] bytes(OffHeapMemory memory, int offset, int length) {
        byte[] bytes = new byte[length];
        memory.getBytes(offset, bytes, 0, length);
        return bytes;
    }
}
