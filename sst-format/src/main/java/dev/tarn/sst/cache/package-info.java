/**
 * Internal: no compatibility promise. The block cache: raw blocks of SST files, off-heap, within a
 * strict capacity, shared by the whole database.
 *
 * <p>Reading order: {@link dev.tarn.sst.cache.BlockCache} (what readers call), {@link
 * dev.tarn.sst.cache.FrameTable} (the words that readers and evictors meet in), {@link
 * dev.tarn.sst.cache.ResidentSet} (what changes them), {@link dev.tarn.sst.cache.FrameQueues} (who
 * is evicted next), {@link dev.tarn.sst.cache.FrameIndex} (where a block is).
 *
 * <p>Hits take no lock; misses, evictions and deletions meet in one mutex that is never held during
 * I/O. All memory belongs to the cache. Reading files, checksums and codecs do not belong here: a
 * {@link dev.tarn.sst.cache.BlockLoader} brings them. The protocol is in
 * docs/concurrency/block-cache.md.
 */
@NullMarked
package dev.tarn.sst.cache;

import org.jspecify.annotations.NullMarked;
