/**
 * Internal: no compatibility promise. What a tree consists of, and how that is kept on disk.
 *
 * <p>Reading order: {@link dev.tarn.engine.internal.version.TableMetadata}, {@link
 * dev.tarn.engine.internal.version.SortedRun}, {@link dev.tarn.engine.internal.version.Version},
 * {@link dev.tarn.engine.internal.version.VersionEdit}, {@link
 * dev.tarn.engine.internal.version.ManifestLog}.
 *
 * <p>Metadata, runs, versions and edits are immutable and shared by all threads; the log belongs to
 * one thread at a time and owns its file. Opening tables and pinning versions for readers does not
 * belong here. See docs/formats/manifest.md.
 */
@NullMarked
package dev.tarn.engine.internal.version;

import org.jspecify.annotations.NullMarked;
