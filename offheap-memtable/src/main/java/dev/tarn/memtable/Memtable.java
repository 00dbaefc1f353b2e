package dev.tarn.memtable;

import dev.tarn.codec.Hash64;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.OffHeapMemory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The newest writes of one bucket, off-heap: an append-only log of entries and a hash index over
 * it; order is made by sorting.
 *
 * <p>A put costs one cache miss, a get two, a get of an absent key one. All versions of a key form
 * a chain, newest first by sequence number.
 *
 * <p>Owner: whoever creates a memtable closes it. Keys and values are copied in; views that are
 * handed out point into the memtable.
 *
 * <p>Lifetime: active, then sealed by {@link #seal()}, then closed by {@link #close()}; its memory
 * goes back to the pool when the last thread that {@linkplain #tryRetain() retained} it releases
 * it. Views are valid until then.
 *
 * <p>Threads: reads by any thread that knows the memtable is open, because it owns or retained it,
 * without locks; writes as the {@link WriterMode} says.
 *
 * <p>Units: lengths are bytes. Keys have 0 to {@link #KEY_LENGTH_MAX} bytes, values 0 to {@link
 * #VALUE_LENGTH_MAX}.
 *
 * <p>Errors: the budget's refusal and a seal are a {@link PutStatus}; misuse throws {@link
 * IllegalStateException} or {@link IllegalArgumentException}; use after close throws {@link
 * ClosedException}.
 */
public final class Memtable implements AutoCloseable {
    /** The longest key in bytes. */
    public static final int KEY_LENGTH_MAX = EntryLayout.KEY_LENGTH_MAX;

    /** The longest value in bytes: 256 MiB. */
    public static final int VALUE_LENGTH_MAX = EntryLayout.VALUE_LENGTH_MAX;

    /** What {@link #get} returns when no entry of the key is visible. */
    public static final int ABSENT = -1;

    private final ChunkPool pool;
    private final MemtableOptions options;
    private final EntryLog log;
    private final SlotIndex index;
    private final WriterContexts contexts = new WriterContexts();
    private final boolean exclusive;
    private final WriterContext exclusiveContext;
    private final ExclusiveIndexWriter exclusiveWriter;
    private final SharedIndexWriter sharedWriter;

    /** The thread that may write in single mode; null before the first put and after hand-over. */
    private volatile @Nullable Thread owner;

    private volatile boolean sealed;

    /** The owner's reference and one for each {@link #tryRetain}; 0 once the memory is gone. */
    private final AtomicInteger references = new AtomicInteger(1);

    private final AtomicBoolean closed = new AtomicBoolean();

    private final ReentrantLock sealMutex = new ReentrantLock();
    private final ReentrantLock sortMutex = new ReentrantLock();

    /** The order of the sealed memtable, once it was asked for. */
    private volatile @Nullable SortedDirectory sealedDirectory;

    private Memtable(ChunkPool pool, MemtableOptions options) {
        this.pool = pool;
        this.options = options;
        this.log = new EntryLog(pool);
        this.index = new SlotIndex(log);
        this.exclusive = options.writerMode() == WriterMode.SINGLE;
        this.exclusiveContext = contexts.first();
        long expectedKeyCount = options.expectedKeyCount();
        this.exclusiveWriter =
                new ExclusiveIndexWriter(log, index, exclusiveContext, expectedKeyCount);
        this.sharedWriter = new SharedIndexWriter(log, index, contexts, expectedKeyCount);
    }

    /** Creates an empty memtable, which takes no memory from the pool before its first put. */
    public static Memtable create(ChunkPool pool, MemtableOptions options) {
        return new Memtable(pool, options);
    }

    /** Creates an empty memtable with default options. */
    public static Memtable create(ChunkPool pool) {
        return create(pool, MemtableOptions.builder().build());
    }

    public MemtableOptions options() {
        return options;
    }

    // Writing

    /**
     * Adds an entry.
     *
     * @param hash {@link Hash64} of the key
     * @param kindByte see {@link dev.tarn.codec.ValueKind}; carried along, not looked at
     * @param sequenceNumber in [0, {@link SequenceNumbers#MAX}]; entries of a key are ordered by
     *     it, and of two with the same the later put is the newer
     * @throws IllegalArgumentException if key, value or sequence number are out of range
     * @throws dev.tarn.memory.MemoryBudgetExceededException if the entry is larger than the whole
     *     budget
     * @throws IllegalStateException if another thread writes, in single mode
     * @throws ClosedException if the memtable is closed
     */
    public PutStatus put(
            long hash,
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            OffHeapMemory valueMemory,
            int valueOffset,
            int valueLength,
            byte kindByte,
            long sequenceNumber) {
        checkLengths(keyLength, valueLength);
        checkSequenceNumber(sequenceNumber);
        WriterContext context = enter();
        if (context == null) {
            return PutStatus.SEALED;
        }
        try {
            int sizeBytes = EntryLayout.sizeBytes(keyLength, valueLength);
            if (!ensureRoom(context, sizeBytes)) {
                return PutStatus.FULL;
            }
            OffHeapMemory memory = blockMemory(context);
            int offset = context.top;
            int keyAt = offset + EntryLayout.KEY_OFFSET;
            keyMemory.copyTo(keyOffset, memory, keyAt, keyLength);
            valueMemory.copyTo(valueOffset, memory, keyAt + keyLength, valueLength);
            return append(
                    context,
                    hash,
                    memory,
                    offset,
                    keyLength,
                    valueLength,
                    kindByte,
                    sequenceNumber);
        } finally {
            exit(context);
        }
    }

    /** As the other put, hashing the key. */
    public PutStatus put(BytesView key, BytesView value, byte kindByte, long sequenceNumber) {
        return put(
                Hash64.hash(key),
                key.memory(),
                key.offset(),
                key.length(),
                value.memory(),
                value.offset(),
                value.length(),
                kindByte,
                sequenceNumber);
    }

    /**
     * Reserves space for an entry that the caller encodes in place; {@link #commit} or {@link
     * #abort} must follow if the status is {@link PutStatus#OK}.
     *
     * @param capacity the most that key and value will take together, in [0, {@link
     *     #KEY_LENGTH_MAX} + {@link #VALUE_LENGTH_MAX}]; what is left of it at commit is used again
     * @param reservation is pointed at the space; retained by nobody
     * @throws IllegalStateException if another thread writes, in single mode
     * @throws ClosedException if the memtable is closed
     */
    public PutStatus reserve(int capacity, MemtableReservation reservation) {
        if (capacity < 0 || capacity > KEY_LENGTH_MAX + VALUE_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "capacity must be in [0, "
                            + (KEY_LENGTH_MAX + VALUE_LENGTH_MAX)
                            + "]: capacity="
                            + capacity);
        }
        WriterContext context = enter();
        if (context == null) {
            return PutStatus.SEALED;
        }
        boolean reserved = false;
        try {
            if (!ensureRoom(context, EntryLayout.sizeBytes(capacity, 0))) {
                return PutStatus.FULL;
            }
            reservation.context = context;
            reservation.memory = blockMemory(context);
            reservation.entryOffset = context.top;
            reservation.capacity = capacity;
            reserved = true;
            return PutStatus.OK;
        } finally {
            if (!reserved) {
                exit(context);
            }
        }
    }

    /**
     * Publishes what the caller wrote into a reservation: {@code keyLength} bytes of key, {@code
     * valueLength} bytes of value right behind.
     *
     * @return {@link PutStatus#OK}, or {@link PutStatus#FULL} if the index had no room: then
     *     nothing is published and the reservation is gone
     */
    public PutStatus commit(
            MemtableReservation reservation,
            long hash,
            int keyLength,
            int valueLength,
            byte kindByte,
            long sequenceNumber) {
        checkLengths(keyLength, valueLength);
        if (keyLength + valueLength > reservation.capacity) {
            throw new IllegalArgumentException(
                    "key and value must fit the reservation: keyLength="
                            + keyLength
                            + " valueLength="
                            + valueLength
                            + " capacity="
                            + reservation.capacity);
        }
        checkSequenceNumber(sequenceNumber);
        WriterContext context = takeContext(reservation);
        try {
            return append(
                    context,
                    hash,
                    blockMemory(context),
                    reservation.entryOffset,
                    keyLength,
                    valueLength,
                    kindByte,
                    sequenceNumber);
        } finally {
            exit(context);
        }
    }

    /** Gives a reservation up; its space is used again. */
    public void abort(MemtableReservation reservation) {
        exit(takeContext(reservation));
    }

    /**
     * Hands the right to write in single mode over: the next thread that puts becomes the writer.
     * Does nothing in multi mode, or if nobody has written yet.
     *
     * @throws IllegalStateException if the calling thread is not the writer
     */
    public void releaseWriter() {
        Thread current = owner;
        if (current == null) {
            return;
        }
        checkOwner(current);
        owner = null;
    }

    /**
     * Refuses all further puts.
     *
     * <p>Returns when no put is in flight any more, so that everything that was acknowledged is in
     * the memtable, which never changes again. In multi mode any thread may seal; in single mode
     * the writer does, or any thread after {@link #releaseWriter()}. Sealing twice does nothing.
     *
     * @throws IllegalStateException if another thread is the writer, in single mode
     */
    public void seal() {
        checkOpen();
        sealMutex.lock();
        try {
            checkOwner(owner);
            sealed = true;
            owner = null;
        } finally {
            sealMutex.unlock();
        }
        contexts.awaitClaims();
    }

    public boolean isSealed() {
        return sealed;
    }

    // Reading

    /**
     * Positions {@code value} on the value of the newest entry of a key that is visible at {@code
     * sequenceNumber}, that is, has no larger one.
     *
     * <p>Owner: the memtable keeps the bytes; {@code value} only points at them.
     *
     * <p>Lifetime: valid until this memtable is closed; retain it first if a flush may run.
     *
     * <p>Threads: safe beside puts; {@code value} belongs to the calling thread.
     *
     * @param hash {@link Hash64} of the key
     * @param value left alone when nothing is found; set for every kind, a tombstone's value too
     * @return the kind byte of the entry, see {@link dev.tarn.codec.ValueKind#kind}, or {@link
     *     #ABSENT}
     * @throws ClosedException if the memtable is closed
     */
    public int get(
            long hash,
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            long sequenceNumber,
            BytesView value) {
        int unit = index.find(hash);
        while (unit != 0) {
            OffHeapMemory memory = log.memory(unit);
            int offset = log.offset(unit);
            if (isVersion(memory, offset, keyMemory, keyOffset, keyLength, sequenceNumber)) {
                value.wrap(
                        memory,
                        offset + EntryLayout.KEY_OFFSET + keyLength,
                        EntryLayout.valueLength(memory, offset));
                return EntryLayout.kindByte(memory, offset);
            }
            unit = memory.getIntAcquire(offset + EntryLayout.OLDER_OFFSET);
        }
        return ABSENT;
    }

    /** As the other get, hashing the key. */
    public int get(BytesView key, long sequenceNumber, BytesView value) {
        return get(
                Hash64.hash(key), key.memory(), key.offset(), key.length(), sequenceNumber, value);
    }

    /**
     * As {@link #get}, but points at the whole entry.
     *
     * @param entry points at nothing afterwards if nothing is visible
     * @return whether an entry is visible
     */
    public boolean find(
            long hash,
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            long sequenceNumber,
            EntryView entry) {
        int unit = findVersion(index.find(hash), keyMemory, keyOffset, keyLength, sequenceNumber);
        return entry(unit, entry);
    }

    /**
     * Positions {@code versions} on the newest entry of a key that is visible at {@code
     * sequenceNumber}, from where it goes to the older ones and back.
     *
     * @return whether an entry is visible
     */
    public boolean versions(
            long hash,
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            long sequenceNumber,
            VersionCursor versions) {
        int unit = findVersion(index.find(hash), keyMemory, keyOffset, keyLength, sequenceNumber);
        versions.start(log, unit);
        return unit != 0;
    }

    /**
     * Looks many keys up at once, so that their cache misses overlap.
     *
     * @param hashes {@link Hash64} of each key
     * @param keyMemory holds all keys
     * @param keyOffsets where each key starts in it
     * @param keyLengths how long each is
     * @param count how many there are: the first elements of the arrays
     * @param entries set to a handle of the newest visible entry of each key, 0 if there is none;
     *     {@link #entry} resolves it; as long valid as a view
     */
    public void multiGet(
            long[] hashes,
            OffHeapMemory keyMemory,
            int[] keyOffsets,
            int[] keyLengths,
            int count,
            long sequenceNumber,
            int[] entries) {
        for (int from = 0; from < count; from += CacheTouch.GROUP) {
            int to = Math.min(count, from + CacheTouch.GROUP);
            long touched = touchLines(hashes, from, to);
            findHeads(hashes, from, to, entries);
            touched += touchEntries(entries, from, to);
            for (int i = from; i < to; i++) {
                entries[i] =
                        findVersion(
                                entries[i],
                                keyMemory,
                                keyOffsets[i],
                                keyLengths[i],
                                sequenceNumber);
            }
            CacheTouch.consume(touched);
        }
    }

    private long touchLines(long[] hashes, int from, int to) {
        long touched = 0;
        for (int i = from; i < to; i++) {
            touched += index.touch(hashes[i]);
        }
        return touched;
    }

    private void findHeads(long[] hashes, int from, int to, int[] heads) {
        for (int i = from; i < to; i++) {
            heads[i] = index.find(hashes[i]);
        }
    }

    private long touchEntries(int[] units, int from, int to) {
        long touched = 0;
        for (int i = from; i < to; i++) {
            int unit = units[i];
            if (unit != 0) {
                touched += log.touchEntry(unit);
            }
        }
        return touched;
    }

    /**
     * Points {@code entry} at the entry of a handle from {@link #multiGet}, or at nothing if the
     * handle is 0.
     *
     * @return whether the handle was not 0
     */
    public boolean entry(int handle, EntryView entry) {
        if (handle == 0) {
            entry.clear();
            return false;
        }
        entry.wrap(log.memory(handle), log.offset(handle));
        return true;
    }

    /**
     * Returns an iterator over all entries in internal order: keys ascending, unsigned, and the
     * versions of a key from the newest to the oldest.
     *
     * <p>Sealed: the order is made once, by the first call, which takes a while; iterating is
     * allocation-free. Active: correct beside puts; the iterator sees the entries that were put
     * before it was created, and sorts them for itself.
     *
     * <p>Owner: the caller closes it; it retains the memtable until then.
     *
     * @throws dev.tarn.memory.MemoryBudgetExceededException if the memtable is active and the
     *     budget has no room for the iterator's order; a sealed one has its room reserved
     * @throws ClosedException if the memtable is closed
     */
    public MemtableIterator newIterator() {
        if (!tryRetain()) {
            throw closedException();
        }
        boolean created = false;
        try {
            MemtableIterator iterator =
                    sealed
                            ? new MemtableIterator(this, log, sealedDirectory(), false)
                            : new MemtableIterator(
                                    this,
                                    log,
                                    SortedDirectory.sortActive(pool, log, index, entryCount()),
                                    true);
            created = true;
            return iterator;
        } finally {
            if (!created) {
                release();
            }
        }
    }

    // Counting

    /** The entries put so far, all versions; exact once sealed. */
    public long entryCount() {
        return contexts.entryCount();
    }

    /**
     * The different keys put so far, but for the very few that share 31 bits of their hash and
     * count as one: see {@link MemtableOptions#expectedKeyCount()}.
     */
    public long keyCount() {
        return contexts.slotCount();
    }

    /** The bytes of the entries put so far, headers and padding included. */
    public long entryBytes() {
        return contexts.entryBytes();
    }

    /**
     * The memory taken from the pool, for entries and index: what closing this gives back. The
     * measure by which the largest memtable is chosen and a memtable's size is limited.
     */
    public long approximateBytes() {
        return log.chunkBytes();
    }

    // Lifetime

    /**
     * Keeps the memory from being given back until {@link #release()}.
     *
     * @return false if the memtable was closed and its last reader has left
     */
    public boolean tryRetain() {
        while (true) {
            int count = references.get();
            if (count == 0) {
                return false;
            }
            if (references.compareAndSet(count, count + 1)) {
                return true;
            }
        }
    }

    /** Ends what {@link #tryRetain()} began. */
    public void release() {
        int count = references.decrementAndGet();
        if (count < 0) {
            throw new IllegalStateException("memtable released more often than retained");
        }
        if (count == 0) {
            free();
        }
    }

    /**
     * Closes the memtable, sealed or not; nobody may write any more. Its memory goes back to the
     * pool now, or when the last reader that retained it releases it.
     *
     * @throws ClosedException if it was closed before
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            throw new ClosedException("memtable closed twice");
        }
        sealed = true;
        owner = null;
        release();
    }

    @Override
    public String toString() {
        return "Memtable[sealed="
                + sealed
                + " entryCount="
                + entryCount()
                + " approximateBytes="
                + approximateBytes()
                + "]";
    }

    // Package-private and private

    SlotIndex index() {
        return index;
    }

    EntryLog log() {
        return log;
    }

    private SortedDirectory sealedDirectory() {
        SortedDirectory directory = sealedDirectory;
        if (directory != null) {
            return directory;
        }
        sortMutex.lock();
        try {
            directory = sealedDirectory;
            if (directory == null) {
                directory = SortedDirectory.sortSealed(pool, log, index);
                sealedDirectory = directory;
            }
            return directory;
        } finally {
            sortMutex.unlock();
        }
    }

    private void free() {
        index.close();
        SortedDirectory directory = sealedDirectory;
        if (directory != null) {
            directory.close();
        }
        log.close();
    }

    /** Returns the context to write with, or null if the memtable is sealed. */
    private @Nullable WriterContext enter() {
        if (exclusive) {
            return owner == Thread.currentThread() ? exclusiveContext : claimExclusive();
        }
        WriterContext context = contexts.claim();
        // After the claim, which is a full fence: either the sealer sees the claim and waits, or
        // this sees the seal.
        if (sealed) {
            context.unclaim();
            checkOpen();
            return null;
        }
        return context;
    }

    private void exit(WriterContext context) {
        if (!exclusive) {
            context.unclaim();
        }
    }

    private @Nullable WriterContext claimExclusive() {
        sealMutex.lock();
        try {
            checkOpen();
            if (sealed) {
                return null;
            }
            checkOwner(owner);
            owner = Thread.currentThread();
            return exclusiveContext;
        } finally {
            sealMutex.unlock();
        }
    }

    private static void checkOwner(@Nullable Thread owner) {
        if (owner != null && owner != Thread.currentThread()) {
            throw new IllegalStateException(
                    "memtable in single-writer mode is written by another thread: writer="
                            + owner.getName()
                            + " thread="
                            + Thread.currentThread().getName()
                            + "; hand over with releaseWriter() or create it with"
                            + " WriterMode.MULTI");
        }
    }

    private static OffHeapMemory blockMemory(WriterContext context) {
        OffHeapMemory memory = context.memory;
        if (memory == null) {
            throw new IllegalStateException("writer context has no block");
        }
        return memory;
    }

    private static WriterContext takeContext(MemtableReservation reservation) {
        WriterContext context = reservation.context;
        if (context == null) {
            throw new IllegalStateException("reservation is not open");
        }
        reservation.context = null;
        reservation.memory = null;
        return context;
    }

    private boolean ensureRoom(WriterContext context, int sizeBytes) {
        return context.fits(sizeBytes) || log.refill(context, sizeBytes);
    }

    /** Completes and publishes the entry whose key and value stand at the top of the block. */
    private PutStatus append(
            WriterContext context,
            long hash,
            OffHeapMemory memory,
            int offset,
            int keyLength,
            int valueLength,
            byte kindByte,
            long sequenceNumber) {
        long entryCount = context.entryCount();
        if (entryCount == context.directoryEntryCountReserved && !log.reserveDirectory(context)) {
            return PutStatus.FULL;
        }
        EntryLayout.putHeader(memory, offset, keyLength, valueLength, sequenceNumber, kindByte);
        if (!publish(context, SlotIndex.tag(hash), memory, offset, sequenceNumber)) {
            return PutStatus.FULL;
        }
        int sizeBytes = EntryLayout.sizeBytes(keyLength, valueLength);
        context.top = offset + sizeBytes;
        context.countEntry(sizeBytes);
        return PutStatus.OK;
    }

    private boolean publish(
            WriterContext context, int tag, OffHeapMemory memory, int offset, long sequenceNumber) {
        int unit = context.topUnit();
        if (!exclusive) {
            return sharedWriter.publish(context, tag, memory, offset, unit);
        }
        boolean newestYet = sequenceNumber >= context.sequenceNumberMax;
        if (newestYet) {
            context.sequenceNumberMax = sequenceNumber;
        }
        return exclusiveWriter.publish(tag, memory, offset, unit, newestYet);
    }

    private int findVersion(
            int newest,
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            long sequenceNumber) {
        int unit = newest;
        while (unit != 0) {
            OffHeapMemory memory = log.memory(unit);
            int offset = log.offset(unit);
            if (isVersion(memory, offset, keyMemory, keyOffset, keyLength, sequenceNumber)) {
                return unit;
            }
            unit = memory.getIntAcquire(offset + EntryLayout.OLDER_OFFSET);
        }
        return 0;
    }

    private static boolean isVersion(
            OffHeapMemory memory,
            int offset,
            OffHeapMemory keyMemory,
            int keyOffset,
            int keyLength,
            long sequenceNumber) {
        return EntryLayout.keyLength(memory, offset) == keyLength
                && EntryLayout.sequenceNumber(memory, offset) <= sequenceNumber
                && OffHeapMemory.equal(
                        memory, offset + EntryLayout.KEY_OFFSET, keyMemory, keyOffset, keyLength);
    }

    private static void checkLengths(int keyLength, int valueLength) {
        if (keyLength < 0 || keyLength > KEY_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "keyLength must be in [0, " + KEY_LENGTH_MAX + "]: keyLength=" + keyLength);
        }
        if (valueLength < 0 || valueLength > VALUE_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "valueLength must be in [0, "
                            + VALUE_LENGTH_MAX
                            + "]: valueLength="
                            + valueLength);
        }
    }

    private static void checkSequenceNumber(long sequenceNumber) {
        if (sequenceNumber < 0 || sequenceNumber > SequenceNumbers.MAX) {
            throw new IllegalArgumentException(
                    "sequenceNumber must be in [0, "
                            + SequenceNumbers.MAX
                            + "]: sequenceNumber="
                            + sequenceNumber);
        }
    }

    private void checkOpen() {
        if (closed.get()) {
            throw closedException();
        }
    }

    private static ClosedException closedException() {
        return new ClosedException("memtable is closed");
    }
}
