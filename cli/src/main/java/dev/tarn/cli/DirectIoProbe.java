package dev.tarn.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Tries direct I/O (O_DIRECT): some file systems refuse to open such a file, others only to use it.
 */
final class DirectIoProbe {
    /** Whether it works, and how that was found out. */
    record Result(boolean works, String reason) {}

    private static final byte MARK = 0x5A;

    private DirectIoProbe() {}

    /** Writes one block of a new file past the page cache, reads it back and deletes the file. */
    static Result run(Path directory) {
        Path file;
        try {
            file = Files.createTempFile(directory, ".tarn-probe-", ".tmp");
        } catch (IOException e) {
            return new Result(false, "not tried: no file can be created here: " + describe(e));
        }
        try {
            return tryOneBlock(file);
        } catch (IOException | UnsupportedOperationException e) {
            return new Result(false, describe(e));
        } finally {
            deleteQuietly(file);
        }
    }

    private static Result tryOneBlock(Path file) throws IOException {
        int blockSizeBytes = Math.toIntExact(Files.getFileStore(file).getBlockSize());
        ByteBuffer block =
                ByteBuffer.allocateDirect(2 * blockSizeBytes)
                        .alignedSlice(blockSizeBytes)
                        .slice(0, blockSizeBytes);
        while (block.hasRemaining()) {
            block.put(MARK);
        }
        try (FileChannel channel =
                FileChannel.open(
                        file, StandardOpenOption.READ, StandardOpenOption.WRITE, directOption())) {
            channel.write(block.flip(), 0);
            block.clear();
            int length = channel.read(block, 0);
            if (length != blockSizeBytes || block.get(blockSizeBytes - 1) != MARK) {
                return new Result(false, "a block read back differs: lengthRead=" + length);
            }
        }
        return new Result(true, "wrote and read back one block of " + blockSizeBytes + " bytes");
    }

    /** Reached by reflection: the compiler of JDK 25 warns of the type, whatever it is told. */
    private static OpenOption directOption() {
        try {
            Object[] options =
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants();
            for (Object option : options) {
                if (option.toString().equals("DIRECT")) {
                    return (OpenOption) option;
                }
            }
        } catch (ClassNotFoundException e) {
            throw new UnsupportedOperationException("this JVM offers no direct I/O", e);
        }
        throw new UnsupportedOperationException("this JVM offers no direct I/O");
    }

    private static String describe(Exception exception) {
        String message = exception.getMessage();
        return exception.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }

    private static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The answer stands; a file of one block that cannot be deleted does not change it.
        }
    }
}
