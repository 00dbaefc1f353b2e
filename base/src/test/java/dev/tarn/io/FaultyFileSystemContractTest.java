package dev.tarn.io;

import dev.tarn.testing.FaultyFileSystem;

class FaultyFileSystemContractTest extends FileSystemContract {
    private final FaultyFileSystem files = new FaultyFileSystem();

    @Override
    FileSystem files() {
        return files;
    }
}
