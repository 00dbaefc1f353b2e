/**
 * Internal: no compatibility promise. How reads pin what they look at.
 *
 * <p>Reading order: {@link dev.tarn.engine.internal.read.ReadEpochs}. The protocol is in
 * docs/concurrency/reclamation.md.
 */
@NullMarked
package dev.tarn.engine.internal.read;

import org.jspecify.annotations.NullMarked;
