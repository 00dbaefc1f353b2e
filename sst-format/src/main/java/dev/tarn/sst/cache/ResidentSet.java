package dev.tarn.sst.cache;

import static dev.tarn.sst.cache.FrameTable.NONE;

import dev.tarn.memory.Diagnostics;
import org.agrona.collections.Int2IntHashMap;

/**
 * The blocks in the cache and every change to them: room is made, blocks are published, evicted,
 * doomed and freed.
 *
 * <p>Threads: one at a time, ordered by the mutex of the cache. Readers run beside it and meet it
 * in {@link FrameTable} and {@link FrameIndex} only.
 *
 * <p>Invariants, which {@code BlockCacheVerifier} checks in tests:
 *
 * <ol>
 *   <li>A block is READY if and only if it is in the index, in one queue and in the list of its
 *       file.
 *   <li>A DOOMED block is in none of them and has pins; {@link #doomedCount} counts them.
 *   <li>A file that is not open has no READY block.
 * </ol>
 */
final class ResidentSet {
    /** Windows compared for a block of several frames before the cheapest is taken. */
    private static final int WINDOWS_TRIED = 8;

    private static final byte POISON = (byte) 0xDD;

    private final FrameTable frames;
    private final FrameIndex index;
    private final FrameQueues queues;
    private final FrameAllocator allocator;
    private final FrameMemory memory;
    private final GhostTable ghosts;

    /** The first resident block of every open file, {@link FrameTable#NONE} if it has none. */
    private final Int2IntHashMap firstBlockOfFile = new Int2IntHashMap(Integer.MIN_VALUE);

    private int doomedCount;
    private long evictionCount;

    ResidentSet(
            FrameTable frames,
            FrameIndex index,
            FrameQueues queues,
            FrameMemory memory,
            GhostTable ghosts) {
        this.frames = frames;
        this.index = index;
        this.queues = queues;
        this.memory = memory;
        this.ghosts = ghosts;
        this.allocator = new FrameAllocator(frames, memory, queues);
    }

    FrameAllocator allocator() {
        return allocator;
    }

    FrameQueues queues() {
        return queues;
    }

    int doomedCount() {
        return doomedCount;
    }

    long evictionCount() {
        return evictionCount;
    }

    int openFileCount() {
        return firstBlockOfFile.size();
    }

    boolean isOpen(int fileId) {
        return firstBlockOfFile.containsKey(fileId);
    }

    /** Returns the first resident block of an open file, NONE if it has none. */
    int firstBlock(int fileId) {
        return firstBlockOfFile.get(fileId);
    }

    void openFile(int fileId) {
        firstBlockOfFile.put(fileId, NONE);
    }

    /** Removes all blocks of a file; those that are pinned lose their frames with the last pin. */
    void forgetFile(int fileId) {
        int frame = firstBlockOfFile.remove(fileId);
        while (frame != NONE) {
            int next = frames.fileNext(frame);
            if (!frames.tryDoom(frame)) {
                // Without pins; none can appear between the two calls unless a reader is late.
                if (!frames.tryClaim(frame)) {
                    continue;
                }
                unlist(frame);
                freeRun(frame);
            } else {
                unlist(frame);
                doomedCount++;
            }
            frame = next;
        }
    }

    /** Returns the queue that a block enters once it is loaded. */
    int queueFor(long tag, Priority priority) {
        switch (priority) {
            case HIGH:
                return FrameQueues.HIGH;
            case LOW:
                return FrameQueues.SCAN;
            default:
                return ghosts.remove(tag) ? FrameQueues.PROTECTED : FrameQueues.PROBATION;
        }
    }

    /** Makes room for a block and marks it LOADING; NONE if pins and loads leave no room. */
    int beginLoad(long tag, int length, int queue) {
        int runLength = runLength(length);
        int frame = allocator.tryTake(runLength);
        if (frame == NONE) {
            frame = runLength == 1 ? evictOne(queue) : evictWindow(runLength, queue);
        }
        if (frame != NONE) {
            frames.beginLoad(frame, runLength, tag, length);
        }
        return frame;
    }

    int runLength(int length) {
        return (length + memory.frameBytes() - 1) / memory.frameBytes();
    }

    /** Shows a loaded block, unless its file was forgotten meanwhile: then it is born DOOMED. */
    void publish(int frame, int queue, int pins) {
        long tag = frames.tag(frame);
        int fileId = BlockCache.fileIdOf(tag);
        boolean listed = isOpen(fileId);
        if (!listed) {
            doomedCount++;
            frames.publish(frame, pins, true);
            return;
        }
        queues.addLast(queue, frame);
        int next = firstBlockOfFile.get(fileId);
        frames.setFilePrevious(frame, NONE);
        frames.setFileNext(frame, next);
        if (next != NONE) {
            frames.setFilePrevious(next, frame);
        }
        firstBlockOfFile.put(fileId, frame);
        frames.publish(frame, pins, false);
        // After the header, so that whoever finds the slot finds the block, too.
        index.insert(tag, frame);
    }

    /** Gives back the frames of a load that failed. */
    void abandonLoad(int frame) {
        freeFrames(frame, frames.runLength(frame));
    }

    /** Frees a DOOMED block after its last unpin. */
    void freeDoomed(int frame) {
        boolean claimed = frames.tryClaim(frame);
        assert claimed : "doomed blocks get no new pins";
        doomedCount--;
        freeRun(frame);
    }

    private int evictOne(int incomingQueue) {
        while (true) {
            int victim = queues.selectVictim(incomingQueue);
            if (victim == NONE) {
                return NONE;
            }
            if (tryEvict(victim)) {
                return allocator.take(victim, 1);
            }
            // Pinned since it was selected: the next pass sees that.
        }
    }

    private int evictWindow(int runLength, int incomingQueue) {
        int best = NONE;
        int bestCost = Integer.MAX_VALUE;
        for (int tried = 0; tried < WINDOWS_TRIED && bestCost > 0; tried++) {
            int victim = queues.selectVictim(incomingQueue);
            if (victim == NONE) {
                break;
            }
            int start = allocator.windowStart(victim, runLength);
            int cost = start == NONE ? -1 : allocator.windowCost(start, runLength);
            if (cost >= 0 && cost < bestCost) {
                best = start;
                bestCost = cost;
            }
            queues.move(victim, frames.queue(victim));
        }
        if (best != NONE && tryEvictWindow(best, runLength)) {
            return allocator.take(best, runLength);
        }
        return evictAnyWindow(runLength);
    }

    /** Looks at every window, so that a refusal means that there is none without a pin. */
    private int evictAnyWindow(int runLength) {
        int start = 0;
        while (start < allocator.frontier()) {
            if (allocator.windowStart(start, runLength) != start) {
                start = memory.slabEnd(start);
                continue;
            }
            int cost = allocator.windowCost(start, runLength);
            if (cost >= 0 && tryEvictWindow(start, runLength)) {
                return allocator.take(start, runLength);
            }
            // A block that was pinned between the two calls shows in the next round.
            start = cost < 0 ? ~cost : start + 1;
        }
        return NONE;
    }

    private boolean tryEvictWindow(int start, int runLength) {
        for (int frame = start; frame < start + runLength; ) {
            int head = allocator.headOf(frame);
            if (FrameTable.state(frames.word(head)) == FrameTable.FREE) {
                frame++;
                continue;
            }
            int headRunLength = frames.runLength(head);
            if (!tryEvict(head)) {
                return false;
            }
            frame = head + headRunLength;
        }
        return true;
    }

    private boolean tryEvict(int frame) {
        if (!frames.tryClaim(frame)) {
            return false;
        }
        int fileId = BlockCache.fileIdOf(frames.tag(frame));
        if (firstBlockOfFile.get(fileId) == frame) {
            firstBlockOfFile.put(fileId, frames.fileNext(frame));
        }
        if (frames.queue(frame) == FrameQueues.PROBATION) {
            ghosts.add(frames.tag(frame));
        }
        unlist(frame);
        freeRun(frame);
        evictionCount++;
        return true;
    }

    /** Takes a block out of the index, its queue and its neighbours in the list of its file. */
    private void unlist(int frame) {
        index.remove(frames.tag(frame), frame);
        queues.remove(frame);
        int previous = frames.filePrevious(frame);
        int next = frames.fileNext(frame);
        if (previous != NONE) {
            frames.setFileNext(previous, next);
        }
        if (next != NONE) {
            frames.setFilePrevious(next, previous);
        }
    }

    /** Gives back the frames of a block whose first one is claimed. */
    private void freeRun(int frame) {
        int runLength = frames.runLength(frame);
        if (Diagnostics.VERIFY) {
            memory.fill(frame, runLength, POISON);
        }
        freeFrames(frame, runLength);
    }

    private void freeFrames(int start, int runLength) {
        for (int frame = start; frame < start + runLength; frame++) {
            allocator.addFree(frame);
        }
    }
}
