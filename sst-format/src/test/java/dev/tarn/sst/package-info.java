/** Tests of SST files. */
@NullMarked
package dev.tarn.sst;

import org.jspecify.annotations.NullMarked;
