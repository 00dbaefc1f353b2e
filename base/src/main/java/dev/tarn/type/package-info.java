/**
 * Column types, their text form, and row schemas with their evolution.
 *
 * <p>Reading order: {@link dev.tarn.type.DataType}, {@link dev.tarn.type.DataTypes} (how to make
 * them), {@link dev.tarn.type.DataTypeParser}, {@link dev.tarn.type.RowSchema} and {@link
 * dev.tarn.type.Field}, {@link dev.tarn.type.TypeWidening}.
 *
 * <p>Everything here is immutable, so any thread may share it; no off-heap memory is touched. How
 * values of a type look in bytes does not belong here: see {@code dev.tarn.codec} for keys
 * (docs/formats/key.md) and {@code dev.tarn.row} for rows (docs/formats/row.md).
 */
@NullMarked
package dev.tarn.type;

import org.jspecify.annotations.NullMarked;
