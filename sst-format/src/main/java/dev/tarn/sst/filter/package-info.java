/**
 * Internal: no compatibility promise. Filters: is a key certainly absent from a file?
 *
 * <p>Reading order: {@link dev.tarn.sst.filter.BloomFilterMath} (sizes and rates), {@link
 * dev.tarn.sst.filter.BloomFilterBuilder}, {@link dev.tarn.sst.filter.BloomFilterReader}.
 *
 * <p>A reader is immutable and shared by threads; a builder belongs to one. Where a filter lies in
 * a file does not belong here.
 */
@NullMarked
package dev.tarn.sst.filter;

import org.jspecify.annotations.NullMarked;
