package dev.tarn.sst.cache;

import dev.tarn.memory.OffHeapMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Frames of two words for tests that need a fresh one millions of times: each takes the next header
 * of one large table, whose other frames belong to other instances of the test.
 */
final class StressedFrames {
    /** Far more than instances that a test keeps at once. */
    private static final int FRAME_COUNT = 1 << 18;

    static final int BLOCK_BYTES = 16;

    static final FrameTable FRAMES =
            new FrameTable(
                    OffHeapMemory.wrap(
                            ByteBuffer.allocateDirect(FRAME_COUNT * FrameTable.HEADER_BYTES)),
                    FRAME_COUNT);

    static final OffHeapMemory BYTES =
            OffHeapMemory.wrap(ByteBuffer.allocateDirect(FRAME_COUNT * BLOCK_BYTES));

    private static final AtomicInteger NEXT = new AtomicInteger();

    private StressedFrames() {}

    /** Returns a frame that holds a block, both words of which are the tag. */
    static int newFrame(long tag, int pins) {
        int frame = NEXT.getAndIncrement() & (FRAME_COUNT - 1);
        long word = FRAMES.word(frame);
        for (int i = FrameTable.pins(word); i > 0; i--) {
            FRAMES.unpin(frame);
        }
        int state = FrameTable.state(word);
        if (state == FrameTable.READY || state == FrameTable.DOOMED) {
            FRAMES.tryClaim(frame);
        }
        load(frame, tag, pins);
        return frame;
    }

    static void load(int frame, long tag, int pins) {
        FRAMES.beginLoad(frame, 1, tag, BLOCK_BYTES);
        BYTES.putLong(frame * BLOCK_BYTES, tag);
        BYTES.putLong(frame * BLOCK_BYTES + Long.BYTES, tag);
        FRAMES.publish(frame, pins, false);
    }

    static long first(int frame) {
        return BYTES.getLong(frame * BLOCK_BYTES);
    }

    static long second(int frame) {
        return BYTES.getLong(frame * BLOCK_BYTES + Long.BYTES);
    }
}
