package dev.tarn.engine.internal.iterator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MergingIteratorTest {
    @Test
    void steadyStateAllocatesNothing() throws IOException {
        // Both single entries in turn and long streaks.
        MergingIterator merged = new MergingIterator(List.of(numbers(0, 3), numbers(1, 3), run()));
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long entries = 0;
        long allocatedBytes = Long.MAX_VALUE;
        // The first rounds load classes and compile; what is allocated later is per entry.
        for (int round = 0; round < 20 && allocatedBytes > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            entries += scan(merged);
            allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(entries).isPositive();
        assertThat(allocatedBytes).as("bytes allocated by a scan there and back").isZero();
    }

    private static long scan(MergingIterator merged) throws IOException {
        long entries = 0;
        for (boolean found = merged.seekToFirst(); found; found = merged.next()) {
            entries++;
        }
        for (boolean found = merged.seekToLast(); found; found = merged.previous()) {
            entries++;
        }
        return entries;
    }

    @Test
    void failureToCloseOneClosesTheOthers() {
        ListEntryIterator first = numbers(0, 1);
        ListEntryIterator last = numbers(0, 1);
        EntryIterator failing = new FailingIterator();
        MergingIterator merged = new MergingIterator(List.of(first, failing, last));
        assertThatThrownBy(merged::close).isInstanceOf(IOException.class).hasMessage("broken");
        assertThat(first.isClosed()).isTrue();
        assertThat(last.isClosed()).isTrue();
    }

    @Test
    void failureToMoveReachesTheCaller() {
        MergingIterator merged = new MergingIterator(List.of(numbers(0, 1), new FailingIterator()));
        assertThatThrownBy(merged::seekToFirst).isInstanceOf(IOException.class);
    }

    private static ListEntryIterator numbers(int start, int step) {
        List<TestEntry> entries = new ArrayList<>();
        for (int i = start; i < 3000; i += step) {
            byte[] key = ByteBuffer.allocate(8).putInt(i % 2).putInt(i).array();
            entries.add(new TestEntry(key, 1, new byte[10], 0));
        }
        entries.sort(TestEntry.ORDER);
        return new ListEntryIterator(entries);
    }

    private static ListEntryIterator run() {
        List<TestEntry> entries = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            byte[] key = ByteBuffer.allocate(12).putInt(0).putInt(1500).putInt(i).array();
            entries.add(new TestEntry(key, 1, new byte[10], 0));
        }
        return new ListEntryIterator(entries);
    }

    private static final class FailingIterator extends EntryIterator {
        @Override
        public boolean seekToFirst() throws IOException {
            throw new IOException("broken");
        }

        @Override
        public boolean seekToLast() throws IOException {
            throw new IOException("broken");
        }

        @Override
        public boolean seek(dev.tarn.memory.OffHeapMemory memory, int offset, int length)
                throws IOException {
            throw new IOException("broken");
        }

        @Override
        public boolean seekForPrevious(dev.tarn.memory.OffHeapMemory memory, int offset, int length)
                throws IOException {
            throw new IOException("broken");
        }

        @Override
        public boolean next() throws IOException {
            throw new IOException("broken");
        }

        @Override
        public boolean previous() throws IOException {
            throw new IOException("broken");
        }

        @Override
        public void close() throws IOException {
            throw new IOException("broken");
        }
    }
}
