package dev.tarn.sst.cache;

import static dev.tarn.sst.cache.FrameTable.NONE;

import dev.tarn.memory.OffHeapMemory;

/**
 * Who is evicted next: the S3-FIFO policy with a queue of its own for scans and one for blocks of
 * high priority.
 *
 * <pre>
 * queue      enters                                        leaves from its head
 * SCAN       LOW blocks                                    used again: PROBATION, else evicted
 * PROBATION  NORMAL blocks                                 used again: PROTECTED, else evicted
 * PROTECTED  NORMAL blocks that were evicted lately        used again: once more round, else evicted
 * HIGH       HIGH blocks                                   over its share: PROTECTED
 * FREE       single frames of no block
 * </pre>
 *
 * <p>"Used again" is the reference bit, which hits set and the passing head clears. A block that is
 * read once never displaces one that is read twice, however many there are.
 *
 * <p>The queues are doubly linked lists through an off-heap table of two frame numbers (previous,
 * next) per frame. A block is linked by its first frame.
 *
 * <p>Threads: one at a time, ordered by the mutex of the cache.
 */
final class FrameQueues {
    static final int FREE = 0;
    static final int SCAN = 1;
    static final int PROBATION = 2;
    static final int PROTECTED = 3;
    static final int HIGH = 4;
    static final int QUEUE_COUNT = 5;

    static final int LINK_BYTES = 8;
    private static final int PREVIOUS = 0;
    private static final int NEXT = 4;

    private final OffHeapMemory links;
    private final FrameTable frames;

    private final int[] first = {NONE, NONE, NONE, NONE, NONE};
    private final int[] last = {NONE, NONE, NONE, NONE, NONE};

    /** Blocks in each queue. */
    private final int[] blockCount = new int[QUEUE_COUNT];

    /** Frames that the blocks in each queue occupy. */
    private final int[] frameCount = new int[QUEUE_COUNT];

    private final int scanFramesMax;
    private final int probationFramesMax;
    private final int highFramesMax;

    FrameQueues(OffHeapMemory links, FrameTable frames, BlockCacheOptions options) {
        this.links = links;
        this.frames = frames;
        this.scanFramesMax = share(options.lowShare());
        this.probationFramesMax = share(options.probationShare());
        this.highFramesMax = share(options.highShare());
    }

    private int share(double part) {
        return (int) (part * frames.frameCount());
    }

    int first(int queue) {
        return first[queue];
    }

    int next(int frame) {
        return links.getInt(frame * LINK_BYTES + NEXT);
    }

    int blockCount(int queue) {
        return blockCount[queue];
    }

    int frameCount(int queue) {
        return frameCount[queue];
    }

    void addLast(int queue, int frame) {
        frames.setQueue(frame, queue);
        int before = last[queue];
        links.putInt(frame * LINK_BYTES + PREVIOUS, before);
        links.putInt(frame * LINK_BYTES + NEXT, NONE);
        if (before == NONE) {
            first[queue] = frame;
        } else {
            links.putInt(before * LINK_BYTES + NEXT, frame);
        }
        last[queue] = frame;
        blockCount[queue]++;
        frameCount[queue] += frames.runLength(frame);
    }

    void remove(int frame) {
        int queue = frames.queue(frame);
        int before = links.getInt(frame * LINK_BYTES + PREVIOUS);
        int after = links.getInt(frame * LINK_BYTES + NEXT);
        if (before == NONE) {
            first[queue] = after;
        } else {
            links.putInt(before * LINK_BYTES + NEXT, after);
        }
        if (after == NONE) {
            last[queue] = before;
        } else {
            links.putInt(after * LINK_BYTES + PREVIOUS, before);
        }
        blockCount[queue]--;
        frameCount[queue] -= frames.runLength(frame);
    }

    /** Moves a block to the end of a queue, maybe its own. */
    void move(int frame, int queue) {
        remove(frame);
        addLast(queue, frame);
    }

    /**
     * Returns the block to evict for one that enters {@code incomingQueue}, leaving it where it is,
     * or {@link FrameTable#NONE} if every block is pinned.
     */
    int selectVictim(int incomingQueue) {
        while (frameCount[HIGH] > highFramesMax) {
            move(first[HIGH], PROTECTED);
        }
        int victim = NONE;
        if (frameCount[SCAN] > scanFramesMax
                || (incomingQueue == SCAN && frameCount[SCAN] == scanFramesMax)) {
            victim = sweep(SCAN, PROBATION);
        }
        if (victim == NONE && frameCount[PROBATION] > probationFramesMax) {
            victim = sweep(PROBATION, PROTECTED);
        }
        if (victim == NONE) {
            victim = sweep(PROTECTED, PROTECTED);
        }
        if (victim == NONE) {
            victim = sweep(PROBATION, PROTECTED);
        }
        if (victim == NONE) {
            victim = sweep(SCAN, PROBATION);
        }
        if (victim == NONE) {
            victim = sweep(HIGH, HIGH);
        }
        return victim == NONE ? anyUnpinned() : victim;
    }

    /** Passes over used and pinned blocks at the head until one is neither. */
    private int sweep(int queue, int queueOfUsed) {
        // Twice round at most: others may set reference bits as fast as this clears them.
        for (int steps = 2 * blockCount[queue]; steps > 0 && first[queue] != NONE; steps--) {
            int frame = first[queue];
            long word = frames.word(frame);
            if (FrameTable.pins(word) != 0) {
                move(frame, queue);
            } else if (FrameTable.isReferenced(word)) {
                frames.clearReference(frame);
                move(frame, queueOfUsed);
            } else {
                return frame;
            }
        }
        return NONE;
    }

    private int anyUnpinned() {
        for (int queue = SCAN; queue <= HIGH; queue++) {
            for (int frame = first[queue]; frame != NONE; frame = next(frame)) {
                if (FrameTable.pins(frames.word(frame)) == 0) {
                    return frame;
                }
            }
        }
        return NONE;
    }
}
