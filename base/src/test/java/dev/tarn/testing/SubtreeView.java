package dev.tarn.testing;

import dev.tarn.io.FileLock;
import dev.tarn.io.FileNames;
import dev.tarn.io.FileSystem;
import dev.tarn.io.ReadableFile;
import dev.tarn.io.WritableFile;
import java.io.IOException;
import java.util.List;

/** The tree below a directory of another file system. */
final class SubtreeView implements FileSystem {
    private final FileSystem files;
    private final String directory;

    SubtreeView(FileSystem files, String directory) {
        this.files = files;
        this.directory = directory;
    }

    private String full(String name) {
        return FileNames.join(directory, FileNames.check(name));
    }

    /** The root of the view is a name of the whole tree, but not of a file in the view. */
    private String file(String name) {
        return full(FileNames.checkNotRoot(name));
    }

    @Override
    public ReadableFile open(String name) throws IOException {
        return files.open(file(name));
    }

    @Override
    public WritableFile create(String name) throws IOException {
        return files.create(file(name));
    }

    @Override
    public WritableFile openForAppend(String name) throws IOException {
        return files.openForAppend(file(name));
    }

    @Override
    public void link(String existing, String name) throws IOException {
        files.link(file(existing), file(name));
    }

    @Override
    public void rename(String source, String target) throws IOException {
        files.rename(file(source), file(target));
    }

    @Override
    public void delete(String name) throws IOException {
        files.delete(file(name));
    }

    @Override
    public List<String> list(String name) throws IOException {
        return files.list(full(name));
    }

    @Override
    public boolean exists(String name) throws IOException {
        return files.exists(full(name));
    }

    @Override
    public boolean isDirectory(String name) throws IOException {
        return files.isDirectory(full(name));
    }

    @Override
    public long size(String name) throws IOException {
        return files.size(file(name));
    }

    @Override
    public void createDirectories(String name) throws IOException {
        files.createDirectories(full(name));
    }

    @Override
    public void syncDirectory(String name) throws IOException {
        files.syncDirectory(full(name));
    }

    @Override
    public FileLock lock(String name, String holder) throws IOException {
        return files.lock(file(name), holder);
    }

    @Override
    public long usableSpaceBytes(String name) throws IOException {
        return files.usableSpaceBytes(full(name));
    }

    @Override
    public FileSystem directory(String name) {
        return name.isEmpty() ? this : new SubtreeView(files, full(name));
    }

    @Override
    public String describe(String name) {
        return files.describe(full(name));
    }
}
