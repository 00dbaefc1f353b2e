package dev.tarn.cli;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.codec.UnsupportedFormatException;
import dev.tarn.memory.MemoryBudgetExceededException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** The one line on standard error that tells of a failure. */
final class ErrorLine {
    private static final String PREFIX = "tarn: ";

    private ErrorLine() {}

    /** Returns the line for a message, whatever control characters that holds. */
    static String of(String message) {
        StringBuilder line = new StringBuilder(PREFIX);
        boolean space = true;
        for (int i = 0; i < message.length(); i++) {
            char c = message.charAt(i);
            if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
                c = ' ';
            }
            if (c != ' ' || !space) {
                line.append(c);
            }
            space = c == ' ';
        }
        return line.toString().stripTrailing();
    }

    /** Returns the line for an exception. */
    static String of(Throwable exception) {
        return of(describe(exception));
    }

    private static String describe(Throwable exception) {
        if (exception instanceof StandardOutput.FailedException) {
            return messageOf(exception);
        }
        Throwable cause = exception.getCause();
        if (exception instanceof UncheckedIOException && cause != null) {
            return describe(cause);
        }
        // These carry nothing but the name as their message.
        if (exception instanceof NoSuchFileException) {
            return "no such file or directory: " + exception.getMessage();
        }
        if (exception instanceof AccessDeniedException) {
            return "permission denied: " + exception.getMessage();
        }
        if (exception instanceof FileAlreadyExistsException) {
            return "exists already: " + exception.getMessage();
        }
        if (exception instanceof NotDirectoryException) {
            return "not a directory: " + exception.getMessage();
        }
        if (exception instanceof IOException
                || exception instanceof CorruptDataException
                || exception instanceof UnsupportedFormatException
                || exception instanceof MemoryBudgetExceededException) {
            return messageOf(exception);
        }
        return "internal error: "
                + exception.getClass().getSimpleName()
                + ": "
                + messageOf(exception)
                + " (--stacktrace shows where)";
    }

    private static String messageOf(Throwable exception) {
        String message = exception.getMessage();
        return message == null ? exception.getClass().getSimpleName() : message;
    }
}
