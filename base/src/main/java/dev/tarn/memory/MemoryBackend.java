package dev.tarn.memory;

import org.agrona.concurrent.UnsafeBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ways to reach off-heap memory, of which one is chosen when {@link OffHeapMemory} is first
 * used and stays for the life of the JVM: with a single implementation loaded, the JIT inlines it.
 */
public enum MemoryBackend {
    /** VarHandle views of direct byte buffers: works on every JDK from 17 on without any flag. */
    VARHANDLE,
    /** Agrona's {@code UnsafeBuffer}: needs {@code jdk.internal.misc} exported to it. */
    AGRONA;

    /** The flag that makes {@link #AGRONA} available on a plain class path. */
    public static final String AGRONA_FLAG =
            "--add-exports java.base/jdk.internal.misc=ALL-UNNAMED";

    /** The backend in use and the reason it was chosen. */
    public record Choice(MemoryBackend backend, String reason) {}

    /** Returns the backend in use on this JVM, choosing it if nothing has touched memory yet. */
    public static Choice active() {
        return Holder.CHOICE;
    }

    private static Choice choose() {
        boolean exported =
                Object.class
                        .getModule()
                        .isExported("jdk.internal.misc", UnsafeBuffer.class.getModule());
        boolean littleEndian = java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN;
        switch (Diagnostics.MEMORY_BACKEND) {
            case "auto":
                break;
            case "varhandle":
                return new Choice(VARHANDLE, "forced by -Ddev.tarn.memory.backend");
            case "agrona":
                if (!exported || !littleEndian) {
                    throw new IllegalStateException(
                            "memory backend agrona is not available: exported="
                                    + exported
                                    + " littleEndian="
                                    + littleEndian
                                    + "; start the JVM with "
                                    + AGRONA_FLAG
                                    + " or drop -Ddev.tarn.memory.backend");
                }
                return new Choice(AGRONA, "forced by -Ddev.tarn.memory.backend");
            default:
                throw new IllegalStateException(
                        "dev.tarn.memory.backend must be auto, varhandle or agrona: value="
                                + Diagnostics.MEMORY_BACKEND);
        }
        if (!littleEndian) {
            return new Choice(VARHANDLE, "the machine is big-endian");
        }
        return exported
                ? new Choice(AGRONA, "jdk.internal.misc is exported")
                : new Choice(VARHANDLE, "jdk.internal.misc is not exported");
    }

    private static final class Holder {
        static final Choice CHOICE = announce(choose());

        private static Choice announce(Choice choice) {
            Logger logger = LoggerFactory.getLogger(MemoryBackend.class);
            logger.info("memory backend: {} ({})", choice.backend(), choice.reason());
            return choice;
        }
    }
}
