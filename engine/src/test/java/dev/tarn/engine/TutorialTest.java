package dev.tarn.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.io.LocalFileSystem;
import dev.tarn.testing.TestFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The example of docs/engine.md, which must be the same text between the two marks. */
class TutorialTest {
    @RegisterExtension final TestFiles files = new TestFiles();

    @Test
    void exampleWorks() throws Exception {
        String directory = files.path();
        List<String> printed = new ArrayList<>();
        // tutorial begins
        StoreOptions options = StoreOptions.builder().option("write-buffer-size", "64 mb").build();
        try (LsmStore store = LsmStore.open(new LocalFileSystem(directory), options)) {
            store.put(utf8("tarn"), utf8("a mountain lake"));
            store.write(new WriteBatch().put(utf8("a"), utf8("1")).delete(utf8("b")));

            try (Snapshot before = store.snapshot()) {
                store.delete(utf8("a"));
                assertThat(store.get(utf8("a"))).isNull();
                assertThat(store.get(utf8("a"), before)).isEqualTo(utf8("1"));
            }
            try (StoreIterator iterator = store.iterator()) {
                for (boolean found = iterator.seekToFirst(); found; found = iterator.next()) {
                    printed.add(iterator.key() + "=" + iterator.value());
                }
            }
            store.flush(); // durable from here on, whatever happens
        }
        // tutorial ends
        assertThat(printed).containsExactly("tarn=a mountain lake");
    }

    @Test
    void documentShowsThisExample() throws Exception {
        String source =
                Files.readString(Path.of("src/test/java/dev/tarn/engine/TutorialTest.java"));
        String example =
                source.substring(
                                source.indexOf("// tutorial begins\n") + 19,
                                source.indexOf("        // tutorial ends"))
                        .replaceAll("(?m)^ {8}", "");
        assertThat(Files.readString(Path.of("../docs/engine.md"))).contains(example);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
