package dev.tarn.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.codec.ValueKind;
import dev.tarn.codec.Varint;
import dev.tarn.engine.internal.wal.WriteBatchCursor;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WriteBatchTest {
    private static final class Write {
        private final byte kind;
        private final byte[] key;
        private final byte[] value;

        private Write(byte kind, byte[] key, byte[] value) {
            this.kind = kind;
            this.key = key;
            this.value = value;
        }
    }

    @Test
    void cursorGivesBackWhatWasAdded() {
        Seeds.run(
                50,
                random -> {
                    WriteBatch batch = new WriteBatch();
                    List<Write> writes = new ArrayList<>();
                    for (int i = random.nextInt(40); i > 0; i--) {
                        byte kind = (byte) random.nextInt(3);
                        byte[] key = random.bytes(random.nextInt(300));
                        byte[] value =
                                kind == ValueKind.DELETE
                                        ? new byte[0]
                                        : random.bytes(random.nextInt(3000));
                        writes.add(new Write(kind, key, value));
                        switch (kind) {
                            case ValueKind.PUT -> {
                                if (random.nextBoolean()) {
                                    batch.put(key, value);
                                } else {
                                    batch.put(BytesView.of(key), BytesView.of(value));
                                }
                            }
                            case ValueKind.DELETE -> batch.delete(key);
                            default -> batch.merge(key, value);
                        }
                    }
                    assertThat(batch.count()).isEqualTo(writes.size());
                    WriteBatchCursor cursor = batch.entries().cursor();
                    BytesView view = new BytesView();
                    for (Write write : writes) {
                        assertThat(cursor.next()).isTrue();
                        assertThat(cursor.kindByte()).isEqualTo(write.kind);
                        view.wrap(cursor.memory(), cursor.keyOffset(), cursor.keyLength());
                        assertThat(view.toByteArray()).isEqualTo(write.key);
                        view.wrap(cursor.memory(), cursor.valueOffset(), cursor.valueLength());
                        assertThat(view.toByteArray()).isEqualTo(write.value);
                    }
                    assertThat(cursor.next()).isFalse();
                });
    }

    @Test
    void clearedBatchIsEmpty() {
        WriteBatch batch = new WriteBatch().put(new byte[] {1}, new byte[] {2});
        batch.clear();
        assertThat(batch.count()).isZero();
        assertThat(batch.sizeBytes()).isZero();
    }

    @Test
    void tooLongKeyIsRefusedAndTheBatchStaysAsItWas() {
        WriteBatch batch = new WriteBatch().put(new byte[] {1}, new byte[] {2});
        int sizeBytes = batch.sizeBytes();
        assertThatThrownBy(() -> batch.put(new byte[65_536], new byte[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keyLength=65536");
        assertThat(batch.count()).isEqualTo(1);
        assertThat(batch.sizeBytes()).isEqualTo(sizeBytes);
    }

    @Test
    void damagedBytesAreNoticed() {
        WriteBatch batch = new WriteBatch().put(new byte[10], new byte[20]);
        WriteBatchCursor cursor = new WriteBatchCursor();
        for (int length = 1; length < batch.sizeBytes(); length++) {
            cursor.wrap(batch.entries().memory(), 0, length);
            assertThatThrownBy(cursor::next)
                    .isInstanceOfAny(
                            IllegalArgumentException.class, Varint.MalformedVarintException.class);
        }
        byte[] hostile = {ValueKind.PUT, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 7, 1};
        cursor.wrap(OffHeapMemory.wrap(hostile), 0, hostile.length);
        assertThatThrownBy(cursor::next).isInstanceOf(IllegalArgumentException.class);
    }
}
