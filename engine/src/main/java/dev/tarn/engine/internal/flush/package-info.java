/**
 * Internal: no compatibility promise. From sealed memtables to tables.
 *
 * <p>Reading order: {@link dev.tarn.engine.internal.flush.TableBuilder}, {@link
 * dev.tarn.engine.internal.flush.FlushJob}.
 *
 * <p>A job runs on one thread and knows no store: it is told what to read and returns what it
 * wrote.
 */
@NullMarked
package dev.tarn.engine.internal.flush;

import org.jspecify.annotations.NullMarked;
