package dev.tarn.testing;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Holds calls of a {@link FaultyFileSystem} back until it is opened, as a slow or hanging device
 * does: interrupts do not get through.
 *
 * <p>Threads: any.
 */
public final class FileGate implements FileFault {
    /** Far beyond what a healthy test needs; only turns a deadlock into a failure. */
    private static final long WAIT_SECONDS_MAX = 120;

    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    @Override
    public void strike(FileCall call) {
        arrived.countDown();
        await(opened, "gate was never opened");
    }

    /** Waits until a call is held back. */
    public void awaitArrival() {
        await(arrived, "no call arrived at the gate");
    }

    /** Lets the calls pass that wait, and all later ones. */
    public void open() {
        opened.countDown();
    }

    private static void await(CountDownLatch latch, String failure) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (!latch.await(WAIT_SECONDS_MAX, TimeUnit.SECONDS)) {
                        throw new AssertionError(failure);
                    }
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
