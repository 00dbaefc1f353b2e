package dev.tarn.sst.cache;

/**
 * Counters of a {@link BlockCache} since it was made, and what it holds now.
 *
 * @param hits lookups that found their block resident
 * @param misses lookups that did not: those that loaded, waited for another's load or were refused
 * @param loads loaders that were run
 * @param loadFailures loaders that threw
 * @param loadNanos time spent in loaders, nanoseconds
 * @param evictions blocks evicted to make room for others
 * @param refusals blocks not cached because they are too large or because pins left no room
 * @param frames frames that the capacity allows
 * @param usedFrames frames that hold a block or are being loaded
 * @param lowFrames frames held by {@link Priority#LOW} blocks
 * @param normalFrames frames held by {@link Priority#NORMAL} blocks
 * @param highFrames frames held by {@link Priority#HIGH} blocks, within their share
 * @param pinnedForgottenBlocks blocks of forgotten files that are still pinned
 * @param allocatedBytes off-heap bytes allocated so far, never above the capacity
 */
public record BlockCacheStatistics(
        long hits,
        long misses,
        long loads,
        long loadFailures,
        long loadNanos,
        long evictions,
        long refusals,
        int frames,
        int usedFrames,
        int lowFrames,
        int normalFrames,
        int highFrames,
        int pinnedForgottenBlocks,
        long allocatedBytes) {}
