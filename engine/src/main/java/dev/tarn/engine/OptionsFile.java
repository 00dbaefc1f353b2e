package dev.tarn.engine;

import dev.tarn.io.FileSystem;
import dev.tarn.io.ReadableFile;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The file beside the data that says with which options the store was opened last, as text.
 *
 * <p>It is for people and for the check of what may not change; nothing else is read from it.
 */
final class OptionsFile {
    private static final String NAME = "OPTIONS";
    private static final String TEMPORARY = "OPTIONS.tmp";

    private OptionsFile() {}

    /**
     * Compares the options with those of the last open and writes them down.
     *
     * @throws IllegalArgumentException if one differs that is fixed when the store is created
     */
    static void checkAndWrite(
            FileSystem directory, StoreOptions options, MemoryAccountant accountant)
            throws IOException {
        String text = options.toText();
        if (directory.exists(NAME)) {
            String stored = read(directory, accountant);
            if (stored.equals(text)) {
                return;
            }
            int levelCount = StoreOptions.parse(stored).compaction().numLevels();
            if (levelCount != options.compaction().numLevels()) {
                throw new IllegalArgumentException(
                        "num-levels is fixed when a store is created: stored="
                                + levelCount
                                + " given="
                                + options.compaction().numLevels()
                                + " store="
                                + directory.describe(""));
            }
        }
        write(directory, text, accountant);
    }

    private static String read(FileSystem directory, MemoryAccountant accountant)
            throws IOException {
        try (ReadableFile file = directory.open(NAME);
                MemoryRegion region =
                        MemoryRegion.allocate(
                                accountant, MemoryPurpose.IO_BUFFER, file.size(), 1)) {
            byte[] bytes = new byte[region.sizeBytes()];
            file.read(0, region.memory(), 0, bytes.length);
            region.memory().getBytes(0, bytes, 0, bytes.length);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private static void write(FileSystem directory, String text, MemoryAccountant accountant)
            throws IOException {
        if (directory.exists(TEMPORARY)) {
            directory.delete(TEMPORARY);
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (WritableFile file = directory.create(TEMPORARY);
                MemoryRegion region =
                        MemoryRegion.allocate(
                                accountant, MemoryPurpose.IO_BUFFER, bytes.length, 1)) {
            region.memory().putBytes(0, bytes, 0, bytes.length);
            file.append(region.memory(), 0, bytes.length);
            file.sync();
        }
        directory.rename(TEMPORARY, NAME);
        directory.syncDirectory("");
    }
}
