/**
 * Options as text: sizes and durations in Paimon's syntax, and maps of {@code key=value}.
 *
 * <p>Reading order: {@link dev.tarn.engine.config.MemorySizes}, {@link
 * dev.tarn.engine.config.Durations}, {@link dev.tarn.engine.config.OptionReader}.
 *
 * <p>Stateless, or of one thread. What the options mean does not belong here.
 */
@NullMarked
package dev.tarn.engine.config;

import org.jspecify.annotations.NullMarked;
