package dev.tarn.io;

import dev.tarn.testing.TestFiles;
import org.junit.jupiter.api.extension.RegisterExtension;

class LocalFileSystemContractTest extends FileSystemContract {
    @RegisterExtension final TestFiles files = new TestFiles();

    @Override
    FileSystem files() {
        return files.fileSystem();
    }
}
