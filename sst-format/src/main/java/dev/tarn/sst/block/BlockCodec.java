package dev.tarn.sst.block;

import org.jspecify.annotations.Nullable;

/** How a block's payload is compressed; the ids are on disk and never change. */
public enum BlockCodec {
    /** Stored as it is. */
    NONE(0),
    /** The LZ4 block format. */
    LZ4(1),
    /** One zstd frame; needs {@code com.github.luben:zstd-jni} on the class path. */
    ZSTD(2);

    private static final BlockCodec[] CODECS = values();

    private final int id;

    BlockCodec(int id) {
        this.id = id;
    }

    /** The codec byte of a block header. */
    public int id() {
        return id;
    }

    /** Returns the codec with this id, or null if there is none. */
    public static @Nullable BlockCodec byId(int id) {
        return id >= 0 && id < CODECS.length ? CODECS[id] : null;
    }
}
