/**
 * Internal: no compatibility promise. What a record does to the state of its key.
 *
 * <p>Reading order: {@link dev.tarn.table.merge.KeyFold}, {@link dev.tarn.table.merge.KeyState}.
 *
 * <p>A fold belongs to one thread; it knows rows and states, but no files.
 */
@NullMarked
package dev.tarn.table.merge;

import org.jspecify.annotations.NullMarked;
