package dev.tarn.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.UnsupportedFormatException;
import dev.tarn.codec.ValueKind;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.sst.block.FooterLayout;
import dev.tarn.testing.FaultyFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Damage at every place of a small file, which has every kind of block, more than one of each. */
final class SstCorruptionTest {
    private static final long BUDGET_BYTES = 16 << 20;

    private final FaultyFileSystem fileSystem = new FaultyFileSystem();
    private final List<byte[]> keys = new ArrayList<>();

    private byte[] smallFile(BlockCodec codec) throws IOException {
        SstModel model = new SstModel();
        for (int i = 0; i < 40; i++) {
            byte[] key = String.format("key-%05d", i * 7).getBytes(StandardCharsets.UTF_8);
            keys.add(key);
            for (int version = 0; version <= i % 3; version++) {
                byte kind = i % 5 == 0 ? ValueKind.DELETE : ValueKind.PUT;
                byte[] value = kind == ValueKind.DELETE ? new byte[0] : new byte[i];
                Arrays.fill(value, (byte) version);
                model.add(key, SequenceNumbers.trailer(1000 + i - version, kind), value);
            }
        }
        SstOptions options =
                SstOptions.builder()
                        .blockSizeBytes(512)
                        .codec(codec)
                        .indexPartitionSizeBytes(256)
                        .filterKeyCountMax(15)
                        .build();
        SstProperties properties =
                model.write(fileSystem, "whole", options, MemoryAccountant.unlimited());
        assertThat(properties.blockCount()).isGreaterThan(4);
        return SstFiles.bytes(fileSystem, "whole");
    }

    private void checkFlips(BlockCodec codec, int[] patterns) throws IOException {
        byte[] whole = smallFile(codec);
        String expected = SstFiles.dump(fileSystem, "whole", keys, BUDGET_BYTES);
        SstFiles.store(fileSystem, "damaged", whole);
        int detected = 0;
        for (int position = 0; position < whole.length; position++) {
            for (int pattern : patterns) {
                flip(position, pattern);
                try {
                    assertThat(SstFiles.dump(fileSystem, "damaged", keys, BUDGET_BYTES))
                            .as("position %d pattern %d", position, pattern)
                            .isEqualTo(expected);
                } catch (CorruptSstException e) {
                    assertThat(e).hasMessageContaining("file=").hasMessageContaining("damaged");
                    detected++;
                }
                flip(position, pattern);
            }
        }
        // No byte is without a use, so no damage is harmless.
        assertThat(detected).isEqualTo(whole.length * patterns.length);
    }

    private void flip(int position, int pattern) throws IOException {
        for (int bit = 0; bit < Byte.SIZE; bit++) {
            if ((pattern >>> bit & 1) != 0) {
                fileSystem.flipBit("damaged", position, bit);
            }
        }
    }

    @Test
    void everyChangedByteIsDetected() throws IOException {
        checkFlips(BlockCodec.NONE, new int[] {1, 0x80, 0xff});
    }

    @Test
    void everyChangedByteOfACompressedFileIsDetected() throws IOException {
        checkFlips(BlockCodec.LZ4, new int[] {1, 0x55});
    }

    @Test
    @Tag("long")
    void everyBurstOfBitsInAByteIsDetected() throws IOException {
        checkFlips(
                BlockCodec.NONE,
                new int[] {
                    1, 2, 4, 8, 16, 32, 64, 128, 3, 6, 12, 24, 48, 96, 192, 0x0f, 0xf0, 0x81, 0xff
                });
    }

    @Test
    void everyTruncationIsDetectedWhenOpening() throws IOException {
        byte[] whole = smallFile(BlockCodec.LZ4);
        for (int length = 0; length < whole.length; length++) {
            SstFiles.store(fileSystem, "damaged", Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> SstFiles.dump(fileSystem, "damaged", keys, BUDGET_BYTES))
                    .as("length %d", length)
                    .isInstanceOf(CorruptSstException.class);
        }
    }

    @Test
    void trailingBytesAreDetectedWhenOpening() throws IOException {
        byte[] whole = smallFile(BlockCodec.LZ4);
        for (int more = 1; more < 200; more++) {
            SstFiles.store(fileSystem, "damaged", Arrays.copyOf(whole, whole.length + more));
            assertThatThrownBy(() -> SstFiles.dump(fileSystem, "damaged", keys, BUDGET_BYTES))
                    .as("more %d", more)
                    .isInstanceOf(CorruptSstException.class);
        }
    }

    @Test
    void footerOfAnotherFileIsDetected() throws IOException {
        byte[] whole = smallFile(BlockCodec.NONE);
        byte[] longer = new byte[whole.length + 10];
        System.arraycopy(whole, 0, longer, 10, whole.length);
        SstFiles.store(fileSystem, "damaged", longer);
        assertThatThrownBy(() -> SstFiles.dump(fileSystem, "damaged", keys, BUDGET_BYTES))
                .isInstanceOf(CorruptSstException.class)
                .hasMessageContaining("file size mismatch");
    }

    @Test
    void newerFormatVersionIsItsOwnError() throws IOException {
        byte[] whole = smallFile(BlockCodec.NONE);
        ByteBuffer footer =
                ByteBuffer.wrap(whole, whole.length - FooterLayout.SIZE, FooterLayout.SIZE)
                        .slice()
                        .order(ByteOrder.LITTLE_ENDIAN);
        footer.putInt(FooterLayout.VERSION_OFFSET, SstFormatVersion.CURRENT + 1);
        CRC32C crc = new CRC32C();
        crc.update(whole, whole.length - FooterLayout.SIZE, FooterLayout.CRC_OFFSET);
        footer.putInt(FooterLayout.CRC_OFFSET, (int) crc.getValue());
        SstFiles.store(fileSystem, "newer", whole);
        assertThatThrownBy(() -> SstFiles.dump(fileSystem, "newer", keys, BUDGET_BYTES))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("formatVersion=2");
    }
}
