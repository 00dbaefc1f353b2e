package dev.tarn.sst.cache;

import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of the frames, in slabs of equal size that are allocated when first needed and freed
 * together.
 *
 * <p>Threads: {@link #memory} and {@link #offset} by any thread that learned of the frame from its
 * header, whose release store publishes the slab; the rest by one thread at a time, ordered by the
 * mutex of the cache.
 */
final class FrameMemory {
    private final MemoryAccountant accountant;
    private final int frameBytes;
    private final int frameCount;
    private final int slabShift;
    private final int slabMask;

    /** Filled from the front; an element is null until its slab is allocated, and never changes. */
    private final OffHeapMemory[] slabs;

    private final List<MemoryRegion> regions = new ArrayList<>();

    FrameMemory(MemoryAccountant accountant, int frameBytes, int frameCount, int slabBytes) {
        this.accountant = accountant;
        this.frameBytes = frameBytes;
        this.frameCount = frameCount;
        int slabFrames = Integer.highestOneBit(slabBytes / frameBytes);
        this.slabShift = Integer.numberOfTrailingZeros(slabFrames);
        this.slabMask = slabFrames - 1;
        this.slabs = new OffHeapMemory[((frameCount - 1) >>> slabShift) + 1];
    }

    OffHeapMemory memory(int frame) {
        return slabs[frame >>> slabShift];
    }

    int offset(int frame) {
        return (frame & slabMask) * frameBytes;
    }

    int frameBytes() {
        return frameBytes;
    }

    /** Frames per slab; blocks do not span slabs. */
    int slabFrames() {
        return slabMask + 1;
    }

    /** Returns the first frame of the slab that the frame lies in. */
    int slabStart(int frame) {
        return frame & ~slabMask;
    }

    /** Returns the frame behind the last one of the slab that the frame lies in. */
    int slabEnd(int frame) {
        return (int) Math.min(frameCount, (long) slabStart(frame) + slabFrames());
    }

    /**
     * Allocates the slab of the frame if that did not happen yet.
     *
     * @throws OutOfMemoryError if the JVM refuses; nothing has changed then
     */
    void ensureAllocated(int frame) {
        int slab = frame >>> slabShift;
        if (slab < regions.size()) {
            return;
        }
        assert slab == regions.size() : "slabs are allocated in order";
        long bytes = (long) (slabEnd(frame) - slabStart(frame)) * frameBytes;
        MemoryRegion region =
                MemoryRegion.allocate(
                        accountant, MemoryPurpose.BLOCK_CACHE, bytes, MemoryRegion.PAGE_BYTES);
        regions.add(region);
        slabs[slab] = region.memory();
    }

    void fill(int frame, int frames, byte value) {
        memory(frame).fill(offset(frame), frames * frameBytes, value);
    }

    /** Frees everything; no thread may read any more. */
    void free() {
        regions.forEach(MemoryRegion::close);
        regions.clear();
    }
}
