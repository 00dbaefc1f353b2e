/**
 * Internal: no compatibility promise. The write-ahead log: what was written and is not in a table
 * yet.
 *
 * <p>Reading order: {@link dev.tarn.engine.internal.wal.WriteBatchBuffer}, {@link
 * dev.tarn.engine.internal.wal.WriteBatchCursor}, {@link dev.tarn.engine.internal.wal.WalWriter},
 * {@link dev.tarn.engine.internal.wal.WalReplay}, {@link dev.tarn.engine.internal.wal.WalReader}.
 *
 * <p>A writer is shared by all writing threads and owns its file; batches, readers and replays
 * belong to one thread each. Memtables, and which logs are still needed, do not belong here. See
 * docs/formats/wal.md.
 */
@NullMarked
package dev.tarn.engine.internal.wal;

import org.jspecify.annotations.NullMarked;
