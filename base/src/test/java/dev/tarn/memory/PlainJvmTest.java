package dev.tarn.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.io.FileSystem;
import dev.tarn.io.LocalFileSystem;
import dev.tarn.io.ReadableFile;
import dev.tarn.io.WritableFile;
import dev.tarn.testing.TestFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Memory and files work in a JVM without any flag, and the JVM does not warn of them. */
class PlainJvmTest {
    @RegisterExtension final TestFiles files = new TestFiles();

    @Test
    void nothingIsPrintedWithoutFlags() throws Exception {
        Path errors = Path.of(files.path(), "errors");
        Path output = Path.of(files.path(), "output");
        ProcessBuilder child =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        files.path());
        // Of variables that add flags, the JVM itself prints a line.
        child.environment().remove("JAVA_TOOL_OPTIONS");
        child.environment().remove("JDK_JAVA_OPTIONS");
        int exit =
                child.redirectError(errors.toFile())
                        .redirectOutput(output.toFile())
                        .start()
                        .waitFor();
        assertThat(Files.readString(errors, StandardCharsets.UTF_8)).isEmpty();
        assertThat(Files.readString(output, StandardCharsets.UTF_8).strip()).isEqualTo("VARHANDLE");
        assertThat(exit).isZero();
    }

    /** Does what an engine does with memory, once. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws IOException {
            FileSystem tree = new LocalFileSystem(arguments[0]);
            try (MemoryRegion region =
                    MemoryRegion.allocate(
                            new MemoryAccountant(1 << 20), MemoryPurpose.IO_BUFFER, 8192, 4096)) {
                OffHeapMemory memory = region.memory();
                memory.putLongRelease(0, 41);
                memory.getAndAddLong(0, 1);
                try (WritableFile file = tree.create("a")) {
                    file.append(memory, 0, 4096);
                    file.sync();
                }
                try (ReadableFile file = tree.open("a")) {
                    file.read(0, memory, 4096, 4096);
                }
                if (memory.getLongAcquire(4096) != 42) {
                    throw new AssertionError("wrong bytes");
                }
            }
            System.out.println(MemoryBackend.active().backend());
        }
    }
}
