package dev.tarn.jmh.sst;

import dev.tarn.jmh.data.Records;
import java.nio.file.Path;

/**
 * The peers by the name that benchmarks and reports give them, with the settings they run under.
 */
public enum SstPeers {
    TARN(
            "Tarn's SST files with defaults but no compression: blocks of 4 KiB, blocked Bloom"
                + " filter of 10 bits, filter and index pinned, block cache that holds everything;"
                + " several files are asked filters first, newest first; value copied out; scan"
                + " reads past the cache with read-ahead; hashing of the key included") {
        @Override
        SstPeer create(Records records, Path directory) {
            return new TarnSstPeer(records, directory);
        }
    },
    ROCKSDB(
            "RocksDB through rocksdbjni: files by SstFileWriter, ingested as one sorted run each;"
                + " blocks of 4 KiB, no compression, full Bloom filter of 10 bits, filters and"
                + " indexes held by the open files, LRU block cache that holds everything,"
                + " automatic compaction off, all files open, statistics off; get, put and iterator"
                + " with direct ByteBuffers, multiGetByteBuffers in batches of 64, value copied"
                + " out") {
        @Override
        SstPeer create(Records records, Path directory) {
            return new RocksDbSstPeer(records, directory);
        }
    },
    PAIMON_TUNED(
            "Paimon's SortLookupStoreFactory as LookupLevels uses it, one reader per file, newest"
                + " first: blocks of 4 KiB, no compression, Bloom filter of 10 bits (fpp 0.0082),"
                + " cache that holds everything; keys and values are arrays, the key array is"
                + " reused; multiGet is a loop of get; it has no scan") {
        @Override
        SstPeer create(Records records, Path directory) {
            return new PaimonSstPeer(records, directory, 0.0082, 4096, "none");
        }
    },
    PAIMON(
            "as PAIMON_TUNED with Paimon's defaults: Bloom filter fpp 0.05, cache pages of 64 KiB,"
                    + " zstd level 1, which costs only when a block is read from the file") {
        @Override
        SstPeer create(Records records, Path directory) {
            return new PaimonSstPeer(records, directory, 0.05, 64 << 10, "zstd");
        }
    },
    LMDB(
            "LMDB through lmdbjava, ByteBuffer proxy with Unsafe, built with MDB_APPEND in one"
                + " transaction, one read transaction kept open, no read-ahead; values are read in"
                + " place from the map; always one file") {
        @Override
        SstPeer create(Records records, Path directory) {
            return new LmdbSstPeer(records, directory);
        }
    },
    MVSTORE(
            "H2's MVStore: MVMap<byte[], byte[]> of ByteArrayDataType, built in key order,"
                    + " committed every 100000 entries, cache of 1 GB, no compression; always one"
                    + " file") {
        @Override
        SstPeer create(Records records, Path directory) {
            return new MvStoreSstPeer(records, directory);
        }
    };

    private final String settings;

    SstPeers(String settings) {
        this.settings = settings;
    }

    abstract SstPeer create(Records records, Path directory);

    /** What a reader needs to know to judge whether the comparison is fair. */
    public String settings() {
        return settings;
    }
}
