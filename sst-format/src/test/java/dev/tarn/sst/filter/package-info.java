/** Tests of filters. */
@NullMarked
package dev.tarn.sst.filter;

import org.jspecify.annotations.NullMarked;
