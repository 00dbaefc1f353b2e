/**
 * Test support for every module: seeds, generators, files that fail, leak checks.
 *
 * <p>Reading order: {@link dev.tarn.testing.Seeds}, {@link dev.tarn.testing.RandomSource}, {@link
 * dev.tarn.testing.KeyGenerator}, {@link dev.tarn.testing.RowGenerator}, {@link
 * dev.tarn.testing.TestFiles}, {@link dev.tarn.testing.FaultyFileSystem}, {@link
 * dev.tarn.testing.CrashPoints}, {@link dev.tarn.testing.LeakCheck}.
 *
 * <p>Instances belong to one test; the leak check watches all tests of a JVM, which run one after
 * the other. Production code does not belong here. See docs/testing.md.
 */
@NullMarked
package dev.tarn.testing;

import org.jspecify.annotations.NullMarked;
