/**
 * The bytes engine: a complete embedded key-value store, bytes in and bytes out.
 *
 * <p>Reading order: {@link dev.tarn.engine.StoreOptions}, {@link dev.tarn.engine.WriteBatch},
 * {@link dev.tarn.engine.MergeOperator}, {@link dev.tarn.engine.Snapshot}, {@link
 * dev.tarn.engine.WritesStoppedException}. The design is in docs/engine.md.
 *
 * <p>Tables, rows and changelogs do not belong here; they are built on top.
 */
@NullMarked
package dev.tarn.engine;

import org.jspecify.annotations.NullMarked;
