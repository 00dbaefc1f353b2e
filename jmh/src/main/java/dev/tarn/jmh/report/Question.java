package dev.tarn.jmh.report;

import dev.tarn.jmh.memtable.MemtablePeers;
import dev.tarn.jmh.sst.SstPeers;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one run answers: which benchmarks take part, and which bars its results are held against.
 */
enum Question {
    /** The ground floor: memory access, key comparison, hash. */
    BASE(
            "What do memory access, comparing and hashing cost on each memory backend?",
            "OffHeapAccessBenchmark;KeyCompareBenchmark;HashBenchmark;RowEncodeBenchmark"
                    + ";SpeedOfLightBenchmark",
            ""),
    /** The memtable against its peers, one thread. */
    MEMTABLE(
            "What does each phase in the life of a memtable cost, against its peers?",
            "MemtableShootout;SpeedOfLightBenchmark.*LineRead",
            "peer=TARN,CSLM,ROCKSDB"),
    /** The peers that no bar names. */
    MEMTABLE_OTHERS(
            "What does each phase in the life of a memtable cost, against a TreeMap and an off-heap"
                    + " skip list?",
            "MemtableShootout;SpeedOfLightBenchmark.*LineRead",
            "peer=TARN,TREEMAP,SKIPLIST"),
    /** What a second writer and reader adds. */
    MEMTABLE_THREADS(
            "How does the memtable for many writers scale from one thread to two?",
            "MemtableShootout;SpeedOfLightBenchmark.*LineRead",
            "peer=TARN_MULTI,CSLM;threads=1,2"),
    /** One sorted file against its peers. */
    SST(
            "What does each phase in the life of a sorted file cost, against its peers?",
            "SstShootout;SpeedOfLightBenchmark",
            "files=1;peer=TARN,ROCKSDB,PAIMON_TUNED,PAIMON,LMDB"),
    /** H2's MVStore, which fills the heap and takes as long as all other peers together. */
    SST_MVSTORE(
            "What does each phase in the life of a sorted file cost, against H2's MVStore?",
            "SstShootout;SpeedOfLightBenchmark.*LineRead",
            "files=1;peer=TARN,MVSTORE"),
    /** Eight overlapping files, for the peers that have files. */
    SST_EIGHT_FILES(
            "What do lookups over eight overlapping sorted files cost, against peers?",
            "SstShootout;SpeedOfLightBenchmark.*LineRead",
            "files=8;peer=TARN,ROCKSDB,PAIMON_TUNED,PAIMON");

    private final String text;
    private final String benchmarks;
    private final String parameters;

    /** Lists are separated by semicolons, the values of a parameter by commas. */
    Question(String text, String benchmarks, String parameters) {
        this.text = text;
        this.benchmarks = benchmarks;
        this.parameters = parameters;
    }

    /** The name on the command line and in the report's folder. */
    String label() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    static Question of(String label) {
        for (Question question : values()) {
            if (question.label().equals(label)) {
                return question;
            }
        }
        throw new IllegalArgumentException(
                "unknown question: label="
                        + label
                        + " known="
                        + List.of(values()).stream().map(Question::label).toList());
    }

    String text() {
        return text;
    }

    /** Regular expressions on the names of benchmarks. */
    List<String> benchmarks() {
        return List.of(benchmarks.split(";", -1));
    }

    /** Values of benchmark parameters that differ from their defaults, separated by commas. */
    Map<String, String> parameters() {
        Map<String, String> values = new LinkedHashMap<>();
        for (String parameter : parameters.split(";", -1)) {
            if (!parameter.isEmpty()) {
                String[] pair = parameter.split("=", 2);
                values.put(pair[0], pair[1]);
            }
        }
        return values;
    }

    List<Bar> bars() throws IOException {
        String resource = "bars/" + label() + ".txt";
        try (InputStream text = Question.class.getResourceAsStream(resource)) {
            if (text == null) {
                throw new IOException("the jar lacks a list of bars: resource=" + resource);
            }
            return Bar.read(text);
        }
    }

    /** The settings of the peers that take part, by name. */
    Map<String, String> peerSettings() {
        Map<String, String> settings = new LinkedHashMap<>();
        switch (this) {
            case MEMTABLE, MEMTABLE_OTHERS, MEMTABLE_THREADS -> {
                for (MemtablePeers peer : MemtablePeers.values()) {
                    settings.put(peer.name(), peer.settings());
                }
            }
            case SST, SST_MVSTORE, SST_EIGHT_FILES -> {
                for (SstPeers peer : SstPeers.values()) {
                    settings.put(peer.name(), peer.settings());
                }
            }
            case BASE -> {}
        }
        return settings;
    }
}
