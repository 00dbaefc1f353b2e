package dev.tarn.engine;

import dev.tarn.engine.internal.version.TableMetadata;
import dev.tarn.sst.SstReader;

/**
 * An open table of a store.
 *
 * <p>Threads: the reader by any thread that may look at a view with this table; the rest under the
 * mutex of {@link StoreState}.
 */
final class TableFile {
    private final String name;
    private final SstReader reader;

    /** The views that show this table. */
    int viewCount;

    TableFile(TableMetadata metadata, SstReader reader) {
        this.name = metadata.name();
        this.reader = reader;
    }

    String name() {
        return name;
    }

    SstReader reader() {
        return reader;
    }
}
