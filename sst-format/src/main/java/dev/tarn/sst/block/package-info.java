/**
 * Internal: no compatibility promise. The blocks that an SST file consists of: their bytes, how
 * they are built, compressed, checked and searched.
 *
 * <p>Reading order: {@link dev.tarn.sst.block.RawBlockLayout}, {@link
 * dev.tarn.sst.block.BlockBuilder} and {@link dev.tarn.sst.block.BlockReader} (data blocks), {@link
 * dev.tarn.sst.block.BlockHeaderLayout} and {@link dev.tarn.sst.block.BlockCodec} (how any block is
 * stored), {@link dev.tarn.sst.block.IndexBlockLayout} and {@link dev.tarn.sst.block.IndexBlock}
 * (index partitions), {@link dev.tarn.sst.block.FooterLayout}.
 *
 * <p>Readers here are static functions over memory that somebody else owns; builders belong to one
 * thread. Files and caching do not belong here.
 */
@NullMarked
package dev.tarn.sst.block;

import org.jspecify.annotations.NullMarked;
