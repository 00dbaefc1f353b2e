package dev.tarn.io;

import java.io.IOException;
import java.util.List;

/**
 * A tree of files, as far as a storage engine needs one.
 *
 * <p>Names are relative to the root of the file system, their parts separated by {@code /}; {@code
 * ""} is the root itself. A name with an empty, {@code .} or {@code ..} part is refused with {@link
 * IllegalArgumentException}.
 *
 * <p>Durability: what was written is durable after {@link WritableFile#sync()}; that a name exists,
 * was renamed or is gone is durable after {@link #syncDirectory} of its directory. Nothing else is.
 *
 * <p>Threads: any thread may call anything. An interrupt of the calling thread never harms another
 * caller.
 *
 * <p>Errors: {@link java.nio.file.NoSuchFileException} and {@link
 * java.nio.file.FileAlreadyExistsException} mean what they say, {@link OutOfSpaceException} that
 * the device or quota is full; every other {@link IOException} is a fault of the device. All name
 * the file.
 */
public interface FileSystem {
    /** Opens a file for reading at any position. */
    ReadableFile open(String name) throws IOException;

    /** Creates a file that must not exist, for writing. */
    WritableFile create(String name) throws IOException;

    /** Opens an existing file for writing behind its last byte. */
    WritableFile openForAppend(String name) throws IOException;

    /** Gives an existing file a second name, which must not exist: atomic and exclusive. */
    void link(String existing, String name) throws IOException;

    /** Renames a file, atomically replacing what had the new name. */
    void rename(String source, String target) throws IOException;

    /** Deletes a file or an empty directory. */
    void delete(String name) throws IOException;

    /** Returns the names in a directory, without the directory's own, in ascending order. */
    List<String> list(String directory) throws IOException;

    /** Returns whether a file or directory has this name. */
    boolean exists(String name) throws IOException;

    /** Returns whether this is the name of a directory. */
    boolean isDirectory(String name) throws IOException;

    /** Returns the size of a file in bytes. */
    long size(String name) throws IOException;

    /** Creates a directory and those above it, as far as they do not exist. */
    void createDirectories(String directory) throws IOException;

    /** Makes the names in a directory durable. */
    void syncDirectory(String directory) throws IOException;

    /**
     * Takes a lock that no other process, and nobody else in this one, holds; it ends with the
     * process at the latest.
     *
     * @param name a file that is created if need be and is left behind
     * @param holder a text for the file, shown to those who are refused
     * @throws LockedException if it is held; the message names the holder
     */
    FileLock lock(String name, String holder) throws IOException;

    /** Returns how many bytes can still be written below a directory. */
    long usableSpaceBytes(String directory) throws IOException;

    /** Returns a view of the tree below a directory, whose names are relative to it. */
    FileSystem directory(String directory);

    /** Returns a text that a person can find the file by: for error messages only. */
    String describe(String name);
}
