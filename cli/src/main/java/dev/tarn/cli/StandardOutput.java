package dev.tarn.cli;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Standard output that never loses an error.
 *
 * <p>{@link PrintWriter} swallows every {@link IOException}, so that a full disk would look like
 * success. This stream turns them into {@link FailedException}, which passes through it.
 */
final class StandardOutput extends OutputStream {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final OutputStream target;

    StandardOutput(OutputStream target) {
        this.target = target;
    }

    /** Returns a buffered UTF-8 writer on the process's standard output. */
    static PrintWriter open() {
        return writer(new FileOutputStream(FileDescriptor.out));
    }

    /** Returns a buffered UTF-8 writer that reports failures of {@code target}. */
    static PrintWriter writer(OutputStream target) {
        return new PrintWriter(
                new BufferedWriter(
                        new OutputStreamWriter(new StandardOutput(target), StandardCharsets.UTF_8),
                        BUFFER_BYTES));
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
        try {
            target.write(source, offset, length);
        } catch (IOException e) {
            throw new FailedException(e);
        }
    }

    @Override
    public void flush() {
        try {
            target.flush();
        } catch (IOException e) {
            throw new FailedException(e);
        }
    }

    /** Thrown when standard output does not take what is written to it. */
    static final class FailedException extends UncheckedIOException {
        private static final long serialVersionUID = 1L;

        private final boolean brokenPipe;

        FailedException(IOException cause) {
            super("cannot write to standard output: " + cause.getMessage(), cause);
            String message = cause.getMessage();
            // The text is in the user's language, so where it is not English the kind of the
            // descriptor decides: a pipe or a socket has no other way to refuse a write.
            brokenPipe = (message != null && message.contains("Broken pipe")) || writesToPipe();
        }

        /** Returns whether the reader of a pipe has closed it: it has what it wanted. */
        boolean isBrokenPipe() {
            return brokenPipe;
        }

        private static boolean writesToPipe() {
            try {
                String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
                return target.startsWith("pipe:") || target.startsWith("socket:");
            } catch (IOException | UnsupportedOperationException e) {
                return false;
            }
        }
    }
}
