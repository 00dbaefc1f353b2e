package dev.tarn.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.io.OutOfSpaceException;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.testing.FaultyFileSystem;
import dev.tarn.testing.FileCall;
import dev.tarn.testing.FileFault;
import dev.tarn.testing.RandomSource;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class SstWriterTest {
    private static final long BUDGET_BYTES = 16 << 20;

    private final MemoryAccountant accountant = new MemoryAccountant(1L << 30);
    private final FaultyFileSystem fileSystem = new FaultyFileSystem();

    @AfterEach
    void everyByteIsGivenBack() {
        assertThat(accountant.reservedBytes()).isZero();
    }

    private static long put(long sequenceNumber) {
        return SequenceNumbers.trailer(sequenceNumber, ValueKind.PUT);
    }

    private SstWriter newWriter(SstOptions options) throws IOException {
        return SstWriter.create(fileSystem, "a.sst", options, accountant);
    }

    @Test
    void entryOutOfOrderIsRefusedAndLeavesTheWriterUsable() throws IOException {
        BytesView value = BytesView.of("v");
        try (SstWriter writer = newWriter(SstOptions.defaults())) {
            writer.add(BytesView.of("b"), put(5), value);
            for (long sequenceNumber : new long[] {5, 6}) {
                assertThatThrownBy(() -> writer.add(BytesView.of("b"), put(sequenceNumber), value))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("out of order")
                        .hasMessageContaining("lastKey=b");
            }
            assertThatThrownBy(() -> writer.add(BytesView.of("a"), put(9), value))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.add(BytesView.of(new byte[65_536]), put(9), value))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("key length");
            assertThatThrownBy(
                            () ->
                                    writer.add(
                                            BytesView.of("c"),
                                            SequenceNumbers.trailer(1, (byte) 0x80),
                                            value))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("kind byte");
            writer.add(BytesView.of("b"), put(4), value);
            writer.add(BytesView.of("c"), put(1), value);
            assertThat(writer.finish().entryCount()).isEqualTo(3);
            assertThatThrownBy(() -> writer.add(BytesView.of("d"), put(1), value))
                    .isInstanceOf(ClosedException.class);
        }
        assertThat(fileSystem.exists("a.sst")).isTrue();
    }

    @Test
    void abortAndCloseDeleteWhatWasNotFinished() throws IOException {
        SstWriter aborted = newWriter(SstOptions.defaults());
        aborted.add(BytesView.of("a"), put(1), BytesView.of("v"));
        aborted.abort();
        assertThat(fileSystem.exists("a.sst")).isFalse();
        aborted.close();
        try (SstWriter writer = newWriter(SstOptions.defaults())) {
            writer.add(BytesView.of("a"), put(1), BytesView.of("v"));
        }
        assertThat(fileSystem.exists("a.sst")).isFalse();
    }

    @Test
    void emptyFileIsReadable() throws IOException {
        try (SstWriter writer = newWriter(SstOptions.defaults())) {
            assertThat(writer.finish().isEmpty()).isTrue();
        }
        byte[] key = {1};
        assertThat(SstFiles.dump(fileSystem, "a.sst", List.of(key), BUDGET_BYTES))
                .contains("entryCount=0");
    }

    @Test
    void failedWriteOrSyncLeavesOnlyAbort() throws IOException {
        for (FileCall.Operation operation :
                List.of(FileCall.Operation.WRITE, FileCall.Operation.SYNC)) {
            try (SstWriter writer = newWriter(SstOptions.defaults())) {
                writer.add(BytesView.of("a"), put(1), BytesView.of("v"));
                fileSystem.fail(call -> call.is(operation, "a.sst"), FileFault.outOfSpace());
                assertThatThrownBy(writer::finish).isInstanceOf(OutOfSpaceException.class);
                assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
                fileSystem.heal();
            }
            assertThat(fileSystem.exists("a.sst")).isFalse();
        }
    }

    /** Stops the machine at every change: what is left is refused, unless finish had returned. */
    @Test
    void writerThatDiesLeavesNothingThatIsAccepted() throws IOException {
        SstModel model = new SstModel();
        List<byte[]> keys = new ArrayList<>();
        byte[] value = new RandomSource(1).bytes(1000);
        for (int i = 0; i < 2000; i++) {
            byte[] key = String.format("%06d", i).getBytes(StandardCharsets.UTF_8);
            model.add(key, put(i), value);
            if (i % 100 == 0) {
                keys.add(key);
            }
        }
        SstOptions options = SstOptions.builder().codec(BlockCodec.NONE).build();
        model.write(fileSystem, "a.sst", options, accountant);
        String whole = SstFiles.dump(fileSystem, "a.sst", keys, BUDGET_BYTES);
        int refused = 0;
        boolean isFinished = false;
        for (long change = 0; !isFinished; change++) {
            FaultyFileSystem crashing = new FaultyFileSystem();
            crashing.crashAtChange(change);
            try (SstWriter writer = SstWriter.create(crashing, "a.sst", options, accountant)) {
                SstModel.addTo(writer, model.entries());
                writer.finish();
                crashing.syncDirectory("");
                isFinished = true;
            } catch (FaultyFileSystem.CrashedException e) {
                assertThat(e).isNotNull();
            }
            for (FaultyFileSystem.Crash mode : FaultyFileSystem.Crash.values()) {
                FaultyFileSystem after = crashing.crash(mode, new RandomSource(change));
                try {
                    assertThat(SstFiles.dump(after, "a.sst", keys, BUDGET_BYTES)).isEqualTo(whole);
                } catch (CorruptSstException | NoSuchFileException e) {
                    assertThat(isFinished).isFalse();
                    refused++;
                }
            }
        }
        assertThat(refused).isGreaterThan(5);
    }

    @Test
    void memoryStaysBoundedWhateverTheFileSize() throws IOException {
        MemoryAccountant small = new MemoryAccountant(2 << 20);
        SstOptions options = SstOptions.builder().filterKeyCountMax(10_000).build();
        byte[] key = new byte[8];
        BytesView keyView = BytesView.of(key);
        BytesView value = BytesView.of(new byte[100]);
        try (SstWriter writer = SstWriter.create(fileSystem, "a.sst", options, small)) {
            for (int i = 0; i < 200_000; i++) {
                for (int b = 0; b < 4; b++) {
                    key[b] = (byte) (i >>> (24 - 8 * b));
                }
                writer.add(keyView, put(i), value);
            }
            assertThat(writer.estimatedSizeBytes()).isGreaterThan(1 << 20);
            assertThat(writer.finish().keyCount()).isEqualTo(200_000);
        }
        assertThat(small.reservedBytes()).isZero();
    }

    @Test
    @Tag("long")
    void largestValueComesBack() throws IOException {
        byte[] value = new RandomSource(1).bytes(SstWriter.VALUE_LENGTH_MAX);
        SstModel model = new SstModel();
        model.add(new byte[SstWriter.KEY_LENGTH_MAX], put(1), value);
        MemoryAccountant large = MemoryAccountant.unlimited();
        model.write(fileSystem, "a.sst", SstOptions.defaults(), large);
        String dump =
                SstFiles.dump(
                        fileSystem,
                        "a.sst",
                        List.of(new byte[SstWriter.KEY_LENGTH_MAX]),
                        Long.MAX_VALUE);
        assertThat(dump).contains("#" + SstWriter.VALUE_LENGTH_MAX);
    }

    @Test
    void zstdWithoutItsLibraryIsAClearError() throws Exception {
        URL[] classPath = {SstOptions.class.getProtectionDomain().getCodeSource().getLocation()};
        ClassLoader parent = new WithoutZstd(SstOptions.class.getClassLoader());
        try (URLClassLoader loader = new ChildFirst(classPath, parent)) {
            Class<?> options = loader.loadClass(SstOptions.class.getName());
            Class<?> codec = loader.loadClass(BlockCodec.class.getName());
            Object builder = options.getMethod("builder").invoke(null);
            builder.getClass()
                    .getMethod("codec", codec)
                    .invoke(builder, codec.getField("ZSTD").get(null));
            assertThatThrownBy(() -> builder.getClass().getMethod("build").invoke(builder))
                    .hasRootCauseInstanceOf(ClassNotFoundException.class)
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("com.github.luben:zstd-jni");
        }
    }

    /** A class path on which zstd is missing. */
    private static final class WithoutZstd extends ClassLoader {
        WithoutZstd(ClassLoader parent) {
            super(parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("com.github.luben.")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }
    }

    /** Loads the format's own classes anew, so that they link against the parent. */
    private static final class ChildFirst extends URLClassLoader {
        ChildFirst(URL[] urls, ClassLoader parent) {
            super(urls, parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("dev.tarn.sst.")) {
                synchronized (getClassLoadingLock(name)) {
                    Class<?> loaded = findLoadedClass(name);
                    return loaded != null ? loaded : findClass(name);
                }
            }
            return super.loadClass(name, resolve);
        }
    }
}
