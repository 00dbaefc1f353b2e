package dev.tarn.engine;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.engine.internal.read.ReadContext;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.memtable.EntryView;
import dev.tarn.memtable.Memtable;
import dev.tarn.memtable.VersionCursor;
import dev.tarn.sst.SstBatch;
import dev.tarn.sst.SstLookup;
import dev.tarn.sst.SstReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Point lookups in a view: memtables newest first, then tables newest first, until an entry
 * decides.
 *
 * <p>Threads: stateless; what belongs to the calling thread is in its {@link ReadContext}.
 *
 * <p>Lifetime: the value is left in {@link ReadContext#value()}, valid until the thread looks up
 * again or gives up its hold on the view.
 */
final class StoreReader {
    private final @Nullable MergeOperator mergeOperator;

    StoreReader(@Nullable MergeOperator mergeOperator) {
        this.mergeOperator = mergeOperator;
    }

    /**
     * Looks a key up.
     *
     * @param hash {@link dev.tarn.codec.Hash64} of the key
     * @param sequenceNumber the newest that is visible
     * @return whether the key has a value
     */
    boolean get(StoreView view, ReadContext context, long hash, BytesView key, long sequenceNumber)
            throws IOException {
        OffHeapMemory memory = key.memory();
        int offset = key.offset();
        int length = key.length();
        BytesView value = context.value();
        int kind = view.active().get(hash, memory, offset, length, sequenceNumber, value);
        if (kind == Memtable.ABSENT) {
            for (Memtable sealed : view.sealed()) {
                kind = sealed.get(hash, memory, offset, length, sequenceNumber, value);
                if (kind != Memtable.ABSENT) {
                    break;
                }
            }
        }
        if (kind == Memtable.ABSENT) {
            return getFromTables(view, context, hash, key, sequenceNumber);
        }
        return switch (ValueKind.kind((byte) kind)) {
            case ValueKind.PUT -> true;
            case ValueKind.DELETE -> false;
            default -> getMerged(view, context, hash, key, sequenceNumber);
        };
    }

    private boolean getFromTables(
            StoreView view, ReadContext context, long hash, BytesView key, long sequenceNumber)
            throws IOException {
        TableRun[] runs = view.runs();
        SstReader[] candidates = context.candidates();
        SstLookup lookup = context.lookup();
        int next = 0;
        while (next < runs.length) {
            int count = 0;
            while (next < runs.length && count < candidates.length) {
                SstReader table = runs[next++].find(key.memory(), key.offset(), key.length());
                if (table != null) {
                    candidates[count++] = table;
                }
            }
            // All filters first: their loads overlap, whereas one run after the other each waits.
            long mayContain = SstReader.mayContain(candidates, count, hash, key);
            while (mayContain != 0) {
                int newest = Long.numberOfTrailingZeros(mayContain);
                mayContain &= mayContain - 1;
                int result = candidates[newest].getFiltered(hash, key, sequenceNumber, lookup);
                switch (result) {
                    case SstReader.ABSENT -> {}
                    case SstReader.FOUND -> {
                        context.value().wrap(lookup.value());
                        return true;
                    }
                    case SstReader.DELETED -> {
                        return false;
                    }
                    default -> {
                        return getMerged(view, context, hash, key, sequenceNumber);
                    }
                }
            }
        }
        return false;
    }

    /** Looks up all keys of a batch; the results are in the batch. */
    void multiGet(StoreView view, ReadContext context, LookupBatch batch, long sequenceNumber)
            throws IOException {
        batch.forgetResults();
        askMemtable(view.active(), batch, sequenceNumber);
        for (Memtable sealed : view.sealed()) {
            askMemtable(sealed, batch, sequenceNumber);
        }
        int open = batch.sortOpen();
        SstBatch tables = batch.tables();
        for (int place = 0; place < open; place++) {
            int index = batch.ordered(place);
            tables.add(batch.hashes()[index], batch.key(index));
        }
        if (open > 0) {
            askTables(view, tables, sequenceNumber);
        }
        for (int place = 0; place < open; place++) {
            take(tables, place, batch, batch.ordered(place), context.value());
        }
        for (int i = 0; i < batch.size(); i++) {
            if (batch.state(i) == LookupBatch.State.MERGE) {
                getMerged(view, context, batch.hashes()[i], batch.key(i), sequenceNumber);
                batch.resolve(i, context.value());
            }
        }
    }

    private static void askMemtable(Memtable memtable, LookupBatch batch, long sequenceNumber) {
        if (memtable.entryCount() == 0) {
            return;
        }
        int[] entries = batch.memtableEntries;
        memtable.multiGet(
                batch.hashes(),
                batch.keyMemory(),
                batch.keyOffsets(),
                batch.keyLengths(),
                batch.size(),
                sequenceNumber,
                entries);
        EntryView entry = batch.entry;
        for (int i = 0; i < batch.size(); i++) {
            if (batch.state(i) != LookupBatch.State.OPEN || !memtable.entry(entries[i], entry)) {
                continue;
            }
            switch (ValueKind.kind(entry.kindByte())) {
                case ValueKind.PUT -> batch.resolve(i, entry.value(batch.value));
                case ValueKind.DELETE -> batch.state(i, LookupBatch.State.ABSENT);
                default -> batch.state(i, LookupBatch.State.MERGE);
            }
        }
    }

    private static void askTables(StoreView view, SstBatch tables, long sequenceNumber)
            throws IOException {
        for (TableRun run : view.runs()) {
            for (int table = 0; table < run.tableCount(); table++) {
                run.table(table).reader().multiGet(tables, sequenceNumber);
            }
        }
    }

    private static void take(
            SstBatch tables, int place, LookupBatch batch, int index, BytesView value) {
        switch (tables.result(place)) {
            case SstReader.FOUND -> {
                tables.value(place, value);
                batch.resolve(index, value);
            }
            case SstReader.MERGE -> batch.state(index, LookupBatch.State.MERGE);
            default -> batch.state(index, LookupBatch.State.ABSENT);
        }
    }

    /** Looks up a key whose newest entry is an operand; off the fast path, so it may allocate. */
    private boolean getMerged(
            StoreView view, ReadContext context, long hash, BytesView key, long sequenceNumber)
            throws IOException {
        List<byte[]> operands = new ArrayList<>();
        byte[] base = collect(view, context, hash, key, sequenceNumber, operands);
        MergeOperator operator = mergeOperator;
        if (operator == null) {
            throw new IllegalStateException(
                    "store has MERGE entries but was opened without a merge operator: key="
                            + key
                            + "; open it with the one they were written for");
        }
        byte[] folded = base;
        for (int i = operands.size() - 1; i >= 0; i--) {
            folded = operator.merge(key, folded, BytesView.of(operands.get(i)));
        }
        if (folded == null) {
            throw new AssertionError("there is at least one operand");
        }
        context.value().wrap(OffHeapMemory.wrap(folded), 0, folded.length);
        return true;
    }

    /** Collects the operands, newest first, down to a base; returns that, or null. */
    private static byte @Nullable [] collect(
            StoreView view,
            ReadContext context,
            long hash,
            BytesView key,
            long sequenceNumber,
            List<byte[]> operands)
            throws IOException {
        BytesView value = new BytesView();
        for (int i = -1; i < view.sealed().length; i++) {
            Memtable memtable = i < 0 ? view.active() : view.sealed()[i];
            VersionCursor versions = context.versions();
            boolean found =
                    memtable.versions(
                            hash,
                            key.memory(),
                            key.offset(),
                            key.length(),
                            sequenceNumber,
                            versions);
            while (found) {
                byte[] bytes = versions.entry().value(value).toByteArray();
                switch (ValueKind.kind(versions.entry().kindByte())) {
                    case ValueKind.PUT -> {
                        return bytes;
                    }
                    case ValueKind.DELETE -> {
                        return null;
                    }
                    default -> operands.add(bytes);
                }
                found = versions.older();
            }
        }
        for (TableRun run : view.runs()) {
            SstReader table = run.find(key.memory(), key.offset(), key.length());
            if (table == null) {
                continue;
            }
            SstLookup lookup = context.lookup();
            long visible = sequenceNumber;
            int result = table.get(hash, key, visible, lookup);
            while (result == SstReader.MERGE) {
                operands.add(lookup.value().toByteArray());
                visible = SequenceNumbers.sequenceNumber(lookup.trailer()) - 1;
                result = table.get(hash, key, visible, lookup);
            }
            if (result == SstReader.FOUND) {
                return lookup.value().toByteArray();
            }
            if (result == SstReader.DELETED) {
                return null;
            }
        }
        return null;
    }
}
