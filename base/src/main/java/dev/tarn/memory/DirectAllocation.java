package dev.tarn.memory;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Zeroed memory outside the heap that is freed at once, by the means that this JVM has.
 *
 * <p>From Java 22 on it comes from a shared {@code java.lang.foreign.Arena}: no warning, no use
 * after free (that throws), and the JVM's limit for direct buffers does not count it. Before, it is
 * a direct buffer whose cleaner {@code sun.misc.Unsafe} calls. Both are reached by method handles,
 * since neither type can be named by code that compiles for 17 without warnings.
 *
 * <p>Owner: whoever allocated frees, once.
 */
abstract class DirectAllocation {
    private static final boolean HAS_ARENA = Runtime.version().feature() >= 22;

    private DirectAllocation() {}

    /** Returns memory whose first byte has an address that is a multiple of {@code alignment}. */
    static DirectAllocation allocate(int capacity, int alignment) {
        return HAS_ARENA
                ? new OfArena(capacity, alignment)
                : new OfDirectBuffer(capacity, alignment);
    }

    /** The bytes: those asked for and no more. */
    abstract ByteBuffer bytes();

    /**
     * Frees the bytes.
     *
     * @throws IllegalStateException if an I/O call is using them; nothing is freed then
     */
    abstract void free();

    private static RuntimeException undeclared(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof RuntimeException exception
                ? exception
                : new IllegalStateException("no checked exception is declared", thrown);
    }

    private static final class OfArena extends DirectAllocation {
        private static final MethodHandle OF_SHARED;
        private static final MethodHandle ALLOCATE;
        private static final MethodHandle AS_BYTE_BUFFER;
        private static final MethodHandle CLOSE;

        static {
            try {
                Class<?> arena = Class.forName("java.lang.foreign.Arena");
                Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
                MethodHandles.Lookup lookup = MethodHandles.publicLookup();
                OF_SHARED =
                        lookup.findStatic(arena, "ofShared", MethodType.methodType(arena))
                                .asType(MethodType.methodType(Object.class));
                ALLOCATE =
                        lookup.findVirtual(
                                        arena,
                                        "allocate",
                                        MethodType.methodType(segment, long.class, long.class))
                                .asType(
                                        MethodType.methodType(
                                                Object.class,
                                                Object.class,
                                                long.class,
                                                long.class));
                AS_BYTE_BUFFER =
                        lookup.findVirtual(
                                        segment,
                                        "asByteBuffer",
                                        MethodType.methodType(ByteBuffer.class))
                                .asType(MethodType.methodType(ByteBuffer.class, Object.class));
                CLOSE =
                        lookup.findVirtual(arena, "close", MethodType.methodType(void.class))
                                .asType(MethodType.methodType(void.class, Object.class));
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final Object arena;
        private final ByteBuffer bytes;

        OfArena(int capacity, int alignment) {
            Object created = null;
            try {
                created = OF_SHARED.invokeExact();
                Object segment = ALLOCATE.invokeExact(created, (long) capacity, (long) alignment);
                arena = created;
                bytes = (ByteBuffer) AS_BYTE_BUFFER.invokeExact(segment);
            } catch (Throwable e) {
                if (created != null) {
                    close(created);
                }
                throw undeclared(e);
            }
        }

        @Override
        ByteBuffer bytes() {
            return bytes;
        }

        @Override
        void free() {
            close(arena);
        }

        private static void close(Object arena) {
            try {
                CLOSE.invokeExact(arena);
            } catch (Throwable e) {
                throw undeclared(e);
            }
        }
    }

    private static final class OfDirectBuffer extends DirectAllocation {
        /** {@code sun.misc.Unsafe.invokeCleaner}; null where it is gone, and the GC frees. */
        private static final @Nullable MethodHandle INVOKE_CLEANER = findInvokeCleaner();

        private final ByteBuffer allocated;
        private final ByteBuffer bytes;

        OfDirectBuffer(int capacity, int alignment) {
            // malloc aligns to 16, which the class library does not promise.
            allocated =
                    ByteBuffer.allocateDirect(
                            alignment <= 1 ? capacity : Math.addExact(capacity, alignment - 1));
            // Not alignedSlice: it cuts the end, too, down to a multiple of the alignment.
            int misalignment = allocated.alignmentOffset(0, alignment);
            bytes = allocated.slice(misalignment == 0 ? 0 : alignment - misalignment, capacity);
        }

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

        @Override
        ByteBuffer bytes() {
            return bytes;
        }

        @Override
        void free() {
            if (INVOKE_CLEANER == null) {
                return;
            }
            try {
                INVOKE_CLEANER.invokeExact(allocated);
            } catch (Throwable e) {
                throw undeclared(e);
            }
        }
    }
}
