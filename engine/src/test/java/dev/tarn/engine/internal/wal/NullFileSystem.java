package dev.tarn.engine.internal.wal;

import dev.tarn.io.FileLock;
import dev.tarn.io.FileSystem;
import dev.tarn.io.ReadableFile;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.OffHeapMemory;
import java.util.List;

/** Files that forget what is written, and allocate nothing. */
final class NullFileSystem implements FileSystem {
    @Override
    public ReadableFile open(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public WritableFile create(String name) {
        return new NullFile();
    }

    @Override
    public WritableFile openForAppend(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void link(String existing, String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void rename(String source, String target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void delete(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<String> list(String directory) {
        return List.of();
    }

    @Override
    public boolean exists(String name) {
        return false;
    }

    @Override
    public boolean isDirectory(String name) {
        return false;
    }

    @Override
    public long size(String name) {
        return 0;
    }

    @Override
    public void createDirectories(String directory) {}

    @Override
    public void syncDirectory(String directory) {}

    @Override
    public FileLock lock(String name, String holder) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long usableSpaceBytes(String directory) {
        return Long.MAX_VALUE;
    }

    @Override
    public FileSystem directory(String directory) {
        return this;
    }

    @Override
    public String describe(String name) {
        return name;
    }

    private static final class NullFile implements WritableFile {
        private long size;

        @Override
        public void append(OffHeapMemory source, int sourceOffset, int length) {
            size += length;
        }

        @Override
        public void write(long position, OffHeapMemory source, int sourceOffset, int length) {
            size = Math.max(size, position + length);
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public void sync() {}

        @Override
        public String describe() {
            return "null";
        }

        @Override
        public void close() {}
    }
}
