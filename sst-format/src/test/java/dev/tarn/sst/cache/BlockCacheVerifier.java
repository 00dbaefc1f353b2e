package dev.tarn.sst.cache;

import static dev.tarn.sst.cache.FrameTable.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Walks every frame, queue, file list and slot of a cache that no thread changes meanwhile, and
 * checks the invariants of {@link ResidentSet} and {@link FrameAllocator}.
 */
final class BlockCacheVerifier {
    private final FrameTable frames;
    private final FrameIndex index;
    private final ResidentSet residents;
    private final FrameQueues queues;

    private int readyCount;
    private int doomedCount;
    private int loadingCount;
    private int freeCount;
    private final Map<Integer, Set<Integer>> readyByFile = new HashMap<>();
    private final Map<Integer, Integer> queueOfFrame = new HashMap<>();

    BlockCacheVerifier(BlockCache cache) {
        frames = cache.frames();
        index = cache.index();
        residents = cache.residents();
        queues = residents.queues();
    }

    /** Checks everything; returns the pins on all blocks together. */
    long verify() {
        walkQueues();
        long pins = walkFrames();
        walkFiles();
        assertThat(index.entryCount()).as("slots in use").isEqualTo(readyCount);
        assertThat(residents.doomedCount()).isEqualTo(doomedCount);
        return pins;
    }

    int readyCount() {
        return readyCount;
    }

    int loadingCount() {
        return loadingCount;
    }

    private void walkQueues() {
        for (int queue = 0; queue < FrameQueues.QUEUE_COUNT; queue++) {
            int blocks = 0;
            int framesOfQueue = 0;
            for (int frame = queues.first(queue); frame != NONE; frame = queues.next(frame)) {
                assertThat(queueOfFrame.put(frame, queue)).as("frame is queued once").isNull();
                assertThat(frames.queue(frame)).isEqualTo(queue);
                blocks++;
                framesOfQueue += frames.runLength(frame);
            }
            assertThat(queues.blockCount(queue)).isEqualTo(blocks);
            assertThat(queues.frameCount(queue)).isEqualTo(framesOfQueue);
        }
    }

    private long walkFrames() {
        long pins = 0;
        int frontier = residents.allocator().frontier();
        for (int frame = 0; frame < frames.frameCount(); ) {
            long word = frames.word(frame);
            int state = FrameTable.state(word);
            if (frame >= frontier) {
                assertThat(word).as("frame %s was never used", frame).isZero();
                frame++;
            } else if (state == FrameTable.FREE) {
                assertThat(queueOfFrame).containsEntry(frame, FrameQueues.FREE);
                assertThat(FrameTable.pins(word)).isZero();
                freeCount++;
                frame++;
            } else {
                pins += checkBlock(frame, word);
                frame += frames.runLength(frame);
            }
        }
        assertThat(freeCount).isEqualTo(queues.frameCount(FrameQueues.FREE));
        return pins;
    }

    private int checkBlock(int head, long word) {
        int state = FrameTable.state(word);
        assertThat(state).isIn(FrameTable.READY, FrameTable.DOOMED, FrameTable.LOADING);
        for (int frame = head + 1; frame < head + frames.runLength(head); frame++) {
            assertThat(FrameTable.state(frames.word(frame))).isEqualTo(FrameTable.TAIL);
            assertThat(FrameTable.pins(frames.word(frame))).isZero();
            assertThat(frames.headOfTail(frame)).isEqualTo(head);
            assertThat(queueOfFrame).doesNotContainKey(frame);
        }
        assertThat(residents.runLength(frames.length(head))).isEqualTo(frames.runLength(head));
        if (state == FrameTable.READY) {
            readyCount++;
            assertThat(queueOfFrame.get(head)).isNotNull().isNotEqualTo(FrameQueues.FREE);
            assertThat(index.find(frames.tag(head))).as("index finds the block").isEqualTo(head);
            readyByFile
                    .computeIfAbsent(BlockCache.fileIdOf(frames.tag(head)), file -> new HashSet<>())
                    .add(head);
        } else {
            assertThat(queueOfFrame).doesNotContainKey(head);
        }
        if (state == FrameTable.DOOMED) {
            doomedCount++;
            assertThat(FrameTable.pins(word)).isPositive();
        }
        if (state == FrameTable.LOADING) {
            loadingCount++;
            assertThat(FrameTable.pins(word)).isZero();
        }
        return FrameTable.pins(word);
    }

    private void walkFiles() {
        readyByFile.forEach(
                (fileId, expected) -> {
                    assertThat(residents.isOpen(fileId)).isTrue();
                    Set<Integer> listed = new HashSet<>();
                    int previous = NONE;
                    for (int frame = residents.firstBlock(fileId);
                            frame != NONE;
                            frame = frames.fileNext(frame)) {
                        assertThat(listed.add(frame)).isTrue();
                        assertThat(frames.filePrevious(frame)).isEqualTo(previous);
                        previous = frame;
                    }
                    assertThat(listed).isEqualTo(expected);
                });
    }
}
