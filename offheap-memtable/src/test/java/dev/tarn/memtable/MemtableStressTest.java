package dev.tarn.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.codec.Hash64;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads beside each other. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MemtableStressTest {
    private static final int VALUE_LENGTH = 24;

    /** One call of a history, between two readings of a clock that all threads share. */
    private record Call(boolean put, long began, long ended, long sequenceNumber) {}

    /** One thread's access; values hold the sequence number three times. */
    private static final class Session {
        private final Memtable memtable;
        private final OffHeapMemory scratch =
                OffHeapMemory.wrap(ByteBuffer.allocateDirect(Long.BYTES + VALUE_LENGTH));
        private final BytesView value = new BytesView();

        Session(Memtable memtable) {
            this.memtable = memtable;
        }

        PutStatus put(long key, long sequenceNumber) {
            scratch.putLong(0, Long.reverseBytes(key));
            for (int i = 0; i < VALUE_LENGTH; i += Long.BYTES) {
                scratch.putLong(Long.BYTES + i, sequenceNumber);
            }
            return memtable.put(
                    Hash64.hash(scratch, 0, Long.BYTES),
                    scratch,
                    0,
                    Long.BYTES,
                    scratch,
                    Long.BYTES,
                    VALUE_LENGTH,
                    ValueKind.PUT,
                    sequenceNumber);
        }

        /** Returns the sequence number that is visible, or 0. */
        long get(long key, long at) {
            scratch.putLong(0, Long.reverseBytes(key));
            long hash = Hash64.hash(scratch, 0, Long.BYTES);
            int kind = memtable.get(hash, scratch, 0, Long.BYTES, at, value);
            if (kind == Memtable.ABSENT) {
                return 0;
            }
            assertThat(kind).isEqualTo(ValueKind.PUT);
            assertThat(value.length()).isEqualTo(VALUE_LENGTH);
            long first = value.memory().getLong(value.offset());
            for (int i = 0; i < VALUE_LENGTH; i += Long.BYTES) {
                assertThat(value.memory().getLong(value.offset() + i)).isEqualTo(first);
            }
            return first;
        }
    }

    private static <T> List<T> together(List<Callable<T>> tasks) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(tasks.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> future : executor.invokeAll(tasks)) {
                results.add(future.get());
            }
            return results;
        } finally {
            executor.shutdown();
            assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static Memtable create(ChunkPool pool, WriterMode mode) {
        return Memtable.create(pool, MemtableOptions.builder().writerMode(mode).build());
    }

    /**
     * A memtable read at the largest sequence number is a set of registers in which the largest
     * write wins. A history of such a register is linearizable if each read returns at least the
     * largest write that ended before the read began, returns a write that began before the read
     * ended, and no read returns less than one that ended before it began.
     */
    @ParameterizedTest
    @EnumSource
    void historiesAreLinearizable(WriterMode mode) {
        Seeds.run(
                5,
                random -> {
                    try (ChunkPool pool = new ChunkPool(new MemoryAccountant(64 << 20));
                            Memtable memtable = create(pool, mode)) {
                        checkHistory(memtable, mode == WriterMode.MULTI ? 3 : 1, random);
                        memtable.seal();
                        MemtableVerifier.verify(memtable, true);
                    }
                });
    }

    private static void checkHistory(Memtable memtable, int writers, RandomSource random)
            throws Exception {
        int keyCount = random.between(1, 2000);
        int callsEach = 20_000;
        AtomicLong clock = new AtomicLong();
        AtomicLong sequenceNumbers = new AtomicLong();
        List<Callable<List<List<Call>>>> tasks = new ArrayList<>();
        for (int i = 0; i < writers + 2; i++) {
            boolean writes = i < writers;
            RandomSource own = random.split();
            tasks.add(
                    () -> {
                        Session session = new Session(memtable);
                        List<List<Call>> calls = new ArrayList<>();
                        for (int key = 0; key < keyCount; key++) {
                            calls.add(new ArrayList<>());
                        }
                        for (int call = 0; call < callsEach; call++) {
                            int key = own.skewed(keyCount);
                            long began = clock.incrementAndGet();
                            long sequenceNumber;
                            if (writes) {
                                sequenceNumber = sequenceNumbers.incrementAndGet();
                                assertThat(session.put(key, sequenceNumber))
                                        .isEqualTo(PutStatus.OK);
                            } else {
                                sequenceNumber = session.get(key, SequenceNumbers.MAX);
                            }
                            long ended = clock.incrementAndGet();
                            calls.get(key).add(new Call(writes, began, ended, sequenceNumber));
                        }
                        if (writes) {
                            memtable.releaseWriter();
                        }
                        return calls;
                    });
        }
        List<List<List<Call>>> histories = together(tasks);
        for (int key = 0; key < keyCount; key++) {
            List<Call> calls = new ArrayList<>();
            for (List<List<Call>> history : histories) {
                calls.addAll(history.get(key));
            }
            checkRegister(calls);
        }
        assertThat(memtable.entryCount()).isEqualTo((long) writers * callsEach);
    }

    private static void checkRegister(List<Call> calls) {
        List<Call> byEnd = new ArrayList<>(calls);
        byEnd.sort(Comparator.comparingLong(Call::ended));
        List<Call> byBegin = new ArrayList<>(calls);
        byBegin.sort(Comparator.comparingLong(Call::began));
        int ended = 0;
        long least = 0;
        for (Call call : byBegin) {
            while (ended < byEnd.size() && byEnd.get(ended).ended < call.began) {
                least = Math.max(least, byEnd.get(ended).sequenceNumber);
                ended++;
            }
            if (!call.put) {
                assertThat(call.sequenceNumber).isGreaterThanOrEqualTo(least);
                boolean exists = call.sequenceNumber == 0;
                for (Call other : calls) {
                    exists |=
                            other.put
                                    && other.sequenceNumber == call.sequenceNumber
                                    && other.began < call.ended;
                }
                assertThat(exists).as("a read returns what was put").isTrue();
            }
        }
    }

    @Test
    void growingIndexLosesNothingUnderManyWriters() {
        Seeds.run(
                2,
                random -> {
                    int writers = 4;
                    int keysEach = 40_000;
                    try (ChunkPool pool = new ChunkPool(new MemoryAccountant(256 << 20));
                            Memtable memtable = create(pool, WriterMode.MULTI)) {
                        AtomicBoolean done = new AtomicBoolean();
                        AtomicLong written = new AtomicLong();
                        List<Callable<Void>> tasks = new ArrayList<>();
                        for (int i = 0; i < writers; i++) {
                            // Half of each writer's keys are its neighbour's too.
                            long first = (long) i * keysEach / 2;
                            tasks.add(
                                    () -> {
                                        Session session = new Session(memtable);
                                        for (long k = first; k < first + keysEach; k++) {
                                            assertThat(session.put(k, k + 1))
                                                    .isEqualTo(PutStatus.OK);
                                            if (first == 0) {
                                                written.setRelease(k + 1);
                                            }
                                        }
                                        done.set(first == 0 || done.get());
                                        return null;
                                    });
                        }
                        RandomSource own = random.split();
                        tasks.add(
                                () -> {
                                    Session session = new Session(memtable);
                                    while (!done.get()) {
                                        long limit = written.getAcquire();
                                        if (limit > 0) {
                                            long key = own.between(0L, limit);
                                            assertThat(session.get(key, SequenceNumbers.MAX))
                                                    .isEqualTo(key + 1);
                                        }
                                    }
                                    return null;
                                });
                        tasks.add(
                                () -> {
                                    while (!done.get()) {
                                        checkActiveIterator(memtable, written);
                                    }
                                    return null;
                                });
                        together(tasks);
                        memtable.seal();
                        MemtableVerifier.verify(memtable, true);
                        long keys = (long) (writers + 1) * keysEach / 2;
                        Session session = new Session(memtable);
                        for (long key = 0; key < keys; key++) {
                            assertThat(session.get(key, SequenceNumbers.MAX)).isEqualTo(key + 1);
                        }
                        assertThat(memtable.entryCount()).isEqualTo((long) writers * keysEach);
                    }
                });
    }

    /** An iterator over an active memtable sees at least what was written before it was made. */
    private static void checkActiveIterator(Memtable memtable, AtomicLong written) {
        long before = written.getAcquire();
        try (MemtableIterator iterator = memtable.newIterator()) {
            long next = 0;
            long previous = -1;
            for (iterator.seekToFirst(); iterator.isValid(); iterator.nextKey()) {
                EntryView entry = iterator.entry();
                long key = Long.reverseBytes(entry.memory().getLong(entry.keyOffset()));
                assertThat(key).isGreaterThan(previous);
                previous = key;
                if (key == next) {
                    next++;
                }
            }
            assertThat(next).isGreaterThanOrEqualTo(before);
        }
    }

    @Test
    void sealKeepsExactlyWhatWasAcknowledged() {
        Seeds.run(
                30,
                random -> {
                    int writers = 3;
                    try (ChunkPool pool = new ChunkPool(new MemoryAccountant(64 << 20));
                            Memtable memtable = create(pool, WriterMode.MULTI)) {
                        int sealAfter = random.between(1, 3000);
                        AtomicLong puts = new AtomicLong();
                        List<Callable<Long>> tasks = new ArrayList<>();
                        for (int i = 0; i < writers; i++) {
                            long first = i * 1_000_000L;
                            tasks.add(
                                    () -> {
                                        Session session = new Session(memtable);
                                        long count = 0;
                                        while (session.put(first + count, 1) == PutStatus.OK) {
                                            count++;
                                            puts.incrementAndGet();
                                        }
                                        return count;
                                    });
                        }
                        tasks.add(
                                () -> {
                                    while (puts.get() < sealAfter) {
                                        Thread.onSpinWait();
                                    }
                                    memtable.seal();
                                    return memtable.entryCount();
                                });
                        List<Long> counts = together(tasks);
                        long acknowledged = counts.get(0) + counts.get(1) + counts.get(2);
                        assertThat(memtable.entryCount()).isEqualTo(acknowledged);
                        assertThat(counts.get(writers))
                                .as("nothing is added once seal() returned")
                                .isEqualTo(acknowledged);
                        BitSet seen = new BitSet();
                        try (MemtableIterator iterator = memtable.newIterator()) {
                            int index = 0;
                            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                                seen.set(index++);
                            }
                        }
                        assertThat((long) seen.cardinality()).isEqualTo(acknowledged);
                        MemtableVerifier.verify(memtable, true);
                    }
                });
    }

    @Test
    void memoryStaysUntilTheLastReaderLeaves() {
        Seeds.run(
                20,
                random -> {
                    MemoryAccountant accountant = new MemoryAccountant(64 << 20);
                    try (ChunkPool pool = new ChunkPool(accountant)) {
                        Memtable memtable = create(pool, WriterMode.MULTI);
                        Session session = new Session(memtable);
                        for (int key = 0; key < 1000; key++) {
                            session.put(key, key + 1);
                        }
                        List<Callable<Void>> tasks = new ArrayList<>();
                        for (int i = 0; i < 3; i++) {
                            RandomSource own = random.split();
                            tasks.add(
                                    () -> {
                                        Session reader = new Session(memtable);
                                        while (memtable.tryRetain()) {
                                            int key = own.between(0, 1000);
                                            assertThat(reader.get(key, SequenceNumbers.MAX))
                                                    .isEqualTo(key + 1);
                                            memtable.release();
                                        }
                                        return null;
                                    });
                        }
                        tasks.add(
                                () -> {
                                    memtable.close();
                                    return null;
                                });
                        together(tasks);
                        assertThat(pool.lentBytes()).isZero();
                    }
                    assertThat(accountant.reservedBytes()).isZero();
                });
    }
}
