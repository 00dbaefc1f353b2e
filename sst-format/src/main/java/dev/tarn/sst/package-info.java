/**
 * Sorted string tables: the files that hold a store's entries in key order, and that are looked up
 * where they lie.
 *
 * <p>Reading order: {@link dev.tarn.sst.SstWriter} (writes a file), {@link dev.tarn.sst.SstReader}
 * (opens it), {@link dev.tarn.sst.SstLookup} and {@link dev.tarn.sst.SstBatch} (a thread's scratch
 * for lookups), {@link dev.tarn.sst.SstIterator} (walks it), {@link dev.tarn.sst.SstProperties}
 * (what a file says of itself), {@link dev.tarn.sst.SstOptions}.
 *
 * <p>A reader is shared by threads; a writer, a lookup, a batch and an iterator belong to one. What
 * they hold off-heap is reserved with the accountant they were given and freed when they are
 * closed. Versions, levels and merging do not belong here: a file knows nothing of other files. The
 * bytes are specified in docs/formats/sst.md.
 */
@NullMarked
package dev.tarn.sst;

import org.jspecify.annotations.NullMarked;
