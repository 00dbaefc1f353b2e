package dev.tarn.memtable;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryBudgetExceededException;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.testing.Seeds;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ChunkPoolTest {
    private static final int SLAB_BYTES = ChunkPool.SLAB_BYTES_MIN;

    @Test
    void chunksNeverOverlapAndAllMemoryComesBack() {
        Seeds.run(
                20,
                random -> {
                    MemoryAccountant accountant = new MemoryAccountant(4L * SLAB_BYTES);
                    try (ChunkPool pool = new ChunkPool(accountant, SLAB_BYTES)) {
                        TreeMap<Integer, Integer> lent = new TreeMap<>();
                        for (int i = 0; i < 3000; i++) {
                            if (random.oneIn(2) || lent.isEmpty()) {
                                int bytes = ChunkPool.CHUNK_BYTES_MIN << random.skewed(7);
                                int unit = pool.tryAcquire(bytes);
                                if (unit != 0) {
                                    lent.put(unit, bytes);
                                }
                            } else {
                                Integer unit = lent.ceilingKey(random.between(0, 1 << 20));
                                unit = unit == null ? lent.firstKey() : unit;
                                pool.release(unit, requireNonNull(lent.remove(unit)));
                            }
                            checkDisjoint(lent);
                        }
                        lent.forEach(pool::release);
                        assertThat(pool.lentBytes()).isZero();
                        pool.trim();
                        assertThat(accountant.reservedBytes()).isZero();
                        int whole = pool.tryAcquire(SLAB_BYTES);
                        assertThat(whole).isNotZero();
                        pool.release(whole, SLAB_BYTES);
                    }
                });
    }

    private static void checkDisjoint(SortedMap<Integer, Integer> lent) {
        int end = 0;
        for (Map.Entry<Integer, Integer> chunk : lent.entrySet()) {
            assertThat(chunk.getKey()).isGreaterThanOrEqualTo(end);
            end = chunk.getKey() + chunk.getValue() / EntryLayout.UNIT_BYTES;
        }
    }

    @Test
    void refusesWhatTheBudgetHasNoRoomFor() {
        MemoryAccountant accountant = new MemoryAccountant(2L * SLAB_BYTES);
        try (ChunkPool pool = new ChunkPool(accountant, SLAB_BYTES)) {
            int first = pool.tryAcquire(SLAB_BYTES);
            int second = pool.tryAcquire(SLAB_BYTES);
            assertThat(pool.tryAcquire(ChunkPool.CHUNK_BYTES_MIN)).isZero();
            assertThat(pool.tryAcquireLarge(SLAB_BYTES + 64)).isZero();
            pool.release(first, SLAB_BYTES);
            pool.release(second, SLAB_BYTES);
            int large = pool.tryAcquireLarge(SLAB_BYTES + 64);
            assertThat(large).as("idle slabs make room for a large entry").isNotZero();
            pool.releaseLarge(large);
            assertThatThrownBy(() -> pool.tryAcquireLarge(2 * SLAB_BYTES + 64))
                    .isInstanceOf(MemoryBudgetExceededException.class);
        }
        assertThat(accountant.reservedBytes(MemoryPurpose.MEMTABLE)).isZero();
    }

    @Test
    void refusesMisuse() {
        MemoryAccountant accountant = new MemoryAccountant(2L * SLAB_BYTES);
        ChunkPool pool = new ChunkPool(accountant, SLAB_BYTES);
        int chunk = pool.tryAcquire(4096);
        assertThatThrownBy(() -> pool.tryAcquire(5000))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(pool::close).isInstanceOf(IllegalStateException.class);
        int other = pool.tryAcquire(4096);
        pool.release(chunk, 4096);
        assertThatThrownBy(() -> pool.release(chunk, 4096))
                .isInstanceOf(IllegalStateException.class);
        pool.release(other, 4096);
        pool.close();
        assertThatThrownBy(pool::close).isInstanceOf(IllegalStateException.class);
    }
}
