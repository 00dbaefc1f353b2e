package dev.tarn.cli;

import dev.tarn.codec.Crc32c;
import dev.tarn.codec.Hash64;
import dev.tarn.codec.SequenceNumbers;
import dev.tarn.codec.ValueKind;
import dev.tarn.codec.Varint;
import dev.tarn.engine.LsmStore;
import dev.tarn.engine.StoreOptions;
import dev.tarn.io.LocalFileSystem;
import dev.tarn.io.ReadableFile;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.MemoryBackend;
import dev.tarn.memory.MemoryPurpose;
import dev.tarn.memory.MemoryRegion;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.memtable.ChunkPool;
import dev.tarn.memtable.Memtable;
import dev.tarn.memtable.MemtableIterator;
import dev.tarn.memtable.PutStatus;
import dev.tarn.sst.SstLookup;
import dev.tarn.sst.SstOptions;
import dev.tarn.sst.SstReader;
import dev.tarn.sst.SstReaderContext;
import dev.tarn.sst.SstWriter;
import dev.tarn.sst.block.BlockCodec;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A program as users write it, for {@link JvmCheckIT}: touches each layer of the library and prints
 * the backend and what it touched.
 */
final class LibraryProbe {
    private static final int SIZE_BYTES = 8192;
    private static final int KEY_COUNT = 1000;

    private LibraryProbe() {}

    public static void main(String[] arguments) throws IOException {
        List<String> touched = new ArrayList<>();
        MemoryAccountant accountant = new MemoryAccountant(64 << 20);
        try (MemoryRegion region =
                MemoryRegion.allocate(
                        accountant, MemoryPurpose.IO_BUFFER, SIZE_BYTES, MemoryRegion.PAGE_BYTES)) {
            memory(region.memory());
            touched.add("memory");
            codec(region.memory());
            touched.add("codec");
            files(region.memory(), arguments[0]);
            touched.add("files");
        }
        memtable(accountant);
        touched.add("memtable");
        for (BlockCodec codec : new BlockCodec[] {BlockCodec.NONE, BlockCodec.LZ4}) {
            sst(accountant, arguments[0], codec);
        }
        touched.add("sst");
        store(arguments[0]);
        touched.add("store");
        check(accountant.reservedBytes() == 0, "all memory is given back");
        String backend = MemoryBackend.active().backend().name().toLowerCase(Locale.ROOT);
        System.out.println(backend + ": " + String.join(", ", touched));
    }

    private static void memory(OffHeapMemory memory) {
        memory.putLongRelease(8, 40);
        check(memory.getAndAddLong(8, 2) == 40, "getAndAddLong");
        check(memory.compareAndSetLong(8, 42, 43), "compareAndSetLong");
        check(memory.getLongAcquire(8) == 43, "getLongAcquire");
        OffHeapMemory direct = OffHeapMemory.wrap(ByteBuffer.allocateDirect(64));
        direct.putInt(0, 7);
        direct.copyTo(0, memory, 16, 4);
        check(memory.getInt(16) == 7, "copyTo");
        check(OffHeapMemory.wrap(new byte[16]).getLong(8) == 0, "wrap of an array");
    }

    private static void codec(OffHeapMemory memory) {
        byte[] bytes = "key".getBytes(StandardCharsets.UTF_8);
        memory.putBytes(0, bytes, 0, bytes.length);
        check(
                Hash64.hash(memory, 0, bytes.length) == Hash64.hash(bytes, 0, bytes.length),
                "hash on and off the heap");
        check(
                Crc32c.of(memory, 0, bytes.length) == new Crc32c().of(bytes, 0, bytes.length),
                "checksum on and off the heap");
        int end = Varint.putLong(memory, 100, 1L << 40);
        check(end == 100 + Varint.length(1L << 40), "varint");
    }

    private static void files(OffHeapMemory memory, String directory) throws IOException {
        LocalFileSystem files = new LocalFileSystem(directory);
        memory.putLong(0, 0x1234_5678_9abc_def0L);
        try (WritableFile file = files.create("probe")) {
            file.append(memory, 0, 64);
            file.sync();
        }
        memory.putLong(0, 0);
        try (ReadableFile file = files.open("probe")) {
            file.read(0, memory, 0, 64);
        }
        check(memory.getLong(0) == 0x1234_5678_9abc_def0L, "read back");
        files.delete("probe");
    }

    private static void memtable(MemoryAccountant accountant) {
        try (ChunkPool pool = new ChunkPool(accountant);
                Memtable memtable = Memtable.create(pool)) {
            for (int i = 0; i < KEY_COUNT; i++) {
                PutStatus status =
                        memtable.put(
                                BytesView.of("key" + i),
                                BytesView.of("value" + i),
                                ValueKind.PUT,
                                i + 1);
                check(status == PutStatus.OK, "put");
            }
            BytesView value = new BytesView();
            check(memtable.get(BytesView.of("key7"), KEY_COUNT, value) == ValueKind.PUT, "get");
            check(value.contentEquals(BytesView.of("value7")), "value");
            memtable.seal();
            try (MemtableIterator iterator = memtable.newIterator()) {
                check(iterator.keyCount() == KEY_COUNT, "iterator");
            }
        }
    }

    private static void sst(MemoryAccountant accountant, String directory, BlockCodec codec)
            throws IOException {
        LocalFileSystem files = new LocalFileSystem(directory);
        SstOptions options = SstOptions.builder().codec(codec).build();
        try (SstWriter writer = SstWriter.create(files, "probe.sst", options, accountant)) {
            for (int i = 0; i < KEY_COUNT; i++) {
                writer.add(
                        BytesView.of(String.format("key%06d", i)),
                        SequenceNumbers.trailer(i + 1, ValueKind.PUT),
                        BytesView.of("value" + i));
            }
            writer.finish();
        }
        try (BlockCache cache =
                        new BlockCache(accountant, BlockCacheOptions.builder(1 << 20).build());
                SstLookup lookup = new SstLookup(accountant);
                SstReader reader =
                        SstReader.open(
                                files, "probe.sst", new SstReaderContext(cache, accountant))) {
            BytesView key = BytesView.of("key000007");
            int found = reader.get(Hash64.hash(key), key, SequenceNumbers.MAX, lookup);
            check(found == SstReader.FOUND, "sst get");
            check(lookup.value().contentEquals(BytesView.of("value7")), "sst value");
        }
        files.delete("probe.sst");
    }

    private static void store(String directory) throws IOException {
        LocalFileSystem files = new LocalFileSystem(directory);
        byte[] key = "key".getBytes(StandardCharsets.UTF_8);
        byte[] value = "value".getBytes(StandardCharsets.UTF_8);
        try (LsmStore store = LsmStore.open(files.directory("store"), StoreOptions.defaults())) {
            store.put(key, value);
        }
        try (LsmStore store = LsmStore.open(files.directory("store"), StoreOptions.defaults())) {
            check(Arrays.equals(store.get(key), value), "store get");
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("the probe failed: " + what);
        }
    }
}
