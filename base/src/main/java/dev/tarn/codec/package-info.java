/**
 * Byte encodings: order-preserving keys, numbers of variable length, the frozen hash, checksums.
 *
 * <p>Reading order: {@link dev.tarn.codec.KeyEncoder} and {@link dev.tarn.codec.KeyDecoder}, {@link
 * dev.tarn.codec.Hash64}, {@link dev.tarn.codec.Crc32c}, {@link dev.tarn.codec.Varint}, {@link
 * dev.tarn.codec.ValueKind}, {@link dev.tarn.codec.SequenceNumbers}.
 *
 * <p>Everything here is stateless or belongs to one thread. What is encoded here is on disk: a
 * change is a new format version; docs/formats/key.md and hash.md define it. Files, blocks and rows
 * do not belong here.
 */
@NullMarked
package dev.tarn.codec;

import org.jspecify.annotations.NullMarked;
