package dev.tarn.sst.filter;

import dev.tarn.memory.OffHeapMemory;

/**
 * Tests keys against a Bloom filter in memory: lines of 64 bytes, of which each key uses one.
 *
 * <pre>
 * line  = (hash &gt;&gt;&gt; 32) * lineCount &gt;&gt;&gt; 32
 * probe = (int) hash; for each of the probeCount probes: bit (probe &gt;&gt;&gt; 23) of the line, where
 *         bit b is bit b &amp; 63 of the line's little-endian word b &gt;&gt;&gt; 6; then
 *         probe *= 0x9e3779b9
 * </pre>
 *
 * <p>Owner: whoever holds the memory. Threads: immutable.
 */
public final class BloomFilterReader {
    static final int PROBE_MULTIPLIER = 0x9e3779b9;
    static final int PROBE_SHIFT = 23;

    private final OffHeapMemory memory;
    private final int lineCount;
    private final int probeCount;

    /** Creates a reader of the first {@code lineCount} lines of the memory. */
    public BloomFilterReader(OffHeapMemory memory, int lineCount, int probeCount) {
        this.memory = memory;
        this.lineCount = lineCount;
        this.probeCount = probeCount;
    }

    static int line(long hash, int lineCount) {
        return (int) (((hash >>> 32) * lineCount) >>> 32);
    }

    /** Returns a word of the key's line, so that the line is on its way to this core. */
    public long touch(long hash) {
        return memory.getLong(line(hash, lineCount) * BloomFilterMath.LINE_BYTES);
    }

    /** Returns false if no key with this hash was added. */
    public boolean mayContain(long hash) {
        int start = line(hash, lineCount) * BloomFilterMath.LINE_BYTES;
        int probe = (int) hash;
        long hit = 1;
        // Without a way out at the first clear bit: there it would be mispredicted every time.
        for (int i = 0; i < probeCount; i++) {
            int bit = probe >>> PROBE_SHIFT;
            hit &= memory.getLong(start + (bit >>> 6) * Long.BYTES) >>> bit;
            probe *= PROBE_MULTIPLIER;
        }
        return hit != 0;
    }

    public int sizeBytes() {
        return lineCount * BloomFilterMath.LINE_BYTES;
    }
}
