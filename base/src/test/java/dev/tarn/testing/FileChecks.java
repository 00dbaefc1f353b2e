package dev.tarn.testing;

import dev.tarn.memory.OffHeapMemory;
import java.io.EOFException;
import java.util.Objects;

/** The checks of arguments that a file makes before it reads. */
final class FileChecks {
    private FileChecks() {}

    static void readRange(
            String file, long position, OffHeapMemory target, int targetOffset, int length) {
        if (position < 0) {
            throw new IllegalArgumentException(
                    "position must not be negative: file=" + file + " position=" + position);
        }
        Objects.checkFromIndexSize(targetOffset, length, target.capacity());
    }

    static void end(String file, long position, int length, long sizeBytes) throws EOFException {
        if (length > 0 && position > sizeBytes - length) {
            throw new EOFException(
                    "file ends before the range: file="
                            + file
                            + " position="
                            + position
                            + " length="
                            + length
                            + " sizeBytes="
                            + sizeBytes);
        }
    }
}
