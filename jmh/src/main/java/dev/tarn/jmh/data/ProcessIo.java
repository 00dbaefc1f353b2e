package dev.tarn.jmh.data;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What this process has read so far, as Linux counts it in {@code /proc/self/io}.
 *
 * @param readCalls read system calls, those that the page cache answers included
 * @param deviceBytes fetched from the device, page faults of memory maps included
 */
public record ProcessIo(long readCalls, long deviceBytes) {
    private static final Path COUNTERS = Path.of("/proc/self/io");
    private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");

    /** Reads the counters. */
    public static ProcessIo now() throws IOException {
        long readCalls = -1;
        long deviceBytes = -1;
        for (String line : Files.readAllLines(COUNTERS, StandardCharsets.US_ASCII)) {
            if (line.startsWith("syscr: ")) {
                readCalls = Long.parseLong(line.substring(7));
            } else if (line.startsWith("read_bytes: ")) {
                deviceBytes = Long.parseLong(line.substring(12));
            }
        }
        if (readCalls < 0 || deviceBytes < 0) {
            throw new IOException("/proc/self/io lacks syscr or read_bytes");
        }
        return new ProcessIo(readCalls, deviceBytes);
    }

    /**
     * Returns what was read since, less what reading the counters itself takes: twice, once at
     * either end, of which the first falls before the interval.
     */
    public ProcessIo since(ProcessIo start, ProcessIo cost) {
        return new ProcessIo(
                readCalls - start.readCalls - cost.readCalls,
                deviceBytes - start.deviceBytes - cost.deviceBytes);
    }

    /** Drops clean pages from the page cache of the machine; returns whether that was allowed. */
    public static boolean dropPageCache() {
        try {
            new ProcessBuilder("sync").inheritIO().start().waitFor();
            Files.writeString(DROP_CACHES, "1");
            return true;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
