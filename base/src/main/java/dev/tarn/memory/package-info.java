/**
 * Off-heap memory: access, ownership and accounting.
 *
 * <p>Reading order: {@link dev.tarn.memory.OffHeapMemory} (access), {@link
 * dev.tarn.memory.BytesView} (a range of it), {@link dev.tarn.memory.MemoryRegion} (who owns it),
 * {@link dev.tarn.memory.RegionPool} (recycling), {@link dev.tarn.memory.MemoryAccountant} (the
 * budget), {@link dev.tarn.memory.MemoryBackend} (how it is reached on this JVM).
 *
 * <p>Memory is shared by threads as its owner says; regions are closed exactly once by whoever
 * allocated them. Byte formats, keys and files do not belong here: see {@code dev.tarn.codec} and
 * {@code dev.tarn.io}.
 */
@NullMarked
package dev.tarn.memory;

import org.jspecify.annotations.NullMarked;
