package dev.tarn.engine.internal.version;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.codec.Crc32c;
import dev.tarn.io.FileSystem;
import dev.tarn.io.ReadableFile;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * The names of manifests, and the file {@code CURRENT} that says which of them counts: one line of
 * its name, a space and the CRC-32C of the name in eight hexadecimal digits.
 *
 * <p>Threads: stateless.
 */
public final class ManifestFiles {
    /** The file that names the manifest that counts. */
    public static final String CURRENT = "CURRENT";

    static final String CURRENT_TEMPORARY = "CURRENT.tmp";

    private static final String PREFIX = "manifest-";
    private static final int CURRENT_SIZE_MAX = 100;

    private ManifestFiles() {}

    /** Returns the name of a manifest. */
    public static String name(long number) {
        return String.format(Locale.ROOT, "%s%06d", PREFIX, number);
    }

    /** Returns the number in the name of a manifest; empty if the name is none. */
    public static OptionalLong number(String name) {
        String digits = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : "";
        if (!digits.matches("[0-9]{6,18}")) {
            return OptionalLong.empty();
        }
        long number = Long.parseLong(digits);
        return name(number).equals(name) ? OptionalLong.of(number) : OptionalLong.empty();
    }

    /** Returns the numbers of all manifests, whether they count or not. */
    static List<Long> list(FileSystem fileSystem) throws IOException {
        List<Long> numbers = new ArrayList<>();
        for (String name : fileSystem.list("")) {
            number(name).ifPresent(numbers::add);
        }
        return numbers;
    }

    /** Returns the number of the manifest that {@code CURRENT} names. */
    static long readCurrent(FileSystem fileSystem, MemoryAccountant accountant) throws IOException {
        String line;
        try (ReadableFile file = fileSystem.open(CURRENT)) {
            int size = (int) Math.min(file.size(), CURRENT_SIZE_MAX);
            try (MemoryRegion region = allocate(accountant)) {
                file.read(0, region.memory(), 0, size);
                byte[] bytes = new byte[size];
                region.memory().getBytes(0, bytes, 0, size);
                line = new String(bytes, StandardCharsets.US_ASCII);
            }
        }
        String name = line.contains(" ") ? line.substring(0, line.indexOf(' ')) : line;
        OptionalLong number = number(name);
        if (number.isEmpty() || !line.equals(currentLine(name))) {
            throw new CorruptDataException(
                    "file names no manifest: file="
                            + fileSystem.describe(CURRENT)
                            + " offset=0 sizeBytes="
                            + line.length());
        }
        return number.getAsLong();
    }

    /** Makes a manifest the one that counts: atomic, and durable on return. */
    static void writeCurrent(FileSystem fileSystem, long number, MemoryAccountant accountant)
            throws IOException {
        if (fileSystem.exists(CURRENT_TEMPORARY)) {
            fileSystem.delete(CURRENT_TEMPORARY);
        }
        byte[] bytes = currentLine(name(number)).getBytes(StandardCharsets.US_ASCII);
        try (WritableFile file = fileSystem.create(CURRENT_TEMPORARY);
                MemoryRegion region = allocate(accountant)) {
            OffHeapMemory memory = region.memory();
            memory.putBytes(0, bytes, 0, bytes.length);
            file.append(memory, 0, bytes.length);
            file.sync();
        }
        fileSystem.rename(CURRENT_TEMPORARY, CURRENT);
        fileSystem.syncDirectory("");
    }

    private static String currentLine(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        int crc = new Crc32c().of(bytes, 0, bytes.length);
        return String.format(Locale.ROOT, "%s %08x\n", name, crc);
    }

    private static MemoryRegion allocate(MemoryAccountant accountant) {
        return MemoryRegion.allocate(accountant, MemoryPurpose.IO_BUFFER, CURRENT_SIZE_MAX, 1);
    }
}
