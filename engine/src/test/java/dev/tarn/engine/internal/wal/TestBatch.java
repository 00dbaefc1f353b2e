package dev.tarn.engine.internal.wal;

import dev.tarn.codec.ValueKind;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Batches of keys as texts; each value says which key it belongs to, and each key is checked. */
final class TestBatch {
    private final WriteBatchBuffer batch = new WriteBatchBuffer();

    WriteBatchBuffer of(String... keys) {
        batch.clear();
        for (String key : keys) {
            byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
            byte[] valueBytes = ("value of " + key).getBytes(StandardCharsets.UTF_8);
            batch.add(ValueKind.PUT, keyBytes, valueBytes);
        }
        return batch;
    }

    /** Returns each batch as {@code firstSequence:key,key}. */
    static List<String> replay(FileSystem files, MemoryAccountant accountant) throws IOException {
        List<String> batches = new ArrayList<>();
        WalReplay.replay(files, 1, accountant, batch -> batches.add(show(batch)));
        return batches;
    }

    static String show(WalReader batch) {
        StringBuilder text = new StringBuilder().append(batch.firstSequence()).append(':');
        int count = 0;
        while (batch.nextEntry()) {
            String key = text(batch.key(new BytesView()));
            String value = text(batch.value(new BytesView()));
            if (!value.equals("value of " + key)
                    || batch.kindByte() != ValueKind.PUT
                    || batch.sequenceNumber() != batch.firstSequence() + count) {
                throw new AssertionError("wrong entry: key=" + key + " value=" + value);
            }
            text.append(count++ == 0 ? "" : ",").append(key);
        }
        if (count != batch.entryCount()) {
            throw new AssertionError("half a batch: " + text);
        }
        return text.toString();
    }

    private static String text(BytesView view) {
        return new String(view.toByteArray(), StandardCharsets.UTF_8);
    }
}
