package dev.tarn.sst.cache;

import static dev.tarn.sst.cache.FrameTable.NONE;

/**
 * Finds frames for a block: never used ones first, then free ones, and for blocks of several frames
 * a window of neighbours.
 *
 * <p>There are no size classes: any {@code n} neighbours within a slab hold a block of {@code n}
 * frames, so memory never has to move between classes and only the last frame of a block is partly
 * empty. The price is that making room for a large block may evict neighbours out of turn.
 *
 * <p>Invariant: every frame below the frontier is in the FREE queue or belongs to exactly one block
 * that is LOADING, READY or DOOMED; frames from the frontier on were never used.
 *
 * <p>Threads: one at a time, ordered by the mutex of the cache.
 */
final class FrameAllocator {
    /** Free frames looked at in search of free neighbours, before blocks are evicted. */
    private static final int FREE_EXTENTS_TRIED = 8;

    private final FrameTable frames;
    private final FrameMemory memory;
    private final FrameQueues queues;

    private int frontier;

    FrameAllocator(FrameTable frames, FrameMemory memory, FrameQueues queues) {
        this.frames = frames;
        this.memory = memory;
        this.queues = queues;
    }

    int frontier() {
        return frontier;
    }

    /** Takes {@code runLength} neighbours that no block holds; NONE if there are none. */
    int tryTake(int runLength) {
        int start = takeFromFrontier(runLength);
        if (start != NONE) {
            return start;
        }
        if (runLength == 1) {
            int frame = queues.first(FrameQueues.FREE);
            return frame == NONE ? NONE : take(frame, 1);
        }
        int frame = queues.first(FrameQueues.FREE);
        for (int tried = 0; frame != NONE && tried < FREE_EXTENTS_TRIED; tried++) {
            int extent = freeExtentStart(frame, runLength);
            if (extent != NONE) {
                return take(extent, runLength);
            }
            frame = queues.next(frame);
        }
        return NONE;
    }

    private int takeFromFrontier(int runLength) {
        while (frontier < frames.frameCount()) {
            int start = frontier;
            memory.ensureAllocated(start);
            int slabEnd = memory.slabEnd(start);
            if (slabEnd - start >= runLength) {
                frontier = start + runLength;
                return start;
            }
            // What is left of the slab is too short: others may use it.
            frontier = slabEnd;
            for (int frame = start; frame < slabEnd; frame++) {
                addFree(frame);
            }
        }
        return NONE;
    }

    private int freeExtentStart(int frame, int runLength) {
        int start = frame;
        while (start > memory.slabStart(frame)
                && frame - start < runLength - 1
                && isFree(start - 1)) {
            start--;
        }
        int end = frame + 1;
        int usableEnd = Math.min(memory.slabEnd(frame), frontier);
        while (end - start < runLength && end < usableEnd && isFree(end)) {
            end++;
        }
        return end - start == runLength ? start : NONE;
    }

    private boolean isFree(int frame) {
        return FrameTable.state(frames.word(frame)) == FrameTable.FREE;
    }

    /** Takes neighbours that are all free. */
    int take(int start, int runLength) {
        for (int frame = start; frame < start + runLength; frame++) {
            queues.remove(frame);
        }
        return start;
    }

    /** Puts a frame of no block into the FREE queue. */
    void addFree(int frame) {
        frames.free(frame);
        queues.addLast(FrameQueues.FREE, frame);
    }

    /**
     * Returns the start of the window of {@code runLength} frames that begins at a block, if it
     * can.
     */
    int windowStart(int frame, int runLength) {
        int usableEnd = Math.min(memory.slabEnd(frame), frontier);
        int start = Math.min(frame, usableEnd - runLength);
        return start < memory.slabStart(frame) ? NONE : start;
    }

    /** Returns the first frame of the block that the frame belongs to, itself if it is free. */
    int headOf(int frame) {
        return FrameTable.state(frames.word(frame)) == FrameTable.TAIL
                ? frames.headOfTail(frame)
                : frame;
    }

    /**
     * Returns the number of used blocks that would be lost with a window, each counted four times
     * if it is of high priority. If a pin or a load forbids the window, the complement of the first
     * frame behind that block, which is negative.
     */
    int windowCost(int start, int runLength) {
        int cost = 0;
        for (int frame = start; frame < start + runLength; ) {
            int head = headOf(frame);
            long word = frames.word(head);
            int state = FrameTable.state(word);
            if (state == FrameTable.FREE) {
                frame++;
                continue;
            }
            if (state != FrameTable.READY || FrameTable.pins(word) != 0) {
                return ~(head + frames.runLength(head));
            }
            boolean used = FrameTable.isReferenced(word);
            int queue = frames.queue(head);
            if (queue == FrameQueues.HIGH) {
                cost += 4;
            } else if (used || queue == FrameQueues.PROTECTED) {
                cost++;
            }
            frame = head + frames.runLength(head);
        }
        return cost;
    }
}
