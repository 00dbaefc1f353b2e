package dev.tarn.testing;

import dev.tarn.io.FileLock;
import dev.tarn.io.FileSystem;
import dev.tarn.io.ReadableFile;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.OffHeapMemory;
import java.io.IOException;
import java.util.List;

/** Passes everything on, and tells {@link OpenHandles} what is open. */
final class TrackingFileSystem implements FileSystem {
    private final FileSystem files;

    TrackingFileSystem(FileSystem files) {
        this.files = files;
    }

    @Override
    public ReadableFile open(String name) throws IOException {
        return new TrackedReadable(files.open(name));
    }

    @Override
    public WritableFile create(String name) throws IOException {
        return new TrackedWritable(files.create(name));
    }

    @Override
    public WritableFile openForAppend(String name) throws IOException {
        return new TrackedWritable(files.openForAppend(name));
    }

    @Override
    public void link(String existing, String name) throws IOException {
        files.link(existing, name);
    }

    @Override
    public void rename(String source, String target) throws IOException {
        files.rename(source, target);
    }

    @Override
    public void delete(String name) throws IOException {
        files.delete(name);
    }

    @Override
    public List<String> list(String directory) throws IOException {
        return files.list(directory);
    }

    @Override
    public boolean exists(String name) throws IOException {
        return files.exists(name);
    }

    @Override
    public boolean isDirectory(String name) throws IOException {
        return files.isDirectory(name);
    }

    @Override
    public long size(String name) throws IOException {
        return files.size(name);
    }

    @Override
    public void createDirectories(String directory) throws IOException {
        files.createDirectories(directory);
    }

    @Override
    public void syncDirectory(String directory) throws IOException {
        files.syncDirectory(directory);
    }

    @Override
    public FileLock lock(String name, String holder) throws IOException {
        return new TrackedLock(files.lock(name, holder), files.describe(name));
    }

    @Override
    public long usableSpaceBytes(String directory) throws IOException {
        return files.usableSpaceBytes(directory);
    }

    @Override
    public FileSystem directory(String directory) {
        return new TrackingFileSystem(files.directory(directory));
    }

    @Override
    public String describe(String name) {
        return files.describe(name);
    }

    @Override
    public String toString() {
        return files.toString();
    }

    private static final class TrackedReadable implements ReadableFile {
        private final ReadableFile file;

        TrackedReadable(ReadableFile file) {
            this.file = file;
            OpenHandles.opened(this, toString());
        }

        @Override
        public void read(long position, OffHeapMemory target, int targetOffset, int length)
                throws IOException {
            file.read(position, target, targetOffset, length);
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public String describe() {
            return file.describe();
        }

        @Override
        public void close() throws IOException {
            OpenHandles.closed(this);
            file.close();
        }

        @Override
        public String toString() {
            return "ReadableFile[" + file.describe() + "]";
        }
    }

    private static final class TrackedWritable implements WritableFile {
        private final WritableFile file;

        TrackedWritable(WritableFile file) {
            this.file = file;
            OpenHandles.opened(this, toString());
        }

        @Override
        public void append(OffHeapMemory source, int sourceOffset, int length) throws IOException {
            file.append(source, sourceOffset, length);
        }

        @Override
        public void write(long position, OffHeapMemory source, int sourceOffset, int length)
                throws IOException {
            file.write(position, source, sourceOffset, length);
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void sync() throws IOException {
            file.sync();
        }

        @Override
        public String describe() {
            return file.describe();
        }

        @Override
        public void close() throws IOException {
            OpenHandles.closed(this);
            file.close();
        }

        @Override
        public String toString() {
            return "WritableFile[" + file.describe() + "]";
        }
    }

    private static final class TrackedLock implements FileLock {
        private final FileLock lock;
        private final String description;

        TrackedLock(FileLock lock, String description) {
            this.lock = lock;
            this.description = description;
            OpenHandles.opened(this, toString());
        }

        @Override
        public void close() throws IOException {
            OpenHandles.closed(this);
            lock.close();
        }

        @Override
        public String toString() {
            return "FileLock[" + description + "]";
        }
    }
}
