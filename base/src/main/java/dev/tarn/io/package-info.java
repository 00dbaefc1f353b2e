/**
 * The file layer: every byte that Tarn reads from or writes to storage goes through {@link
 * dev.tarn.io.FileSystem}.
 *
 * <p>Reading order: {@link dev.tarn.io.FileSystem}, {@link dev.tarn.io.ReadableFile}, {@link
 * dev.tarn.io.WritableFile}.
 *
 * <p>A file system and a readable file are shared by threads; a writable file belongs to one. Names
 * are texts with {@code /} between their parts, so that a remote store fits behind it: no {@code
 * java.io.File} and no {@code java.nio.file.Path} above this package. Formats do not belong here.
 */
@NullMarked
package dev.tarn.io;

import org.jspecify.annotations.NullMarked;
