package dev.tarn.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.codec.Varint.MalformedVarintException;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.Seeds;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class VarintTest {
    private final OffHeapMemory memory = OffHeapMemory.wrap(ByteBuffer.allocateDirect(64));

    @Test
    void knownNumbersHaveKnownBytes() {
        assertThat(encoded(0)).isEqualTo("00");
        assertThat(encoded(1)).isEqualTo("01");
        assertThat(encoded(127)).isEqualTo("7f");
        assertThat(encoded(128)).isEqualTo("8001");
        assertThat(encoded(300)).isEqualTo("ac02");
        assertThat(encoded(16_383)).isEqualTo("ff7f");
        assertThat(encoded(16_384)).isEqualTo("808001");
        assertThat(encoded(0xffffffffL)).isEqualTo("ffffffff0f");
        assertThat(encoded(Long.MAX_VALUE)).isEqualTo("ffffffffffffffff7f");
        assertThat(encoded(-1L)).isEqualTo("ffffffffffffffffff01");
    }

    @Test
    void lengthIsWhatIsWritten() {
        for (int shift = 0; shift < 64; shift++) {
            for (long value : new long[] {(1L << shift) - 1, 1L << shift, (1L << shift) + 1}) {
                assertThat(Varint.length(value)).isEqualTo(Varint.putLong(memory, 0, value));
                int narrow = (int) value;
                assertThat(Varint.length(narrow)).isEqualTo(Varint.putInt(memory, 0, narrow));
            }
        }
        assertThat(Varint.length(-1)).isEqualTo(Varint.INT_LENGTH_MAX);
        assertThat(Varint.length(-1L)).isEqualTo(Varint.LONG_LENGTH_MAX);
    }

    @Test
    void numbersComeBack() {
        Seeds.run(
                10_000,
                random -> {
                    long value = random.nextLong() >>> random.nextInt(64);
                    int end = Varint.putLong(memory, 5, value);
                    assertThat(Varint.getLong(memory, 5, end)).isEqualTo(value);
                    int narrow = (int) value;
                    int narrowEnd = Varint.putInt(memory, 30, narrow);
                    long read = Varint.getInt(memory, 30, narrowEnd);
                    assertThat(Varint.value(read)).isEqualTo(narrow);
                    assertThat(Varint.end(read)).isEqualTo(narrowEnd);
                });
    }

    @Test
    void cutNumberIsMalformed() {
        int end = Varint.putLong(memory, 0, -1L);
        for (int limit = 0; limit < end; limit++) {
            assertMalformed("varint is cut off: limit=" + limit, limit, true);
        }
        end = Varint.putInt(memory, 0, -1);
        for (int limit = 0; limit < end; limit++) {
            assertMalformed("varint is cut off: limit=" + limit, limit, false);
        }
    }

    @Test
    void numberThatIsTooLargeIsMalformed() {
        put("ffffffffffffffffff02");
        assertMalformed("varint exceeds 64 bits", 10, true);
        put("ffffffffffffffffff8100");
        assertMalformed("varint exceeds 64 bits", 11, true);
        put("ffffffff1f");
        assertMalformed("varint exceeds 32 bits", 5, false);
        put("ffffffff8f00");
        assertMalformed("varint exceeds 32 bits", 6, false);
        put("ffffffffffffffffffffffffffffffff");
        assertMalformed("varint exceeds 64 bits", 16, true);
        assertMalformed("varint exceeds 32 bits", 16, false);
    }

    @Test
    void longerFormThanNeededIsMalformed() {
        for (String bytes : new String[] {"8000", "818000", "ff00", "80808000"}) {
            put(bytes);
            assertMalformed("varint is not in its shortest form", 8, true);
            assertMalformed("varint is not in its shortest form", 8, false);
        }
    }

    /** Whatever the bytes are, reading ends, stays below the limit and only fails in one way. */
    @Test
    void hostileBytesAreReadOrMalformed() {
        Seeds.run(
                10_000,
                random -> {
                    byte[] bytes = random.bytes(16);
                    memory.putBytes(0, bytes, 0, bytes.length);
                    int limit = random.nextInt(17);
                    try {
                        long value = Varint.getLong(memory, 0, limit);
                        assertThat(Varint.length(value)).isLessThanOrEqualTo(limit);
                        assertThat(Varint.putLong(memory, 32, value))
                                .isEqualTo(32 + Varint.length(value));
                        assertThat(OffHeapMemory.equal(memory, 0, memory, 32, Varint.length(value)))
                                .isTrue();
                    } catch (MalformedVarintException e) {
                        assertThat(e).hasMessageStartingWith("varint");
                    }
                });
    }

    @Test
    void zigzagKeepsSmallNumbersSmall() {
        assertThat(Varint.zigzag(0)).isZero();
        assertThat(Varint.zigzag(-1)).isEqualTo(1);
        assertThat(Varint.zigzag(1)).isEqualTo(2);
        assertThat(Varint.zigzag(Long.MIN_VALUE)).isEqualTo(-1L);
        Seeds.run(
                1000,
                random -> {
                    long value = random.nextLong() >> random.nextInt(64);
                    assertThat(Varint.unzigzag(Varint.zigzag(value))).isEqualTo(value);
                });
    }

    private void assertMalformed(String message, int limit, boolean wide) {
        assertThatThrownBy(
                        () -> {
                            if (wide) {
                                Varint.getLong(memory, 0, limit);
                            } else {
                                Varint.getInt(memory, 0, limit);
                            }
                        })
                .isInstanceOf(MalformedVarintException.class)
                .hasMessage(message);
    }

    private void put(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        memory.putBytes(0, bytes, 0, bytes.length);
    }

    private String encoded(long value) {
        byte[] bytes = new byte[Varint.putLong(memory, 0, value)];
        memory.getBytes(0, bytes, 0, bytes.length);
        return HexFormat.of().formatHex(bytes);
    }
}
