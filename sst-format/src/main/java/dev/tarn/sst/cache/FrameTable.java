package dev.tarn.sst.cache;

import dev.tarn.memory.OffHeapMemory;

/**
 * The frame headers: where readers without a lock and the one mutating thread meet.
 *
 * <pre>
 * offset  size  field        written by, order
 * 0       8     word         CAS by readers (reference, pins), CAS or release under the mutex
 * 8       8     tag          under the mutex, opaque, while the frame is LOADING
 * 16      4     length       under the mutex: block bytes; in a TAIL frame the head frame
 * 20      4     run          under the mutex: frames of the block &lt;&lt; 8 | queue
 * 24      4     fileNext     under the mutex: the next resident block of the same file, or NONE
 * 28      4     filePrevious under the mutex
 *
 * word, from the lowest bit: state 3 | reference 1 | pins 20 | generation 32 | zero 8
 * </pre>
 *
 * <p>Threads: methods that say "under the mutex" are called by one thread at a time, ordered by the
 * mutex of the cache; all others by any thread.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The tag, the length and the block bytes of a frame change only while its state is not READY
 *       or DOOMED, and after its generation was raised.
 *   <li>Pins are only taken in state READY, and a READY or DOOMED frame with pins keeps state or
 *       goes from READY to DOOMED.
 *   <li>Only the mutating thread changes state and generation.
 * </ol>
 *
 * <p>Publication: the release store that makes a frame READY publishes tag, length and bytes; its
 * partners are the acquire loads in {@link #word}.
 */
final class FrameTable {
    static final int NONE = -1;
    static final int HEADER_BYTES = 32;

    /** In the list of free frames, or never used: neither tag nor bytes mean anything. */
    static final int FREE = 0;

    /** Belongs to a load in progress, which writes the bytes without any lock. */
    static final int LOADING = 1;

    /** Holds the block that its tag names. */
    static final int READY = 2;

    /** Still pinned, but no longer to be found; freed by the last unpin. */
    static final int DOOMED = 3;

    /** A further frame of a block that starts in an earlier one, which alone has a word to read. */
    static final int TAIL = 4;

    static final long REFERENCE = 1L << 3;
    static final long PIN = 1L << 4;
    static final int PIN_COUNT_MAX = (1 << 20) - 1;

    private static final int WORD = 0;
    private static final int TAG = 8;
    private static final int LENGTH = 16;
    private static final int RUN = 20;
    private static final int FILE_NEXT = 24;
    private static final int FILE_PREVIOUS = 28;

    private static final long STATE_MASK = 7;
    private static final int PIN_SHIFT = 4;
    private static final int GENERATION_SHIFT = 24;
    private static final long GENERATION_MASK = 0xffff_ffffL;

    private final OffHeapMemory headers;
    private final int frameCount;

    FrameTable(OffHeapMemory headers, int frameCount) {
        this.headers = headers;
        this.frameCount = frameCount;
    }

    int frameCount() {
        return frameCount;
    }

    /** Returns whether the number names a frame at all: a hint may be anything. */
    boolean exists(int frame) {
        return frame >= 0 && frame < frameCount;
    }

    /** Loads the word of the frame; acquire: pairs with the release in {@link #publish}. */
    long word(int frame) {
        return headers.getLongAcquire(frame * HEADER_BYTES + WORD);
    }

    static int state(long word) {
        return (int) (word & STATE_MASK);
    }

    static int pins(long word) {
        return (int) (word >>> PIN_SHIFT) & PIN_COUNT_MAX;
    }

    static long generation(long word) {
        return (word >>> GENERATION_SHIFT) & GENERATION_MASK;
    }

    static boolean isReferenced(long word) {
        return (word & REFERENCE) != 0;
    }

    /**
     * The block in the frame; means something only together with a word that was loaded before and
     * is checked again afterwards.
     */
    long tag(int frame) {
        return headers.getLongOpaque(frame * HEADER_BYTES + TAG);
    }

    int length(int frame) {
        return headers.getInt(frame * HEADER_BYTES + LENGTH);
    }

    /** See {@link BlockCache#stamp}. */
    long stamp(int frame, long tag) {
        long word = word(frame);
        if (state(word) != READY || tag(frame) != tag) {
            return NONE;
        }
        if (!isReferenced(word)) {
            // Failing means that another thread did the same, took a pin, or evicted: all are fine.
            headers.compareAndSetLong(frame * HEADER_BYTES + WORD, word, word | REFERENCE);
        }
        return generation(word);
    }

    /** See {@link BlockCache#validate}. */
    boolean validate(int frame, long stamp) {
        // Pairs with the release fence in tryClaim: if any of the bytes read was written after the
        // block was evicted, the word loaded below has a later generation.
        OffHeapMemory.acquireFence();
        return generation(word(frame)) == stamp;
    }

    /**
     * Takes a pin if the frame holds the block now; returns whether it did.
     *
     * @throws IllegalStateException if the frame has as many pins as can be counted
     */
    boolean tryPin(int frame, long tag) {
        while (true) {
            long word = word(frame);
            if (state(word) != READY || tag(frame) != tag) {
                return false;
            }
            if (pins(word) == PIN_COUNT_MAX) {
                throw new IllegalStateException(
                        "block is pinned too often, pins leak: frame=" + frame + " tag=" + tag);
            }
            // The word holds the generation, so success proves that the tag was not a later one's.
            if (headers.compareAndSetLong(
                    frame * HEADER_BYTES + WORD, word, (word | REFERENCE) + PIN)) {
                return true;
            }
        }
    }

    /**
     * Gives a pin back; returns whether it was the last one of a DOOMED frame, which the caller
     * then frees.
     *
     * @throws IllegalStateException if the frame has no pins
     */
    boolean unpin(int frame) {
        // Release through the atomic add: reads of the pinned bytes stay before it.
        long word = headers.getAndAddLong(frame * HEADER_BYTES + WORD, -PIN);
        int pins = pins(word);
        if (pins == 0) {
            headers.getAndAddLong(frame * HEADER_BYTES + WORD, PIN);
            throw new IllegalStateException("frame is not pinned: frame=" + frame);
        }
        return pins == 1 && state(word) == DOOMED;
    }

    /**
     * Under the mutex: takes the frame from its readers, unless it is pinned; returns whether it is
     * FREE now. From here on no stamp of the old block validates, and its bytes may change.
     */
    boolean tryClaim(int frame) {
        while (true) {
            long word = word(frame);
            assert state(word) == READY || state(word) == DOOMED : state(word);
            if (pins(word) != 0) {
                return false;
            }
            long claimed = (((generation(word) + 1) & GENERATION_MASK) << GENERATION_SHIFT) | FREE;
            if (headers.compareAndSetLong(frame * HEADER_BYTES + WORD, word, claimed)) {
                // Pairs with the acquire fence in validate: whoever copies a byte that
                // is written from here on sees the new generation when it looks again.
                OffHeapMemory.releaseFence();
                return true;
            }
        }
    }

    /**
     * Under the mutex: hides a READY frame that is pinned; returns false if it has no pins any
     * more, and can be claimed.
     */
    boolean tryDoom(int frame) {
        while (true) {
            long word = word(frame);
            assert state(word) == READY : state(word);
            if (pins(word) == 0) {
                return false;
            }
            long doomed = (word & ~(STATE_MASK | REFERENCE)) | DOOMED;
            if (headers.compareAndSetLong(frame * HEADER_BYTES + WORD, word, doomed)) {
                return true;
            }
        }
    }

    /** Under the mutex: withdraws the mark that {@link #stamp} and {@link #tryPin} made. */
    void clearReference(int frame) {
        while (true) {
            long word = word(frame);
            if (headers.compareAndSetLong(frame * HEADER_BYTES + WORD, word, word & ~REFERENCE)) {
                return;
            }
        }
    }

    /** Under the mutex: gives free frames to a load. */
    void beginLoad(int head, int frameCountOfRun, long tag, int length) {
        // Nobody but the mutating thread changes the word of a frame that is not READY or DOOMED.
        setState(head, LOADING);
        headers.putLongOpaque(head * HEADER_BYTES + TAG, tag);
        headers.putInt(head * HEADER_BYTES + LENGTH, length);
        headers.putInt(head * HEADER_BYTES + RUN, frameCountOfRun << 8);
        for (int frame = head + 1; frame < head + frameCountOfRun; frame++) {
            setState(frame, TAIL);
            headers.putInt(frame * HEADER_BYTES + LENGTH, head);
        }
    }

    /** Under the mutex: shows a loaded frame, with the pins of those who waited for it. */
    void publish(int frame, int pins, boolean doomed) {
        long word = word(frame);
        assert state(word) == LOADING : state(word);
        long published =
                (generation(word) << GENERATION_SHIFT)
                        | ((long) pins << PIN_SHIFT)
                        | (doomed ? DOOMED : READY);
        // Release: pairs with the acquire in word(); publishes tag, length and the block's bytes.
        headers.putLongRelease(frame * HEADER_BYTES + WORD, published);
    }

    /** Under the mutex: makes one frame FREE that belongs to no block any more. */
    void free(int frame) {
        setState(frame, FREE);
        headers.putInt(frame * HEADER_BYTES + RUN, 1 << 8);
    }

    private void setState(int frame, int state) {
        long word = word(frame);
        assert state(word) != READY && state(word) != DOOMED : state(word);
        headers.putLongRelease(
                frame * HEADER_BYTES + WORD, (generation(word) << GENERATION_SHIFT) | state);
    }

    /** Under the mutex: the first frame of the block that a TAIL frame belongs to. */
    int headOfTail(int frame) {
        return headers.getInt(frame * HEADER_BYTES + LENGTH);
    }

    /** Under the mutex: the number of frames of the block. */
    int runLength(int head) {
        return headers.getInt(head * HEADER_BYTES + RUN) >>> 8;
    }

    /** Under the mutex: the queue that the block is in. */
    int queue(int head) {
        return headers.getInt(head * HEADER_BYTES + RUN) & 0xff;
    }

    /** Under the mutex: notes the queue that the block is in. */
    void setQueue(int head, int queue) {
        headers.putInt(head * HEADER_BYTES + RUN, (runLength(head) << 8) | queue);
    }

    int fileNext(int frame) {
        return headers.getInt(frame * HEADER_BYTES + FILE_NEXT);
    }

    int filePrevious(int frame) {
        return headers.getInt(frame * HEADER_BYTES + FILE_PREVIOUS);
    }

    void setFileNext(int frame, int next) {
        headers.putInt(frame * HEADER_BYTES + FILE_NEXT, next);
    }

    void setFilePrevious(int frame, int previous) {
        headers.putInt(frame * HEADER_BYTES + FILE_PREVIOUS, previous);
    }
}
