package dev.tarn.jmh.memtable;

import dev.tarn.jmh.data.Records;
import dev.tarn.memtable.WriterMode;

/**
 * The peers by the name that benchmarks and reports give them, with the settings they run under.
 */
public enum MemtablePeers {
    CSLM(
            "ConcurrentSkipListMap<byte[], byte[]> with Arrays::compareUnsigned; a put makes a new"
                + " key and value array, a get reuses one key array; multiGet is a loop of get") {
        @Override
        MemtablePeer open(Records records, int entries, int threads) {
            return HeapMapPeer.concurrentSkipList(records);
        }
    },
    TREEMAP(
            "java.util.TreeMap<byte[], byte[]> with Arrays::compareUnsigned, as Paimon's LocalKvDb"
                + " buffers writes, but with plain arrays, which are lighter than its slices; one"
                + " thread only") {
        @Override
        MemtablePeer open(Records records, int entries, int threads) {
            if (threads != 1) {
                throw new IllegalArgumentException("TreeMap takes one thread: threads=" + threads);
            }
            return HeapMapPeer.tree(records);
        }
    },
    SKIPLIST(
            "an off-heap skip list as RocksDB's InlineSkipList: links before the node, key and"
                    + " value inline after it, p = 1/4, 12 levels, compare-and-set publication, on"
                    + " OffHeapMemory; a get reads the value in place") {
        @Override
        MemtablePeer open(Records records, int entries, int threads) {
            return new SkipListPeer(records, entries);
        }
    },
    ROCKSDB(
            "RocksDB's memtable through rocksdbjni: put and get with direct ByteBuffers,"
                    + " multiGetByteBuffers; write buffer large enough that nothing is flushed, WAL"
                    + " off, statistics off, defaults otherwise; a get copies the value out, since"
                    + " the Java API has no other way") {
        @Override
        MemtablePeer open(Records records, int entries, int threads) {
            return new RocksDbMemtablePeer(records, entries);
        }
    },
    TARN(
            "Tarn's memtable in single-writer mode, with default options on memory that nobody used"
                + " before; put copies key and value in, hashing included; a get reads the value in"
                + " place") {
        @Override
        MemtablePeer open(Records records, int entries, int threads) {
            return new TarnMemtablePeer(records, WriterMode.SINGLE);
        }
    },
    TARN_MULTI("as TARN, but in the mode for many writers, also with one thread") {
        @Override
        MemtablePeer open(Records records, int entries, int threads) {
            return new TarnMemtablePeer(records, WriterMode.MULTI);
        }
    };

    private final String settings;

    MemtablePeers(String settings) {
        this.settings = settings;
    }

    /** Opens an empty memtable for about {@code entries} entries. */
    abstract MemtablePeer open(Records records, int entries, int threads);

    /** What a reader needs to know to judge whether the comparison is fair. */
    public String settings() {
        return settings;
    }
}
