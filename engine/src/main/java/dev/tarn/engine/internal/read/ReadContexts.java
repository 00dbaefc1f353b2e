package dev.tarn.engine.internal.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.MemoryAccountant;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The read contexts of all threads that read in one database, and the epochs they share.
 *
 * <p>Owner: owns the contexts; those of threads that have ended are freed when another thread gets
 * one, all others on {@link #close}.
 *
 * <p>Threads: any thread gets its own; close when nobody reads any more.
 */
public final class ReadContexts implements AutoCloseable {
    private record Owned(WeakReference<Thread> owner, ReadContext context) {}

    private final MemoryAccountant accountant;
    private final ReadEpochs epochs = new ReadEpochs();
    private final ThreadLocal<ReadContext> contextOfThread =
            ThreadLocal.withInitial(this::register);

    @GuardedBy("this")
    private final List<Owned> contexts = new ArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    public ReadContexts(MemoryAccountant accountant) {
        this.accountant = accountant;
    }

    /** Returns the calling thread's context. */
    public ReadContext get() {
        return contextOfThread.get();
    }

    public ReadEpochs epochs() {
        return epochs;
    }

    private synchronized ReadContext register() {
        if (closed) {
            throw new ClosedException("store resources are closed");
        }
        for (Iterator<Owned> all = contexts.iterator(); all.hasNext(); ) {
            Owned owned = all.next();
            Thread owner = owned.owner.get();
            if (owner == null || !owner.isAlive()) {
                owned.context.close();
                all.remove();
            }
        }
        ReadContext context = new ReadContext(accountant, epochs.pin());
        contexts.add(new Owned(new WeakReference<>(Thread.currentThread()), context));
        return context;
    }

    @Override
    public synchronized void close() {
        closed = true;
        contexts.forEach(owned -> owned.context.close());
        contexts.clear();
    }
}
