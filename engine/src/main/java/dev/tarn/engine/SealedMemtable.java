package dev.tarn.engine;

import dev.tarn.memtable.Memtable;

/**
 * A memtable that waits to be flushed.
 *
 * @param lastSequence no entry of it has a larger sequence number
 * @param nextLogNumber the oldest log that is still needed once it is in a table
 */
record SealedMemtable(Memtable memtable, long lastSequence, long nextLogNumber) {}
