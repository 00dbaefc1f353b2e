/**
 * Internal: no compatibility promise. Entries in key order, and the merge of many such sequences
 * into one.
 *
 * <p>Reading order: {@link dev.tarn.engine.internal.iterator.EntryIterator}, {@link
 * dev.tarn.engine.internal.iterator.MergingIterator}.
 *
 * <p>An iterator belongs to one thread and points at bytes that its source owns. Which entries are
 * visible, and what merging entries of one key means, does not belong here.
 */
@NullMarked
package dev.tarn.engine.internal.iterator;

import org.jspecify.annotations.NullMarked;
