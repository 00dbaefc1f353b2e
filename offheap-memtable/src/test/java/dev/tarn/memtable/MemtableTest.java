package dev.tarn.memtable;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.codec.Hash64;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class MemtableTest {
    private static final byte[] NO_BYTES = {};

    private final MemoryAccountant accountant = new MemoryAccountant(64 << 20);

    private static BytesView key(int number) {
        return BytesView.of(String.format("key-%08d", number));
    }

    @Test
    void getsTheNewestVisibleVersion() {
        try (ChunkPool pool = new ChunkPool(accountant);
                Memtable memtable = Memtable.create(pool)) {
            BytesView value = new BytesView();
            assertThat(memtable.get(key(1), 10, value)).isEqualTo(Memtable.ABSENT);
            memtable.put(key(1), BytesView.of("one"), ValueKind.PUT, 5);
            memtable.put(key(1), BytesView.of("two"), ValueKind.MERGE, 7);
            memtable.put(key(1), BytesView.of(NO_BYTES), ValueKind.DELETE, 9);

            assertThat(memtable.get(key(1), 4, value)).isEqualTo(Memtable.ABSENT);
            assertThat(memtable.get(key(1), 5, value)).isEqualTo(ValueKind.PUT);
            assertThat(value.toByteArray()).asString(UTF_8).isEqualTo("one");
            assertThat(memtable.get(key(1), 8, value)).isEqualTo(ValueKind.MERGE);
            assertThat(value.toByteArray()).asString(UTF_8).isEqualTo("two");
            assertThat(memtable.get(key(1), SequenceNumbers.MAX, value))
                    .isEqualTo(ValueKind.DELETE);
            assertThat(value.length()).isZero();
            assertThat(memtable.get(key(2), SequenceNumbers.MAX, value)).isEqualTo(Memtable.ABSENT);
            assertThat(memtable.entryCount()).isEqualTo(3);
            assertThat(memtable.keyCount()).isEqualTo(1);
        }
        assertThat(accountant.reservedBytes()).isZero();
    }

    @Test
    void keepsManyKeysThroughIndexGrowthAndIteratesThemInOrder() {
        int count = 60_000;
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(i);
        }
        Collections.shuffle(numbers, new Random(7));
        try (ChunkPool pool = new ChunkPool(accountant);
                Memtable memtable = Memtable.create(pool)) {
            for (int number : numbers) {
                BytesView key = key(number);
                assertThat(memtable.put(key, key, ValueKind.PUT, number)).isEqualTo(PutStatus.OK);
            }
            BytesView value = new BytesView();
            for (int i = 0; i < count; i++) {
                assertThat(memtable.get(key(i), SequenceNumbers.MAX, value))
                        .isEqualTo(ValueKind.PUT);
                assertThat(value.contentEquals(key(i))).isTrue();
            }
            checkOrder(memtable, count);
            memtable.seal();
            checkOrder(memtable, count);
            assertThat(memtable.put(key(1), key(1), ValueKind.PUT, 1)).isEqualTo(PutStatus.SEALED);
        }
        assertThat(accountant.reservedBytes(MemoryPurpose.MEMTABLE)).isZero();
    }

    private static void checkOrder(Memtable memtable, int count) {
        try (MemtableIterator iterator = memtable.newIterator()) {
            int next = 0;
            BytesView found = new BytesView();
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                assertThat(iterator.entry().key(found).contentEquals(key(next))).isTrue();
                next++;
            }
            assertThat(next).isEqualTo(count);
            for (iterator.seekToLast(); iterator.isValid(); iterator.previous()) {
                next--;
                assertThat(iterator.entry().key(found).contentEquals(key(next))).isTrue();
            }
            assertThat(next).isZero();
            BytesView sought = key(count / 3);
            iterator.seek(sought.memory(), sought.offset(), sought.length());
            assertThat(iterator.entry().key(found).contentEquals(sought)).isTrue();
        }
    }

    @Test
    void encodesInPlace() {
        try (ChunkPool pool = new ChunkPool(accountant);
                Memtable memtable = Memtable.create(pool)) {
            MemtableReservation reservation = new MemtableReservation();
            assertThat(memtable.reserve(100, reservation)).isEqualTo(PutStatus.OK);
            memtable.abort(reservation);
            assertThat(memtable.reserve(100, reservation)).isEqualTo(PutStatus.OK);
            reservation.memory().putLong(reservation.offset(), 42);
            reservation.memory().putInt(reservation.offset() + 8, 7);
            long hash = Hash64.hash(reservation.memory(), reservation.offset(), 8);
            assertThat(memtable.commit(reservation, hash, 8, 4, ValueKind.PUT, 1))
                    .isEqualTo(PutStatus.OK);
            BytesView key = BytesView.of(new byte[] {42, 0, 0, 0, 0, 0, 0, 0});
            BytesView value = new BytesView();
            assertThat(memtable.get(key, 1, value)).isEqualTo(ValueKind.PUT);
            assertThat(value.toByteArray()).isEqualTo(new byte[] {7, 0, 0, 0});
        }
    }

    @Test
    void refusesUseAfterClose() {
        try (ChunkPool pool = new ChunkPool(accountant)) {
            Memtable memtable = Memtable.create(pool);
            memtable.put(key(1), key(1), ValueKind.PUT, 1);
            memtable.close();
            assertThatThrownBy(() -> memtable.get(key(1), 1, new BytesView()))
                    .isInstanceOf(ClosedException.class);
            assertThatThrownBy(() -> memtable.put(key(1), key(1), ValueKind.PUT, 2))
                    .isInstanceOf(ClosedException.class);
            assertThatThrownBy(memtable::newIterator).isInstanceOf(ClosedException.class);
            assertThatThrownBy(memtable::close).isInstanceOf(ClosedException.class);
        }
    }

    @Test
    void oneKeyAMillionTimesIsOneSlotAndOneRecord() {
        int versions = 1_000_000;
        MemoryAccountant large = new MemoryAccountant(256 << 20);
        try (ChunkPool pool = new ChunkPool(large);
                Memtable memtable = Memtable.create(pool)) {
            BytesView key = key(1);
            for (int i = 1; i <= versions; i++) {
                memtable.put(key, key, ValueKind.PUT, i);
            }
            assertThat(memtable.keyCount()).isEqualTo(1);
            memtable.seal();
            try (MemtableIterator iterator = memtable.newIterator()) {
                assertThat(iterator.keyCount()).isEqualTo(1);
                long expected = versions;
                for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                    assertThat(iterator.entry().sequenceNumber()).isEqualTo(expected--);
                }
                assertThat(expected).isZero();
                for (iterator.seekToLast(); iterator.isValid(); iterator.previous()) {
                    expected++;
                }
                assertThat(expected).isEqualTo(versions);
            }
        }
        assertThat(large.reservedBytes()).isZero();
    }

    @Test
    void takesTheLongestAndTheEmptyKey() {
        byte[] longest = new byte[Memtable.KEY_LENGTH_MAX];
        byte[] almost = new byte[Memtable.KEY_LENGTH_MAX];
        almost[almost.length - 1] = 1;
        try (ChunkPool pool = new ChunkPool(accountant);
                Memtable memtable = Memtable.create(pool)) {
            BytesView empty = BytesView.of(NO_BYTES);
            memtable.put(BytesView.of(almost), BytesView.of("almost"), ValueKind.PUT, 1);
            memtable.put(BytesView.of(longest), BytesView.of("longest"), ValueKind.PUT, 1);
            memtable.put(empty, empty, ValueKind.PUT, 1);
            BytesView value = new BytesView();
            assertThat(memtable.get(BytesView.of(longest), 1, value)).isEqualTo(ValueKind.PUT);
            assertThat(value.toByteArray()).asString(UTF_8).isEqualTo("longest");
            assertThat(memtable.get(empty, 1, value)).isEqualTo(ValueKind.PUT);
            assertThat(value.length()).isZero();
            memtable.seal();
            try (MemtableIterator iterator = memtable.newIterator()) {
                iterator.seekToFirst();
                assertThat(iterator.entry().keyLength()).isZero();
                iterator.next();
                assertThat(iterator.entry().value(value).toByteArray())
                        .asString(UTF_8)
                        .isEqualTo("longest");
                iterator.next();
                assertThat(iterator.entry().value(value).toByteArray())
                        .asString(UTF_8)
                        .isEqualTo("almost");
            }
            assertThatThrownBy(
                            () ->
                                    memtable.put(
                                            BytesView.of(new byte[Memtable.KEY_LENGTH_MAX + 1]),
                                            empty,
                                            ValueKind.PUT,
                                            1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(
                            () ->
                                    memtable.put(
                                            empty, empty, ValueKind.PUT, SequenceNumbers.MAX + 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void refusesASecondWriterUntilTheFirstHandsOver() throws InterruptedException {
        try (ChunkPool pool = new ChunkPool(accountant);
                Memtable memtable = Memtable.create(pool)) {
            memtable.put(key(1), key(1), ValueKind.PUT, 1);
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread second =
                    new Thread(
                            () -> {
                                for (Runnable call :
                                        List.<Runnable>of(
                                                () ->
                                                        memtable.put(
                                                                key(2), key(2), ValueKind.PUT, 2),
                                                memtable::seal,
                                                memtable::releaseWriter)) {
                                    try {
                                        call.run();
                                        thrown.set(new AssertionError("was not refused"));
                                        return;
                                    } catch (IllegalStateException e) {
                                        thrown.set(e);
                                    }
                                }
                            });
            second.start();
            second.join();
            assertThat(thrown.get())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("releaseWriter()");

            memtable.releaseWriter();
            Thread third = new Thread(() -> memtable.put(key(3), key(3), ValueKind.PUT, 3));
            third.start();
            third.join();
            BytesView value = new BytesView();
            assertThat(memtable.get(key(3), 3, value)).isEqualTo(ValueKind.PUT);
            assertThat(memtable.get(key(2), 3, value)).isEqualTo(Memtable.ABSENT);
            assertThatThrownBy(() -> memtable.put(key(4), key(4), ValueKind.PUT, 4))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void refusesReservationsUsedTwice() {
        try (ChunkPool pool = new ChunkPool(accountant);
                Memtable memtable = Memtable.create(pool)) {
            MemtableReservation reservation = new MemtableReservation();
            assertThatThrownBy(reservation::memory).isInstanceOf(IllegalStateException.class);
            memtable.reserve(10, reservation);
            assertThatThrownBy(() -> memtable.commit(reservation, 1, 8, 4, ValueKind.PUT, 1))
                    .isInstanceOf(IllegalArgumentException.class);
            memtable.abort(reservation);
            assertThatThrownBy(() -> memtable.abort(reservation))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(memtable.entryCount()).isZero();
        }
    }
}
