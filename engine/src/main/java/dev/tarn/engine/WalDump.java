package dev.tarn.engine;

import dev.tarn.codec.ValueKind;
import dev.tarn.engine.internal.wal.WalFiles;
import dev.tarn.engine.internal.wal.WalReader;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * Shows the write-ahead logs of a store as text, for people; changes nothing, and shows also what
 * an open would leave out.
 *
 * <p>Threads: stateless.
 */
public final class WalDump {
    private WalDump() {}

    /**
     * Gives a line for the start, each entry and the end of each log, in the order of a replay.
     *
     * @param directory whose root is the store's directory; the store may be open, and then the end
     *     of the last log may look torn
     * @throws dev.tarn.codec.CorruptDataException with file and offset, after the lines before it
     */
    public static void print(
            FileSystem directory, MemoryAccountant accountant, Consumer<String> lines)
            throws IOException {
        for (long number : WalFiles.list(directory)) {
            try (WalReader log = WalReader.open(directory, number, accountant)) {
                print(WalFiles.name(number), log, lines);
            }
        }
    }

    private static void print(String name, WalReader log, Consumer<String> lines)
            throws IOException {
        if (log.hasStart()) {
            lines.accept(
                    name
                            + " start appendedBatches="
                            + log.appendedBefore()
                            + " durableBatches="
                            + log.durableBefore());
        }
        BytesView key = new BytesView();
        BytesView value = new BytesView();
        while (log.hasStart() && log.nextBatch()) {
            while (log.nextEntry()) {
                lines.accept(
                        name
                                + " position="
                                + log.position()
                                + " sequence="
                                + log.sequenceNumber()
                                + " batch="
                                + log.firstSequence()
                                + " kind="
                                + kindName(log.kindByte())
                                + " key="
                                + log.key(key)
                                + " value="
                                + log.value(value));
            }
        }
        lines.accept(name + " end " + endName(log));
    }

    private static String kindName(byte kindByte) {
        return switch (ValueKind.kind(kindByte)) {
            case ValueKind.PUT -> "PUT";
            case ValueKind.DELETE -> "DELETE";
            case ValueKind.MERGE -> "MERGE";
            default -> String.format(java.util.Locale.ROOT, "0x%02x", kindByte);
        };
    }

    private static String endName(WalReader log) {
        if (log.isTorn()) {
            return "torn";
        }
        return log.isSealed() ? "sealed" : "open";
    }
}
