/**
 * Internal: no compatibility promise. The options of a table, their defaults and their rules.
 *
 * <p>Reading order: {@link dev.tarn.table.options.TableOptions}.
 *
 * <p>Everything here is immutable.
 */
@NullMarked
package dev.tarn.table.options;

import org.jspecify.annotations.NullMarked;
