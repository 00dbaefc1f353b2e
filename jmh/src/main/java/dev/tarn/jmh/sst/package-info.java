/**
 * The shoot-out of sorted files on disk: one small interface, one class per peer, one life they all
 * go through.
 *
 * <p>Read {@link dev.tarn.jmh.sst.SstPeer}, {@link dev.tarn.jmh.sst.SstShootout} (all phases of all
 * peers in one run) and {@link dev.tarn.jmh.sst.SstReadBenchmark} (one operation at steady state,
 * for tuning). A peer belongs to one thread; its files lie in a temporary directory that the
 * benchmark deletes.
 */
@NullMarked
package dev.tarn.jmh.sst;

import org.jspecify.annotations.NullMarked;
