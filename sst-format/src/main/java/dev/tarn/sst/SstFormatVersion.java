package dev.tarn.sst;

/** The versions of the SST format, which docs/formats/sst.md specifies. */
public final class SstFormatVersion {
    /** The first version; frozen. */
    public static final int V1 = 1;

    /** What writers write. */
    public static final int CURRENT = V1;

    /** The oldest version that readers read; it never rises. */
    public static final int OLDEST = V1;

    private SstFormatVersion() {}
}
