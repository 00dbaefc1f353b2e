/**
 * Internal: no compatibility promise. The tree of a bucket: open tables, memtable, flush,
 * compaction.
 */
@NullMarked
package dev.tarn.table.bucket;

import org.jspecify.annotations.NullMarked;
