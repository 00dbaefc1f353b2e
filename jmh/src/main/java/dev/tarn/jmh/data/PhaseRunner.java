package dev.tarn.jmh.data;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Runs one phase on one or more threads that start together, and measures its wall time and what it
 * allocated on the Java heap.
 *
 * <p>Threads: used by one thread, which also works when it is the only one.
 */
public final class PhaseRunner implements AutoCloseable {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final int threads;
    private final ExecutorService executor;

    public PhaseRunner(int threads) {
        this.threads = threads;
        this.executor = Executors.newFixedThreadPool(threads);
    }

    /** What one thread does in the phase; returns a sum that proves it did. */
    public interface Work {
        long run(int thread) throws Exception;
    }

    /**
     * The outcome of a phase.
     *
     * @param nanos wall time until the last thread was done
     * @param allocatedBytes on the heap, by all threads
     * @param sum of what all threads returned
     */
    public record Outcome(long nanos, long allocatedBytes, long sum) {}

    private record Part(long startNanos, long endNanos, long allocatedBytes, long sum) {}

    /** Runs the work on all threads and waits for them. */
    public Outcome run(Work work) {
        CyclicBarrier start = new CyclicBarrier(threads);
        List<Callable<Part>> parts = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int thread = i;
            parts.add(() -> measure(work, thread, start));
        }
        long startNanos = Long.MAX_VALUE;
        long endNanos = Long.MIN_VALUE;
        long allocatedBytes = 0;
        long sum = 0;
        try {
            for (Future<Part> future : executor.invokeAll(parts)) {
                Part part = future.get();
                startNanos = Math.min(startNanos, part.startNanos());
                endNanos = Math.max(endNanos, part.endNanos());
                allocatedBytes += part.allocatedBytes();
                sum += part.sum();
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("a phase failed", e);
        }
        return new Outcome(endNanos - startNanos, allocatedBytes, sum);
    }

    private static Part measure(Work work, int thread, CyclicBarrier start) throws Exception {
        start.await();
        long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
        long startNanos = System.nanoTime();
        long sum = work.run(thread);
        long endNanos = System.nanoTime();
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
        return new Part(startNanos, endNanos, allocated, sum);
    }

    /** Waits for the threads, whose stacks would keep what they worked on alive. */
    @Override
    public void close() {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("phase threads do not end");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
