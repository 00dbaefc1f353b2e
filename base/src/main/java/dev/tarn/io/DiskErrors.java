package dev.tarn.io;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileSystemException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells a full device from other faults. The JVM hands on only the text of the error, which the C
 * library writes in the language of the process.
 */
final class DiskErrors {
    /** ENOSPC and EDQUOT of glibc, musl, macOS and Windows. */
    private static final Set<String> FULL_TEXTS =
            Set.of(
                    "no space left on device",
                    "disk quota exceeded",
                    "quota exceeded",
                    "disc quota exceeded",
                    "there is not enough space on the disk");

    private DiskErrors() {}

    /** Returns {@code cause} with the file and what was tried, as a full device if it is that. */
    static IOException explain(String operation, String file, IOException cause) {
        String message = operation + ": file=" + file + " cause=" + reason(cause);
        return isFull(cause)
                ? new OutOfSpaceException(message, cause)
                : new IOException(message, cause);
    }

    /** Passes on exceptions that name their file, except that a full device gets its own type. */
    static IOException translate(String operation, String file, IOException cause) {
        return cause instanceof FileSystemException && !isFull(cause)
                ? cause
                : explain(operation, file, cause);
    }

    static boolean isFull(IOException cause) {
        String reason = reason(cause);
        for (String text : FULL_TEXTS) {
            if (endsWithIgnoringCase(reason, text)) {
                return true;
            }
        }
        return !LocalText.FULL.isEmpty() && endsWithIgnoringCase(reason, LocalText.FULL);
    }

    private static String reason(IOException cause) {
        if (cause instanceof FileSystemException fault) {
            String reason = fault.getReason();
            return reason == null ? fault.getClass().getSimpleName() : reason;
        }
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    private static boolean endsWithIgnoringCase(String text, String end) {
        return text.regionMatches(true, text.length() - end.length(), end, 0, end.length());
    }

    /** What this process calls ENOSPC; learnt from a device that is always full. */
    private static final class LocalText {
        static final String FULL = ask();

        private static String ask() {
            try (RandomAccessFile full = new RandomAccessFile("/dev/full", "rw")) {
                full.write(0);
                return "";
            } catch (IOException e) {
                @Nullable String message = e.getMessage();
                // Without the device, the text names the path that was not found.
                return message == null || message.contains("/dev/full") ? "" : message;
            }
        }
    }
}
