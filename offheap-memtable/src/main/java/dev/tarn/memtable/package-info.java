/**
 * A lock-free off-heap memtable: an append-only log of entries, a hash index of cache lines over
 * it, and order made by sorting when it is asked for.
 *
 * <p>Reading order: {@link dev.tarn.memtable.Memtable} (what it does), {@link
 * dev.tarn.memtable.EntryLayout} (the bytes of an entry), {@link dev.tarn.memtable.SlotIndex} (how
 * a key is found), {@link dev.tarn.memtable.SortedDirectory} (how order is made), {@link
 * dev.tarn.memtable.MemtableIterator}, {@link dev.tarn.memtable.ChunkPool} (where memory comes
 * from).
 *
 * <p>A memtable is read by any number of threads without locks and written by one or several, as
 * its {@link dev.tarn.memtable.WriterMode} says. Whoever creates one closes it; readers on other
 * threads retain it. Files, runs and merging do not belong here: see the engine.
 * docs/concurrency/memtable.md has the shared words, their orders and the proofs.
 */
@NullMarked
package dev.tarn.memtable;

import org.jspecify.annotations.NullMarked;
