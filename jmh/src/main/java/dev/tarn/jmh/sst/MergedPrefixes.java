package dev.tarn.jmh.sst;

import java.util.Arrays;

/** The records of several sorted files as one, for stores that have only one file. */
final class MergedPrefixes {
    private MergedPrefixes() {}

    /** Returns all prefixes in key order. */
    static long[] of(long[][] prefixesByFile) {
        if (prefixesByFile.length == 1) {
            return prefixesByFile[0];
        }
        return Arrays.stream(prefixesByFile)
                .flatMapToLong(Arrays::stream)
                .map(prefix -> prefix ^ Long.MIN_VALUE)
                .sorted()
                .map(prefix -> prefix ^ Long.MIN_VALUE)
                .toArray();
    }
}
