package dev.tarn.engine.internal.iterator;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.engine.MergeOperator;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Passes on those entries that a reader may still need, and folds merge operands onto their base.
 *
 * <p>The live snapshots cut the sequence numbers into stripes: two entries of a key in one stripe
 * are seen by the same snapshots. So in each stripe only the newest PUT or DELETE of a key counts,
 * with the operands that are newer.
 *
 * <p>An operand is folded when its base is found in the same stripe, or when it is certain that
 * there is none. Otherwise the operands of the stripe are passed on as they are: a merge operator
 * need not be associative.
 *
 * <p>Owner: the caller closes it, once. Threads: belongs to one thread.
 *
 * <p>Errors: what the sink or the operator throws ends the run; the sink's file is then worthless.
 */
public final class EntryFold implements AutoCloseable {
    private static final int KEY_CAPACITY = 1 << 16;
    private static final int NO_STRIPE = -1;

    private final long[] snapshotSequences;
    private final boolean isOldestData;
    private final Predicate<EntryIterator> isSpentTombstone;
    private final @Nullable MergeOperator mergeOperator;
    private final MemoryRegion keyRegion;
    private final OffHeapMemory keyBytes;
    private final BytesView keyView = new BytesView();

    /** The operands of the current key and stripe that have not met a base, newest first. */
    private final List<Operand> operands = new ArrayList<>();

    private int keyLength = -1;

    /** The stripe of the current key in which everything older is hidden. */
    private int hiddenStripe = NO_STRIPE;

    private int operandStripe = NO_STRIPE;
    private long droppedEntryCount;

    private record Operand(long trailer, OffHeapMemory bytes) {}

    /**
     * Creates a fold.
     *
     * @param snapshotSequences of the live snapshots, ascending and distinct
     * @param isOldestData whether no older entry of any key exists outside the input, so that
     *     tombstones have nothing to hide
     * @param mergeOperator may be null if the input has no MERGE entries
     */
    public EntryFold(
            MemoryAccountant accountant,
            long[] snapshotSequences,
            boolean isOldestData,
            @Nullable MergeOperator mergeOperator) {
        this(accountant, snapshotSequences, isOldestData, mergeOperator, tombstone -> true);
    }

    /**
     * Creates a fold whose tombstones may have to outlive what they hide.
     *
     * @param isSpentTombstone whether a tombstone that hides nothing any more may be dropped
     */
    public EntryFold(
            MemoryAccountant accountant,
            long[] snapshotSequences,
            boolean isOldestData,
            @Nullable MergeOperator mergeOperator,
            Predicate<EntryIterator> isSpentTombstone) {
        this.isSpentTombstone = isSpentTombstone;
        this.snapshotSequences = snapshotSequences.clone();
        this.isOldestData = isOldestData;
        this.mergeOperator = mergeOperator;
        this.keyRegion =
                MemoryRegion.allocate(accountant, MemoryPurpose.IO_BUFFER, KEY_CAPACITY, 8);
        this.keyBytes = keyRegion.memory();
    }

    /**
     * Passes on all entries from the input's position to its end.
     *
     * <p>The sink sees each key's entries without interruption by another key.
     */
    public void run(EntryIterator input, EntrySink sink) throws IOException {
        while (input.isValid()) {
            if (!isCurrentKey(input)) {
                finishKey(sink);
                startKey(input);
            }
            take(input, sink);
            input.next();
        }
        finishKey(sink);
        keyLength = -1;
    }

    /** The entries that were not passed on so far, folded operands included. */
    public long droppedEntryCount() {
        return droppedEntryCount;
    }

    private boolean isCurrentKey(EntryIterator input) {
        return input.keyLength() == keyLength
                && OffHeapMemory.equal(
                        input.keyMemory(), input.keyOffset(), keyBytes, 0, keyLength);
    }

    private void startKey(EntryIterator input) {
        keyLength = input.keyLength();
        input.keyMemory().copyTo(input.keyOffset(), keyBytes, 0, keyLength);
        hiddenStripe = NO_STRIPE;
        operandStripe = NO_STRIPE;
    }

    private void take(EntryIterator input, EntrySink sink) throws IOException {
        int stripe = stripe(SequenceNumbers.sequenceNumber(input.trailer()));
        if (stripe == hiddenStripe) {
            droppedEntryCount++;
            return;
        }
        if (stripe != operandStripe) {
            passOperandsOn(sink);
        }
        switch (ValueKind.kind(SequenceNumbers.kindByte(input.trailer()))) {
            case ValueKind.MERGE -> {
                operandStripe = stripe;
                operands.add(new Operand(input.trailer(), copyOfValue(input)));
            }
            case ValueKind.PUT -> {
                hiddenStripe = stripe;
                if (operands.isEmpty()) {
                    pass(input, sink);
                } else {
                    foldOperands(valueBytes(input), sink);
                    droppedEntryCount++;
                }
            }
            case ValueKind.DELETE -> {
                hiddenStripe = stripe;
                if (!operands.isEmpty()) {
                    foldOperands(null, sink);
                    droppedEntryCount++;
                } else if (isOldestData && stripe == 0 && isSpentTombstone.test(input)) {
                    droppedEntryCount++;
                } else {
                    pass(input, sink);
                }
            }
            default ->
                    throw new IllegalStateException(
                            "entry has a kind that this store does not write: kindByte="
                                    + SequenceNumbers.kindByte(input.trailer()));
        }
    }

    private void finishKey(EntrySink sink) throws IOException {
        if (operands.isEmpty()) {
            return;
        }
        if (isOldestData) {
            foldOperands(null, sink);
        } else {
            passOperandsOn(sink);
        }
    }

    /** Folds all collected operands onto a base, and passes the result on as the newest of them. */
    private void foldOperands(byte @Nullable [] base, EntrySink sink) throws IOException {
        MergeOperator operator = mergeOperator;
        if (operator == null) {
            throw new IllegalStateException(
                    "store has MERGE entries but was opened without a merge operator; open it with"
                            + " the one they were written for");
        }
        keyView.wrap(keyBytes, 0, keyLength);
        BytesView operandView = new BytesView();
        byte[] folded = base;
        for (int i = operands.size() - 1; i >= 0; i--) {
            OffHeapMemory bytes = operands.get(i).bytes;
            folded = operator.merge(keyView, folded, operandView.wrap(bytes, 0, bytes.capacity()));
        }
        if (folded == null) {
            throw new AssertionError("there is at least one operand");
        }
        long newest = operands.get(0).trailer;
        long trailer =
                SequenceNumbers.trailer(SequenceNumbers.sequenceNumber(newest), ValueKind.PUT);
        droppedEntryCount += operands.size() - 1;
        operands.clear();
        sink.add(keyBytes, 0, keyLength, trailer, OffHeapMemory.wrap(folded), 0, folded.length);
    }

    private void passOperandsOn(EntrySink sink) throws IOException {
        for (Operand operand : operands) {
            sink.add(
                    keyBytes,
                    0,
                    keyLength,
                    operand.trailer,
                    operand.bytes,
                    0,
                    operand.bytes.capacity());
        }
        operands.clear();
    }

    private void pass(EntryIterator input, EntrySink sink) throws IOException {
        sink.add(
                input.keyMemory(),
                input.keyOffset(),
                input.keyLength(),
                input.trailer(),
                input.valueMemory(),
                input.valueOffset(),
                input.valueLength());
    }

    private static byte[] valueBytes(EntryIterator input) {
        byte[] bytes = new byte[input.valueLength()];
        input.valueMemory().getBytes(input.valueOffset(), bytes, 0, bytes.length);
        return bytes;
    }

    private static OffHeapMemory copyOfValue(EntryIterator input) {
        return OffHeapMemory.wrap(valueBytes(input));
    }

    /** Returns how many live snapshots are older: entries with the same number share a stripe. */
    private int stripe(long sequenceNumber) {
        int stripe = 0;
        while (stripe < snapshotSequences.length && snapshotSequences[stripe] < sequenceNumber) {
            stripe++;
        }
        return stripe;
    }

    @Override
    public void close() {
        keyRegion.close();
    }
}
