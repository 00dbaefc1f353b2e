package dev.tarn.engine;

import dev.tarn.codec.Hash64;
import dev.tarn.engine.internal.read.ReadContext;
import dev.tarn.memory.BytesView;
import dev.tarn.memory.ClosedException;
import java.io.IOException;

/**
 * Many point lookups in one state of the store, without copying values to the heap.
 *
 * <p>Owner: the caller closes it, once, on the thread that opened it. While it is open, the memory
 * and files of its state stay, so keep it short.
 *
 * <p>Lifetime: a value is valid until the next lookup or the close.
 *
 * <p>Threads: belongs to the thread that opened it.
 */
public final class ReadSession implements AutoCloseable {
    private final StoreReader reader;
    private final ReadContext context;
    private final StoreView view;
    private final long sequenceNumber;
    private boolean closed;

    ReadSession(StoreReader reader, ReadContext context, StoreView view, long sequenceNumber) {
        this.reader = reader;
        this.context = context;
        this.view = view;
        this.sequenceNumber = sequenceNumber;
    }

    /**
     * Looks a key up.
     *
     * @param value pointed at the value; left alone if there is none
     * @return whether the key has a value
     */
    public boolean get(BytesView key, BytesView value) throws IOException {
        return get(Hash64.hash(key), key, value);
    }

    /** As the other {@code get}, for a key whose {@link Hash64} is known. */
    public boolean get(long hash, BytesView key, BytesView value) throws IOException {
        if (closed) {
            throw new ClosedException("read session is closed");
        }
        boolean found = reader.get(view, context, hash, key, sequenceNumber);
        if (found) {
            value.wrap(context.value());
        }
        return found;
    }

    @Override
    public void close() {
        if (closed) {
            throw new ClosedException("read session closed twice");
        }
        closed = true;
        context.pin().leave();
    }
}
