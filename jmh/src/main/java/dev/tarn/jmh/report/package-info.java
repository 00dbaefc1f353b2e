/**
 * Runs a question as one JMH invocation and turns its JSON into a dated report.
 *
 * <p>Read {@link dev.tarn.jmh.report.BenchmarkRun} (the command), then {@code Question}, {@code
 * JmhResults}, {@code Bar} and {@code ReportWriter}. Everything is immutable once read. Benchmarks
 * do not belong here, and no number gets into a report but through {@code JmhResults}.
 */
@NullMarked
package dev.tarn.jmh.report;

import org.jspecify.annotations.NullMarked;
