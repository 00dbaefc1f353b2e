package dev.tarn.jmh.memtable;

import dev.tarn.codec.Hash64;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.jmh.data.OffHeapScratch;
import dev.tarn.jmh.data.Records;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.memtable.ChunkPool;
import dev.tarn.memtable.EntryView;
import dev.tarn.memtable.Memtable;
import dev.tarn.memtable.MemtableIterator;
import dev.tarn.memtable.MemtableOptions;
import dev.tarn.memtable.PutStatus;
import dev.tarn.memtable.WriterMode;
import java.util.concurrent.atomic.AtomicLong;

/** Tarn's memtable over a pool of its own, whose chunks nobody used before. */
final class TarnMemtablePeer implements MemtablePeer {
    private static final int BATCH_LENGTH_MAX = 64;
    private static final byte PUT = ValueKind.PUT;

    private final Records records;
    private final ChunkPool pool = new ChunkPool(MemoryAccountant.unlimited());
    private final Memtable memtable;

    TarnMemtablePeer(Records records, WriterMode mode) {
        this.records = records;
        memtable = Memtable.create(pool, MemtableOptions.builder().writerMode(mode).build());
    }

    @Override
    public Session newSession() {
        return new TarnSession();
    }

    /** Sealing refuses puts; the first iterator sorts. */
    @Override
    public void seal() {
        memtable.releaseWriter();
        memtable.seal();
        memtable.newIterator().close();
    }

    @Override
    public long scan() {
        long sum = 0;
        try (MemtableIterator iterator = memtable.newIterator()) {
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                sum += sumOf(iterator.entry());
            }
        }
        return sum;
    }

    private static long sumOf(EntryView entry) {
        return Records.sum(entry.memory(), entry.valueOffset(), entry.valueLength());
    }

    @Override
    public long offHeapBytes() {
        return memtable.approximateBytes();
    }

    @Override
    public void close() {
        memtable.close();
        pool.close();
    }

    private final class TarnSession implements Session {
        private final int keyLength = records.keyLength();
        private final int valueLength = records.valueLength();
        private final OffHeapMemory key = OffHeapScratch.allocate(BATCH_LENGTH_MAX * keyLength);
        private final OffHeapMemory value = OffHeapScratch.allocate(valueLength);
        private final BytesView found = new BytesView();
        private final EntryView entry = new EntryView();
        private final long[] hashes = new long[BATCH_LENGTH_MAX];
        private final int[] keyOffsets = new int[BATCH_LENGTH_MAX];
        private final int[] keyLengths = new int[BATCH_LENGTH_MAX];
        private final int[] handles = new int[BATCH_LENGTH_MAX];
        private long sequenceNumber = SESSIONS.getAndAdd(1L << 32);

        /** Gives each session sequence numbers of its own; no key is written twice. */
        private static final AtomicLong SESSIONS = new AtomicLong(1L << 32);

        TarnSession() {
            for (int i = 0; i < BATCH_LENGTH_MAX; i++) {
                keyOffsets[i] = i * keyLength;
                keyLengths[i] = keyLength;
            }
        }

        @Override
        public void put(long prefix) {
            records.writeKey(prefix, key, 0);
            records.writeValue(prefix, value, 0);
            PutStatus status =
                    memtable.put(
                            Hash64.hash(key, 0, keyLength),
                            key,
                            0,
                            keyLength,
                            value,
                            0,
                            valueLength,
                            PUT,
                            ++sequenceNumber);
            if (status != PutStatus.OK) {
                throw new IllegalStateException("put refused: status=" + status);
            }
        }

        @Override
        public long get(long prefix) {
            records.writeKey(prefix, key, 0);
            int kind =
                    memtable.get(
                            Hash64.hash(key, 0, keyLength),
                            key,
                            0,
                            keyLength,
                            SequenceNumbers.MAX,
                            found);
            return kind == Memtable.ABSENT
                    ? Records.ABSENT
                    : Records.sum(found.memory(), found.offset(), found.length());
        }

        @Override
        public long multiGet(long[] prefixes, int from, int count) {
            for (int i = 0; i < count; i++) {
                records.writeKey(prefixes[from + i], key, i * keyLength);
                hashes[i] = Hash64.hash(key, i * keyLength, keyLength);
            }
            memtable.multiGet(
                    hashes, key, keyOffsets, keyLengths, count, SequenceNumbers.MAX, handles);
            long sum = 0;
            for (int i = 0; i < count; i++) {
                sum += memtable.entry(handles[i], entry) ? sumOf(entry) : Records.ABSENT;
            }
            return sum;
        }
    }
}
