package dev.tarn.engine.internal.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ReadEpochsTest {
    private final ReadEpochs epochs = new ReadEpochs();

    @Test
    void releasesAtOnceWhenNobodyReads() {
        AtomicInteger released = new AtomicInteger();
        epochs.pin().enter();
        epochs.pin().leave();
        epochs.retire(released::incrementAndGet);
        assertThat(released).hasValue(1);
    }

    @Test
    void keepsWhatAPinMaySeeUntilItLeaves() {
        AtomicInteger released = new AtomicInteger();
        epochs.pin().enter();
        epochs.pin().enter();
        epochs.retire(released::incrementAndGet);
        epochs.pin().leave();
        assertThat(epochs.releaseUnread()).as("waiting while nested").isEqualTo(1);
        assertThat(released).hasValue(0);
        epochs.pin().leave();
        assertThat(epochs.releaseUnread()).isZero();
        assertThat(released).hasValue(1);
    }

    @Test
    void pinThatCameLaterDoesNotKeepWhatWasRetiredBefore() throws InterruptedException {
        AtomicInteger released = new AtomicInteger();
        epochs.pin().enter();
        epochs.retire(released::incrementAndGet);
        Thread later =
                new Thread(
                        () -> {
                            epochs.pin().enter();
                            // Left pinned on purpose: a thread that died reads nothing.
                        });
        later.start();
        later.join();
        epochs.pin().leave();
        epochs.releaseUnread();
        assertThat(released).hasValue(1);
    }

    @Test
    void readersNeverSeeSomethingReleased() throws InterruptedException {
        class Thing {
            volatile boolean released;
        }
        AtomicReference<Thing> current = new AtomicReference<>(new Thing());
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger violations = new AtomicInteger();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread reader =
                    new Thread(
                            () -> {
                                ReadEpochs.Pin pin = epochs.pin();
                                while (!done.get()) {
                                    pin.enter();
                                    Thing thing = Objects.requireNonNull(current.get());
                                    for (int spin = 0; spin < 20; spin++) {
                                        if (thing.released) {
                                            violations.incrementAndGet();
                                        }
                                    }
                                    pin.leave();
                                }
                            });
            readers.add(reader);
            reader.start();
        }
        int replacements = 20_000;
        for (int i = 0; i < replacements; i++) {
            Thing old = Objects.requireNonNull(current.getAndSet(new Thing()));
            epochs.retire(() -> old.released = true);
        }
        done.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(violations).hasValue(0);
        assertThat(epochs.releaseUnread()).isZero();
    }
}
