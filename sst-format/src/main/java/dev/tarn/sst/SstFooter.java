package dev.tarn.sst;

import dev.tarn.codec.Crc32c;
import dev.tarn.codec.UnsupportedFormatException;
import dev.tarn.io.ReadableFile;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.block.BlockHeaderLayout;
import dev.tarn.sst.block.FooterLayout;
import dev.tarn.sst.block.ScratchBuffer;
import java.io.IOException;

/** A file's footer, checked: its blocks lie within the file, before each other and the footer. */
record SstFooter(
        int formatVersion,
        long directoryOffset,
        int directorySize,
        long propertiesOffset,
        int propertiesSize) {

    /**
     * Reads the footer.
     *
     * @throws UnsupportedFormatException if it is intact and its version too new
     */
    static SstFooter read(ReadableFile file, BlockFetcher fetcher, ScratchBuffer scratch)
            throws IOException {
        long size = file.size();
        if (size < FooterLayout.SIZE) {
            throw new CorruptSstException(
                    "file is too short to be an SST: file="
                            + file.describe()
                            + " sizeBytes="
                            + size);
        }
        OffHeapMemory bytes = scratch.ensure(FooterLayout.SIZE);
        fetcher.read(file, size - FooterLayout.SIZE, bytes, 0, FooterLayout.SIZE);
        long magic = bytes.getLong(FooterLayout.MAGIC_OFFSET);
        if (magic != FooterLayout.MAGIC) {
            throw corrupt(
                    file,
                    "file is no SST, or is cut off",
                    "expectedMagic=0x"
                            + Long.toHexString(FooterLayout.MAGIC)
                            + " actualMagic=0x"
                            + Long.toHexString(magic));
        }
        int expectedCrc = bytes.getInt(FooterLayout.CRC_OFFSET);
        int actualCrc = Crc32c.of(bytes, 0, FooterLayout.CRC_OFFSET);
        if (expectedCrc != actualCrc) {
            throw corrupt(
                    file,
                    "footer checksum mismatch",
                    "expectedCrc=0x"
                            + Integer.toHexString(expectedCrc)
                            + " actualCrc=0x"
                            + Integer.toHexString(actualCrc));
        }
        int version = bytes.getInt(FooterLayout.VERSION_OFFSET);
        if (version < SstFormatVersion.OLDEST || version > SstFormatVersion.CURRENT) {
            throw new UnsupportedFormatException(
                    "SST format version is not supported: file="
                            + file.describe()
                            + " formatVersion="
                            + version
                            + " newestSupported="
                            + SstFormatVersion.CURRENT);
        }
        return parse(file, size, version, bytes);
    }

    private static SstFooter parse(ReadableFile file, long size, int version, OffHeapMemory bytes) {
        long recordedSize = bytes.getLong(FooterLayout.FILE_SIZE_OFFSET);
        if (recordedSize != size) {
            throw corrupt(
                    file,
                    "file size mismatch",
                    "expectedSizeBytes=" + recordedSize + " actualSizeBytes=" + size);
        }
        SstFooter footer =
                new SstFooter(
                        version,
                        bytes.getLong(FooterLayout.DIRECTORY_OFFSET),
                        bytes.getInt(FooterLayout.DIRECTORY_SIZE_OFFSET),
                        bytes.getLong(FooterLayout.PROPERTIES_OFFSET),
                        bytes.getInt(FooterLayout.PROPERTIES_SIZE_OFFSET));
        boolean reservedIsZero =
                bytes.getLong(FooterLayout.RESERVED_OFFSET) == 0
                        && bytes.getLong(FooterLayout.RESERVED_OFFSET + Long.BYTES) == 0;
        if (!reservedIsZero
                || footer.directoryOffset < 0
                || footer.directorySize <= BlockHeaderLayout.SIZE
                || footer.propertiesSize <= BlockHeaderLayout.SIZE
                || footer.directoryOffset > size
                || footer.propertiesOffset != footer.directoryOffset + footer.directorySize
                || size - FooterLayout.SIZE != footer.propertiesOffset + footer.propertiesSize) {
            throw corrupt(file, "footer is malformed", footer.toString());
        }
        return footer;
    }

    private static CorruptSstException corrupt(ReadableFile file, String what, String values) {
        return new CorruptSstException(
                what
                        + ": file="
                        + file.describe()
                        + " offset="
                        + (file.size() - FooterLayout.SIZE)
                        + " "
                        + values);
    }
}
