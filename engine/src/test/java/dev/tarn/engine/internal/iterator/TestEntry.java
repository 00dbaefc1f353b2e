package dev.tarn.engine.internal.iterator;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import java.util.Arrays;
import java.util.Comparator;

/** An entry on the heap, with the order of internal keys as plainly as it can be said. */
final class TestEntry {
    static final Comparator<TestEntry> ORDER =
            Comparator.comparing(TestEntry::key, Arrays::compareUnsigned)
                    .thenComparing(Comparator.comparingLong(TestEntry::sequenceNumber).reversed())
                    .thenComparingInt(TestEntry::source);

    private final byte[] key;
    private final long sequenceNumber;
    private final byte[] value;
    private final int source;

    TestEntry(byte[] key, long sequenceNumber, byte[] value, int source) {
        this.key = key;
        this.sequenceNumber = sequenceNumber;
        this.value = value;
        this.source = source;
    }

    byte[] key() {
        return key;
    }

    long sequenceNumber() {
        return sequenceNumber;
    }

    byte[] value() {
        return value;
    }

    int source() {
        return source;
    }

    long trailer() {
        return SequenceNumbers.trailer(sequenceNumber, ValueKind.PUT);
    }

    @Override
    public String toString() {
        return Arrays.toString(key) + "@" + sequenceNumber + "#" + source;
    }
}
