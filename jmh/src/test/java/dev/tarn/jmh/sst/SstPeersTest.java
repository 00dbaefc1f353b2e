package dev.tarn.jmh.sst;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.jmh.data.Probes;
import dev.tarn.jmh.data.Records;
import dev.tarn.jmh.data.TemporaryDirectory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All peers give the same answers, so that what is compared is only their speed. */
class SstPeersTest {
    private static final int ENTRIES = 20_000;

    private final Records records = new Records(8, 100);

    @ParameterizedTest
    @EnumSource(SstPeers.class)
    void peerFindsWhatOneFileHolds(SstPeers peer) throws Exception {
        check(peer, 1);
    }

    @ParameterizedTest
    @EnumSource(SstPeers.class)
    void peerFindsWhatOverlappingFilesHold(SstPeers peer) throws Exception {
        check(peer, 8);
    }

    private void check(SstPeers peer, int files) throws Exception {
        long[] sorted = Probes.sortedRecords(ENTRIES);
        try (TemporaryDirectory directory = new TemporaryDirectory("tarn-sst-test")) {
            SstPeer store = peer.create(records, directory.path());
            store.build(SstShootout.split(sorted, files));
            // Twice: the benchmark opens the files warm, then cold.
            for (int i = 0; i < 2; i++) {
                store.open();
                try {
                    checkReads(store, sorted);
                } finally {
                    store.close();
                }
            }
        }
    }

    private void checkReads(SstPeer store, long[] sorted) throws Exception {
        for (long prefix : sorted) {
            assertThat(store.get(prefix)).isEqualTo(records.expectedSum(prefix));
        }
        for (long prefix : Probes.misses(ENTRIES, ENTRIES, 0)) {
            assertThat(store.get(prefix)).isEqualTo(Records.ABSENT);
        }
        long[] batch =
                Probes.sortedBatches(
                        Probes.hits(SstShootout.BATCH_LENGTH, ENTRIES, 1),
                        SstShootout.BATCH_LENGTH);
        assertThat(store.multiGet(batch, 0, batch.length)).isEqualTo(sumOf(batch));
        assertThat(store.getSorted(sorted)).isEqualTo(sumOf(sorted));
        if (store.canScan()) {
            assertThat(store.scan()).isEqualTo(sumOf(sorted));
        }
    }

    private long sumOf(long[] prefixes) {
        long sum = 0;
        for (long prefix : prefixes) {
            sum += records.expectedSum(prefix);
        }
        return sum;
    }
}
