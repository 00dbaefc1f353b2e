/**
 * Benchmarks of the ground floor and the speed of light, each class one question.
 *
 * <p>Read {@link dev.tarn.jmh.SpeedOfLightBenchmark} first: it measures what the machine can do,
 * and every report states results as ratios to it. Then {@link
 * dev.tarn.jmh.OffHeapAccessBenchmark}, {@link dev.tarn.jmh.KeyCompareBenchmark} and {@link
 * dev.tarn.jmh.HashBenchmark}. The shoot-outs against other stores are in {@code
 * dev.tarn.jmh.memtable} and {@code dev.tarn.jmh.sst}, the runner and the generator of reports in
 * {@code dev.tarn.jmh.report}.
 *
 * <p>State belongs to the JMH fork that made it; temporary files are deleted in tear-down. Nothing
 * that a library user links belongs here.
 */
@NullMarked
package dev.tarn.jmh;

import org.jspecify.annotations.NullMarked;
