package dev.tarn.engine;

import dev.tarn.memtable.Memtable;

/**
 * A memtable that waits to be flushed.
 *
 * @param lastSequence no entry of it has a larger sequence number
 */
record SealedMemtable(Memtable memtable, long lastSequence) {}
