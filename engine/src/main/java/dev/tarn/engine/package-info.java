/**
 * The bytes engine: a complete embedded key-value store, bytes in and bytes out.
 *
 * <p>Reading order: {@link dev.tarn.engine.LsmStore}, {@link dev.tarn.engine.StoreOptions}, {@link
 * dev.tarn.engine.StoreResources}, {@link dev.tarn.engine.WriteBatch}, {@link
 * dev.tarn.engine.ReadSession}, {@link dev.tarn.engine.StoreIterator}, {@link
 * dev.tarn.engine.MergeOperator}. Behind them: StoreWriter and StoreReader (the two paths),
 * StoreState (what changes), StoreBackground (what runs by itself). The design is in
 * docs/engine.md.
 *
 * <p>A store is shared by threads; batches, sessions and iterators belong to one each.
 *
 * <p>Tables, rows and changelogs do not belong here; they are built on top.
 */
@NullMarked
package dev.tarn.engine;

import org.jspecify.annotations.NullMarked;
