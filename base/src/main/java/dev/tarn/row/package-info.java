/**
 * Rows in bytes: written straight into off-heap memory, read field by field without decoding.
 *
 * <p>Reading order: {@link dev.tarn.row.RowBuilder} (writes), {@link dev.tarn.row.RowFlyweight}
 * (reads, also rows of older schemas), {@link dev.tarn.row.ArrayBuilder}, {@link
 * dev.tarn.row.ArrayFlyweight} and {@link dev.tarn.row.MapFlyweight} (nested values), {@link
 * dev.tarn.row.KeyExtractor} (the key of a row), {@link dev.tarn.row.Row} (the convenient form on
 * the heap).
 *
 * <p>Builders and flyweights belong to one thread and are reused; none of them owns memory except
 * {@link dev.tarn.row.RowScratch}. docs/formats/row.md defines the bytes. Where rows are kept, and
 * which schema is current, does not belong here.
 */
@NullMarked
package dev.tarn.row;

import org.jspecify.annotations.NullMarked;
