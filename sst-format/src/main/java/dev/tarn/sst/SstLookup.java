package dev.tarn.sst;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.IndexBlock;
import dev.tarn.sst.block.ScratchBuffer;
import dev.tarn.sst.cache.BlockCache;
import org.jspecify.annotations.Nullable;

/**
 * A thread's scratch for lookups in any number of files; holds the entry found last.
 *
 * <p>Owner: whoever created it closes it, once. The value lies in memory of this object.
 *
 * <p>Lifetime: an entry is valid until the next lookup with this object.
 *
 * <p>Threads: belongs to one thread at a time.
 */
public final class SstLookup implements AutoCloseable {
    private static final int VALUE_CAPACITY = 4096;
    private static final int KEPT_CAPACITY_MAX = 1 << 20;

    /** Hits are told to the cache in lots, since its counter is shared. */
    private static final int HITS_PER_REPORT = 64;

    private final ScratchBuffer valueBytes;

    /** Where in {@link #valueBytes} the next value goes: bytes before it are kept. */
    private int valueStart;

    private final boolean ownsValueBytes;
    private final BytesView value = new BytesView();
    private long trailer;

    final BlockFetcher fetcher;

    /** A block or index partition that the cache would not take. */
    private final ScratchBuffer uncached;

    private final ScratchBuffer uncachedIndex;

    /** The index partition in use, where the index is not pinned. */
    final IndexBlock partition = new IndexBlock();

    /** The frame that {@link #partition} keeps pinned; negative if it lies elsewhere. */
    int partitionFrame = -1;

    @Nullable LookupTrace trace;

    private long blockHits;
    private long blockReads;
    private long filterNegatives;

    /** Reserves and allocates the scratch memory, under {@link MemoryPurpose#IO_BUFFER}. */
    public SstLookup(MemoryAccountant accountant) {
        this(
                accountant,
                new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, VALUE_CAPACITY),
                true);
    }

    /** Creates a lookup that copies values to memory of somebody else. */
    SstLookup(MemoryAccountant accountant, ScratchBuffer valueBytes) {
        this(accountant, valueBytes, false);
    }

    private SstLookup(
            MemoryAccountant accountant, ScratchBuffer valueBytes, boolean ownsValueBytes) {
        this.valueBytes = valueBytes;
        this.ownsValueBytes = ownsValueBytes;
        uncached = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 0);
        uncachedIndex = new ScratchBuffer(accountant, MemoryPurpose.IO_BUFFER, 0);
        fetcher = new BlockFetcher(accountant);
    }

    /** The value of the entry found; empty for a tombstone without one. */
    public BytesView value() {
        return value;
    }

    /** The trailer of the entry found. */
    public long trailer() {
        return trailer;
    }

    public long sequenceNumber() {
        return SequenceNumbers.sequenceNumber(trailer);
    }

    public byte kindByte() {
        return SequenceNumbers.kindByte(trailer);
    }

    /** Lets every lookup from now on describe itself in {@code trace}; null ends that. */
    public void trace(@Nullable LookupTrace trace) {
        this.trace = trace;
    }

    /** How often this object's lookups found a data block in the cache. */
    public long blockHits() {
        return blockHits;
    }

    /** How often this object's lookups read a data block from a file. */
    public long blockReads() {
        return blockReads;
    }

    /** How often a filter ended a lookup of this object. */
    public long filterNegatives() {
        return filterNegatives;
    }

    /** Bytes that this object's lookups read from files. */
    public long readBytes() {
        return fetcher.readBytes();
    }

    void countFilterNegative() {
        filterNegatives++;
    }

    void countHit(int block, BlockCache cache) {
        blockHits++;
        if ((blockHits & HITS_PER_REPORT - 1) == 0) {
            cache.countHits(HITS_PER_REPORT);
        }
        LookupTrace traced = trace;
        if (traced != null) {
            traced.block = block;
            traced.blockHits++;
        }
    }

    void countRead(int block) {
        blockReads++;
        LookupTrace traced = trace;
        if (traced != null) {
            traced.block = block;
            traced.blockReads++;
        }
    }

    /** Copies an entry here; it may be garbage, as long as it lies within the memory. */
    void take(long trailer, OffHeapMemory source, int offset, int length) {
        int start = valueStart;
        OffHeapMemory target = valueBytes.grow((long) start + length, start);
        source.copyTo(offset, target, start, length);
        value.wrap(target, start, length);
        this.trailer = trailer;
    }

    /** Lets the next values follow the bytes before {@code start}. */
    void keepValuesBefore(int start) {
        valueStart = start;
    }

    OffHeapMemory uncached(int length) {
        return uncached.ensure(length);
    }

    OffHeapMemory uncachedIndex(int length) {
        return uncachedIndex.ensure(length);
    }

    /** Gives back what an unusually large block took. */
    void trim() {
        uncached.shrink(KEPT_CAPACITY_MAX);
    }

    @Override
    public void close() {
        if (ownsValueBytes) {
            valueBytes.close();
        }
        uncached.close();
        uncachedIndex.close();
        fetcher.close();
    }
}
