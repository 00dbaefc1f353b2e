/**
 * The records that benchmarks write and look up, and how their bytes are consumed.
 *
 * <p>Read {@link dev.tarn.jmh.data.Records}, then {@link dev.tarn.jmh.data.Probes}. All state is
 * made in set-up and belongs to one thread, or is immutable. Nothing of one store belongs here.
 */
@NullMarked
package dev.tarn.jmh.data;

import org.jspecify.annotations.NullMarked;
