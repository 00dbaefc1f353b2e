package dev.tarn.memory;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Allocation of direct byte buffers, and their deterministic freeing where the JVM offers it. */
final class DirectBuffers {
    /** {@code sun.misc.Unsafe.invokeCleaner}, or null where it is gone: then the GC frees. */
    private static final @Nullable MethodHandle INVOKE_CLEANER = findInvokeCleaner();

    private DirectBuffers() {}

    static ByteBuffer allocate(int capacity, int alignment) {
        // A page more only when the alignment needs it: direct buffers are 16-aligned by malloc.
        return alignment <= 1
                ? ByteBuffer.allocateDirect(capacity)
                : ByteBuffer.allocateDirect(Math.addExact(capacity, alignment));
    }

    static ByteBuffer align(ByteBuffer allocated, int capacity, int alignment) {
        if (alignment <= 1) {
            return allocated;
        }
        // Not alignedSlice: it cuts the end, too, down to a multiple of the alignment.
        int misalignment = allocated.alignmentOffset(0, alignment);
        return allocated.slice(misalignment == 0 ? 0 : alignment - misalignment, capacity);
    }

    /** Frees a buffer made by {@link #allocate}; without a cleaner the GC does so later. */
    static void free(ByteBuffer allocated) {
        if (INVOKE_CLEANER == null) {
            return;
        }
        try {
            INVOKE_CLEANER.invokeExact(allocated);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("invokeCleaner declares no checked exception", e);
        }
    }

    /** Reached by reflection, so that no compiler warns of a type that is on its way out. */
    private static @Nullable MethodHandle findInvokeCleaner() {
        try {
            Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
            Field field = unsafeClass.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return MethodHandles.lookup()
                    .findVirtual(
                            unsafeClass,
                            "invokeCleaner",
                            MethodType.methodType(void.class, ByteBuffer.class))
                    .bindTo(field.get(null));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
