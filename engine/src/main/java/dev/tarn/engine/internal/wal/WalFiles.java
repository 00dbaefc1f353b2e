package dev.tarn.engine.internal.wal;

import dev.tarn.io.FileSystem;
import dev.tarn.io.WritableFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * The names of write-ahead logs.
 *
 * <p>Threads: stateless.
 */
public final class WalFiles {
    private static final String PREFIX = "wal-";
    private static final String SUFFIX = ".log";

    private WalFiles() {}

    /** Returns the name of a log. */
    public static String name(long number) {
        return String.format(Locale.ROOT, "%s%06d%s", PREFIX, number, SUFFIX);
    }

    /** Returns the number in the name of a log; empty if the name is none. */
    public static OptionalLong number(String name) {
        if (!name.startsWith(PREFIX) || !name.endsWith(SUFFIX)) {
            return OptionalLong.empty();
        }
        String digits =
                name.substring(
                        PREFIX.length(),
                        Math.max(PREFIX.length(), name.length() - SUFFIX.length()));
        if (!digits.matches("[0-9]{6,18}")) {
            return OptionalLong.empty();
        }
        long number = Long.parseLong(digits);
        return name(number).equals(name) ? OptionalLong.of(number) : OptionalLong.empty();
    }

    /** Returns the numbers of the logs in the root directory, ascending. */
    public static List<Long> list(FileSystem fileSystem) throws IOException {
        List<Long> numbers = new ArrayList<>();
        for (String name : fileSystem.list("")) {
            number(name).ifPresent(numbers::add);
        }
        numbers.sort(Comparator.naturalOrder());
        return numbers;
    }

    /** Deletes the logs below a number: those that a version no longer needs. */
    public static void deleteBelow(FileSystem fileSystem, long number) throws IOException {
        for (long obsolete : list(fileSystem)) {
            if (obsolete < number) {
                fileSystem.delete(name(obsolete));
            }
        }
    }

    /** Makes what can be read of a log durable, and its name. */
    static void makeDurable(FileSystem fileSystem, long number) throws IOException {
        try (WritableFile file = fileSystem.openForAppend(name(number))) {
            file.sync();
        }
        fileSystem.syncDirectory("");
    }
}
