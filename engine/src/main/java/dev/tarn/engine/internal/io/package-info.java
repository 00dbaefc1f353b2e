/**
 * Internal: no compatibility promise. Files of checksummed records, which the manifest and the
 * write-ahead log are.
 *
 * <p>Reading order: {@link dev.tarn.engine.internal.io.RecordLayout}, {@link
 * dev.tarn.engine.internal.io.RecordWriter}, {@link dev.tarn.engine.internal.io.RecordReader}.
 *
 * <p>A writer, a reader and a buffer belong to one thread at a time and own their memory and file.
 * What the records say does not belong here. See docs/formats/records.md.
 */
@NullMarked
package dev.tarn.engine.internal.io;

import org.jspecify.annotations.NullMarked;
