/**
 * The shoot-out of memtables: one small interface, one class per peer, one life cycle they all go
 * through.
 *
 * <p>Read {@link dev.tarn.jmh.memtable.MemtablePeer}, {@link
 * dev.tarn.jmh.memtable.MemtableShootout} (all phases of all peers in one run) and {@link
 * dev.tarn.jmh.memtable.MemtableReadBenchmark} (one operation at steady state, for tuning). A peer
 * belongs to the fork that opened it, a session to one thread.
 */
@NullMarked
package dev.tarn.jmh.memtable;

import org.jspecify.annotations.NullMarked;
