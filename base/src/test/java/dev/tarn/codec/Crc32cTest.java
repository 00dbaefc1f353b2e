package dev.tarn.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.Seeds;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class Crc32cTest {
    private final Crc32c crc = new Crc32c();

    /** The vectors of RFC 3720, appendix B.4, and the check value of the algorithm. */
    @Test
    void publishedVectorsHold() {
        byte[] bytes = new byte[32];
        assertThat(crc.of(bytes, 0, 32)).isEqualTo(0x8a9136aa);
        Arrays.fill(bytes, (byte) 0xff);
        assertThat(crc.of(bytes, 0, 32)).isEqualTo(0x62a8ab43);
        for (int i = 0; i < 32; i++) {
            bytes[i] = (byte) i;
        }
        assertThat(crc.of(bytes, 0, 32)).isEqualTo(0x46dd794e);
        for (int i = 0; i < 32; i++) {
            bytes[i] = (byte) (31 - i);
        }
        assertThat(crc.of(bytes, 0, 32)).isEqualTo(0x113fdb5c);
        byte[] digits = "123456789".getBytes(StandardCharsets.US_ASCII);
        assertThat(crc.of(digits, 0, 9)).isEqualTo(0xe3069283);
        assertThat(crc.of(digits, 0, 0)).isZero();
    }

    @Test
    void allFormsAgreeWithTheDefinition() {
        Seeds.run(
                300,
                random -> {
                    byte[] bytes = random.bytes(300);
                    int offset = random.nextInt(40);
                    int length = random.nextInt(250);
                    int expected = bitByBit(bytes, offset, length);
                    ByteBuffer direct = ByteBuffer.allocateDirect(300).put(bytes).flip();
                    assertThat(crc.of(bytes, offset, length)).isEqualTo(expected);
                    assertThat(Crc32c.of(OffHeapMemory.wrap(direct), offset, length))
                            .isEqualTo(expected);
                    assertThat(crc.of(direct, offset, length)).isEqualTo(expected);
                    direct.limit(offset + length).position(offset);
                    assertThat(crc.of(direct)).isEqualTo(expected);
                    assertThat(direct.position()).isEqualTo(offset);
                });
    }

    private static int bitByBit(byte[] bytes, int offset, int length) {
        int crc = -1;
        for (int i = offset; i < offset + length; i++) {
            crc ^= bytes[i] & 0xff;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : (crc >>> 1) ^ 0x82f63b78;
            }
        }
        return ~crc;
    }
}
