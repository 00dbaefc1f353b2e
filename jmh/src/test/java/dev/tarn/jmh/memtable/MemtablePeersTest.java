package dev.tarn.jmh.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.jmh.data.PhaseRunner;
import dev.tarn.jmh.data.Probes;
import dev.tarn.jmh.data.Records;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** All peers give the same answers, so that what is compared is only their speed. */
class MemtablePeersTest {
    private static final int ENTRIES = 20_000;
    private static final int BATCH_LENGTH = 64;

    private final Records records = new Records(16, 100);

    @ParameterizedTest
    @EnumSource(MemtablePeers.class)
    void peerFindsWhatWasPutAndNothingElse(MemtablePeers peer) {
        try (MemtablePeer memtable = peer.open(records, ENTRIES, 1)) {
            MemtablePeer.Session session = memtable.newSession();
            for (int i = 0; i < ENTRIES; i++) {
                session.put(Records.prefix(i));
            }
            checkReads(session);
            memtable.seal();
            assertThat(memtable.scan()).isEqualTo(sumOf(Probes.sortedRecords(ENTRIES)));
            checkReads(session);
            assertThat(memtable.offHeapBytes())
                    .satisfiesAnyOf(
                            bytes -> assertThat(bytes).isEqualTo(MemtablePeer.ON_HEAP),
                            bytes -> assertThat(bytes).isGreaterThan(ENTRIES * 116L));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = MemtablePeers.class,
            mode = Mode.EXCLUDE,
            names = {"TREEMAP", "TARN"})
    void peerForManyThreadsLosesNothing(MemtablePeers peer) {
        try (PhaseRunner runner = new PhaseRunner(2);
                MemtablePeer memtable = peer.open(records, ENTRIES, 2)) {
            List<MemtablePeer.Session> sessions =
                    IntStream.range(0, 2).mapToObj(i -> memtable.newSession()).toList();
            runner.run(
                    thread -> {
                        for (int i = thread; i < ENTRIES; i += 2) {
                            sessions.get(thread).put(Records.prefix(i));
                        }
                        return 0;
                    });
            checkReads(sessions.get(0));
            memtable.seal();
            assertThat(memtable.scan()).isEqualTo(sumOf(Probes.sortedRecords(ENTRIES)));
        }
    }

    private void checkReads(MemtablePeer.Session session) {
        for (int i = 0; i < ENTRIES; i++) {
            long prefix = Records.prefix(i);
            assertThat(session.get(prefix)).isEqualTo(records.expectedSum(prefix));
        }
        for (long prefix : Probes.misses(ENTRIES, ENTRIES, 0)) {
            assertThat(session.get(prefix)).isEqualTo(Records.ABSENT);
        }
        long[] mixed = Probes.hits(BATCH_LENGTH, ENTRIES, 1);
        mixed[7] = Probes.misses(1, ENTRIES, 1)[0];
        long expected = sumOf(mixed) - records.expectedSum(mixed[7]) + Records.ABSENT;
        assertThat(session.multiGet(mixed, 0, BATCH_LENGTH)).isEqualTo(expected);
    }

    private long sumOf(long[] prefixes) {
        long sum = 0;
        for (long prefix : prefixes) {
            sum += records.expectedSum(prefix);
        }
        return sum;
    }
}
