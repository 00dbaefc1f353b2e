package dev.tarn.testing;

import dev.tarn.io.OutOfSpaceException;
import java.io.IOException;

/** What a {@link FaultyFileSystem} does to a call instead of, or before, carrying it out. */
@FunctionalInterface
public interface FileFault {
    /** Throws, to make the call fail without effect; or waits; or returns, to let it pass. */
    void strike(FileCall call) throws IOException;

    /** A fault of the device. */
    static FileFault failure() {
        return call -> {
            throw new IOException("injected fault: " + call);
        };
    }

    /** A full device. */
    static FileFault outOfSpace() {
        return call -> {
            throw new OutOfSpaceException("injected full device: " + call);
        };
    }

    /**
     * A failed sync after which the kernel takes the data for written, as Linux does: it can still
     * be read, later syncs succeed, and yet it never reaches the disk.
     */
    static FileFault failedSyncThatDrops() {
        return call -> {
            throw new DroppingSyncException("injected sync fault, unsynced data dropped: " + call);
        };
    }

    /** Tells the file system to forget what the failed sync should have written. */
    final class DroppingSyncException extends IOException {
        private static final long serialVersionUID = 1L;

        DroppingSyncException(String message) {
            super(message);
        }
    }
}
