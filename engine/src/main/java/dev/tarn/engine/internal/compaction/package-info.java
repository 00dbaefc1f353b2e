/**
 * Internal: no compatibility promise. Decides what to compact, how fast, and how much writers are
 * held back meanwhile.
 *
 * <p>Reading order: {@link dev.tarn.engine.internal.compaction.UniversalCompactionPicker}, {@link
 * dev.tarn.engine.internal.compaction.WriteStallController}, {@link
 * dev.tarn.engine.internal.compaction.RateLimiter}.
 *
 * <p>A picker belongs to one tree and is called under its lock; the limiter and the stall
 * controller are shared by all threads. They own no memory and no files: what is picked is a count
 * of runs, and merging, files and versions do not belong here.
 */
@NullMarked
package dev.tarn.engine.internal.compaction;

import org.jspecify.annotations.NullMarked;
