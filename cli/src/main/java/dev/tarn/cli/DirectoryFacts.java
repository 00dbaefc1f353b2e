package dev.tarn.cli;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** The file system below a directory, and whether it takes direct I/O. */
final class DirectoryFacts {
    private DirectoryFacts() {}

    /**
     * Adds what is known of a directory.
     *
     * @throws IOException if it does not exist or cannot be examined
     */
    static void addTo(FactSheet facts, Path directory) throws IOException {
        Path real = directory.toRealPath();
        if (!Files.isDirectory(real)) {
            throw new NotDirectoryException(directory.toString());
        }
        FileStore store = Files.getFileStore(real);
        facts.add("directory", real.toString());
        facts.add("file-system", store.type());
        facts.add("device", store.name());
        facts.add("block-size-bytes", store.getBlockSize());
        facts.add("disk-total-bytes", store.getTotalSpace());
        facts.add("disk-usable-bytes", store.getUsableSpace());
        DirectIoProbe.Result direct = DirectIoProbe.run(real);
        facts.add("direct-io", direct.works());
        facts.add("direct-io-reason", direct.reason());
    }
}
