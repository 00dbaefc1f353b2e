/**
 * The bytes engine: a complete embedded key-value store, bytes in and bytes out.
 *
 * <p>Reading order: {@link dev.tarn.engine.WritesStoppedException}.
 *
 * <p>Tables, rows and changelogs do not belong here; they are built on top.
 */
@NullMarked
package dev.tarn.engine;

import org.jspecify.annotations.NullMarked;
