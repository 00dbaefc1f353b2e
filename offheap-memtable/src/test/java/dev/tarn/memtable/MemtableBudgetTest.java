package dev.tarn.memtable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.codec.Hash64;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryBudgetExceededException;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What memtables take from the budget, and what happens when it is used up. */
class MemtableBudgetTest {
    private static final int BUDGET_BYTES = 16 << 20;
    private static final int KEY_LENGTH = 16;
    private static final int VALUE_LENGTH = 100;

    private final MemoryAccountant accountant = new MemoryAccountant(BUDGET_BYTES);
    private final OffHeapMemory scratch =
            OffHeapMemory.wrap(ByteBuffer.allocateDirect(KEY_LENGTH + VALUE_LENGTH));

    @AfterEach
    void everythingIsGivenBack() {
        assertThat(accountant.reservedBytes()).isZero();
    }

    private PutStatus put(Memtable memtable, long key) {
        scratch.putLong(0, key * 0x9e3779b97f4a7c15L);
        scratch.putLong(8, key);
        long hash = Hash64.hash(scratch, 0, KEY_LENGTH);
        return memtable.put(
                hash,
                scratch,
                0,
                KEY_LENGTH,
                scratch,
                KEY_LENGTH,
                VALUE_LENGTH,
                ValueKind.PUT,
                key);
    }

    @ParameterizedTest
    @EnumSource
    void fullBudgetStopsPutsButNeverSorting(WriterMode mode) {
        MemtableOptions options = MemtableOptions.builder().writerMode(mode).build();
        try (ChunkPool pool = new ChunkPool(accountant)) {
            for (int life = 0; life < 2; life++) {
                try (Memtable memtable = Memtable.create(pool, options)) {
                    long count = 0;
                    while (put(memtable, count) == PutStatus.OK) {
                        count++;
                    }
                    assertThat(put(memtable, count)).isEqualTo(PutStatus.FULL);
                    assertThat(count)
                            .as("one hot bucket may take most of the budget")
                            .isGreaterThan(
                                    BUDGET_BYTES * 8L / 10 / (KEY_LENGTH + VALUE_LENGTH + 48));
                    long left = BUDGET_BYTES - accountant.reservedBytes(MemoryPurpose.MEMTABLE);
                    accountant.reserve(MemoryPurpose.BLOCK_CACHE, left);
                    memtable.seal();
                    MemtableVerifier.verify(memtable, true);
                    try (MemtableIterator iterator = memtable.newIterator()) {
                        assertThat((long) iterator.keyCount()).isEqualTo(count);
                    }
                    accountant.release(MemoryPurpose.BLOCK_CACHE, left);
                }
            }
        }
    }

    @Test
    void idleBucketsCostLittleEach() {
        int buckets = 1000;
        try (ChunkPool pool = new ChunkPool(accountant)) {
            List<Memtable> memtables = new ArrayList<>();
            for (int i = 0; i < buckets; i++) {
                Memtable memtable = Memtable.create(pool);
                memtables.add(memtable);
                assertThat(memtable.approximateBytes()).isZero();
            }
            assertThat(accountant.reservedBytes()).as("without a put").isZero();
            for (Memtable memtable : memtables) {
                assertThat(put(memtable, 1)).isEqualTo(PutStatus.OK);
                assertThat(memtable.approximateBytes()).isEqualTo(4096);
            }
            assertThat(accountant.reservedBytes()).isLessThan(6L * 1024 * buckets);
            memtables.forEach(Memtable::close);
        }
    }

    @Test
    void entryCostsAtMostFortyBytesMoreOnceTheKeyCountIsKnown() {
        MemoryAccountant large = new MemoryAccountant(256 << 20);
        int count = 300_000;
        long expected = 0;
        try (ChunkPool pool = new ChunkPool(large)) {
            for (int life = 0; life < 2; life++) {
                MemtableOptions options =
                        MemtableOptions.builder().expectedKeyCount(expected).build();
                try (Memtable memtable = Memtable.create(pool, options)) {
                    for (int i = 0; i < count; i++) {
                        put(memtable, i);
                    }
                    expected = memtable.keyCount();
                    double bytes = (double) memtable.approximateBytes() / count;
                    if (life > 0) {
                        assertThat(bytes).isLessThanOrEqualTo(KEY_LENGTH + VALUE_LENGTH + 40);
                    }
                }
            }
        }
        assertThat(large.reservedBytes()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void entriesLargerThanASlabHaveRegionsOfTheirOwn(WriterMode mode) {
        MemtableOptions options = MemtableOptions.builder().writerMode(mode).build();
        int slabBytes = ChunkPool.SLAB_BYTES_MIN;
        try (ChunkPool pool = new ChunkPool(accountant, slabBytes);
                Memtable memtable = Memtable.create(pool, options)) {
            for (int i = 0; i < 6; i++) {
                OffHeapMemory value = OffHeapMemory.wrap(new byte[(slabBytes / 4) << i]);
                value.putByte(value.capacity() - 1, (byte) i);
                BytesView view = new BytesView().wrap(value, 0, value.capacity());
                assertThat(memtable.put(BytesView.of("key" + i), view, ValueKind.PUT, 1))
                        .isEqualTo(PutStatus.OK);
                assertThat(put(memtable, i)).isEqualTo(PutStatus.OK);
            }
            BytesView value = new BytesView();
            for (int i = 0; i < 6; i++) {
                assertThat(memtable.get(BytesView.of("key" + i), 1, value))
                        .isEqualTo(ValueKind.PUT);
                assertThat(value.length()).isEqualTo((slabBytes / 4) << i);
                assertThat(value.getByte(value.length() - 1)).isEqualTo((byte) i);
            }
            BytesView tooMuch = BytesView.of(new byte[13 << 20]);
            assertThat(memtable.put(BytesView.of("no room now"), tooMuch, ValueKind.PUT, 1))
                    .isEqualTo(PutStatus.FULL);
            BytesView never = BytesView.of(new byte[BUDGET_BYTES]);
            assertThatThrownBy(() -> memtable.put(BytesView.of("never"), never, ValueKind.PUT, 1))
                    .isInstanceOf(MemoryBudgetExceededException.class);
            memtable.seal();
            MemtableVerifier.verify(memtable, true);
        }
    }

    @Test
    void refusedActiveIteratorLeavesNothingBehind() {
        try (ChunkPool pool = new ChunkPool(accountant);
                Memtable memtable = Memtable.create(pool)) {
            put(memtable, 1);
            long left = BUDGET_BYTES - accountant.reservedBytes();
            accountant.reserve(MemoryPurpose.BLOCK_CACHE, left);
            assertThatThrownBy(memtable::newIterator)
                    .isInstanceOf(MemoryBudgetExceededException.class);
            accountant.release(MemoryPurpose.BLOCK_CACHE, left);
            BytesView value = new BytesView();
            scratch.putLong(0, 0x9e3779b97f4a7c15L);
            scratch.putLong(8, 1);
            BytesView key = new BytesView().wrap(scratch, 0, KEY_LENGTH);
            assertThat(memtable.get(key, SequenceNumbers.MAX, value)).isEqualTo(ValueKind.PUT);
        }
    }
}
