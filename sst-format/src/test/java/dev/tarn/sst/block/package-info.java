/** Tests of blocks. */
@NullMarked
package dev.tarn.sst.block;

import org.jspecify.annotations.NullMarked;
