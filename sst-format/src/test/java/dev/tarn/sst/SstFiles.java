package dev.tarn.sst;

import dev.tarn.codec.SequenceNumbers;
import dev.tarn.io.FileSystem;
import dev.tarn.io.ReadableFile;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.MemoryAccountant;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.sst.cache.BlockCache;
import dev.tarn.sst.cache.BlockCacheOptions;
import java.io.IOException;
import java.util.List;

/** What tests do with whole files: their bytes, and everything that can be read from them. */
final class SstFiles {
    private static final int TEXT_LENGTH_MAX = 1 << 20;

    /** More entries than any file of these tests has: a walk that goes on is endless. */
    private static final int ENTRIES_MAX = 1_000_000;

    private SstFiles() {}

    static byte[] bytes(FileSystem fileSystem, String name) throws IOException {
        try (ReadableFile file = fileSystem.open(name)) {
            byte[] bytes = new byte[Math.toIntExact(file.size())];
            java.nio.ByteBuffer direct = java.nio.ByteBuffer.allocateDirect(bytes.length);
            file.read(0, OffHeapMemory.wrap(direct), 0, bytes.length);
            direct.get(bytes);
            return bytes;
        }
    }

    /** Makes a file of these bytes, replacing the old one. */
    static void store(FileSystem fileSystem, String name, byte[] bytes) throws IOException {
        if (fileSystem.exists(name)) {
            fileSystem.delete(name);
        }
        try (WritableFile file = fileSystem.create(name)) {
            java.nio.ByteBuffer direct = java.nio.ByteBuffer.allocateDirect(bytes.length);
            direct.put(0, bytes);
            file.append(OffHeapMemory.wrap(direct), 0, bytes.length);
        }
        // Else a faulty file system keeps every old file, since a crash could bring it back.
        fileSystem.syncDirectory("");
    }

    /** Opens a file with a budget and a small cache of its own and reads all of it in all ways. */
    static String dump(FileSystem fileSystem, String name, List<byte[]> keys, long budgetBytes)
            throws IOException {
        MemoryAccountant accountant = new MemoryAccountant(budgetBytes);
        try (BlockCache cache =
                        new BlockCache(accountant, BlockCacheOptions.builder(200_000).build());
                SstReader reader =
                        SstReader.open(fileSystem, name, new SstReaderContext(cache, accountant))) {
            return dump(reader, keys, accountant);
        }
    }

    private static String dump(SstReader reader, List<byte[]> keys, MemoryAccountant accountant)
            throws IOException {
        StringBuilder text = new StringBuilder();
        text.append(reader.properties()).append('\n');
        for (boolean isScan : new boolean[] {false, true}) {
            try (SstIterator iterator =
                    isScan ? reader.scan(null, null) : reader.iterator(null, null)) {
                int count = 0;
                for (boolean valid = iterator.seekToFirst(); valid; valid = iterator.next()) {
                    append(text, iterator, ++count);
                }
                for (boolean valid = iterator.seekToLast(); valid; valid = iterator.previous()) {
                    append(text, iterator, ++count);
                }
                for (byte[] key : keys) {
                    text.append(iterator.seek(BytesView.of(key)));
                    text.append(iterator.seekForPrevious(BytesView.of(key)));
                }
            }
        }
        try (SstLookup lookup = new SstLookup(accountant);
                SstBatch batch = new SstBatch(accountant, Math.max(1, keys.size()))) {
            for (byte[] key : keys) {
                BytesView view = BytesView.of(key);
                text.append(reader.get(SstModel.hash(key), view, SequenceNumbers.MAX, lookup))
                        .append(reader.blockOf(view, lookup))
                        .append(' ');
                batch.add(SstModel.hash(key), view);
            }
            reader.multiGet(batch, SequenceNumbers.MAX);
            text.append(batch);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, SstIterator iterator, int count) {
        if (count > ENTRIES_MAX) {
            throw new AssertionError("iterator does not end");
        }
        text.append(iterator.key())
                .append('@')
                .append(iterator.trailer())
                .append('=')
                .append(iterator.value())
                .append('#')
                .append(iterator.value().length())
                .append('\n');
        if (text.length() > TEXT_LENGTH_MAX) {
            // A forged file may claim more entries than fit the heap as text.
            int digest = text.toString().hashCode();
            text.setLength(0);
            text.append("digest ").append(digest).append('\n');
        }
    }
}
