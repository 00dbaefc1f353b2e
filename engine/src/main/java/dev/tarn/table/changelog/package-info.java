/**
 * Internal: no compatibility promise. Changelog files: written at a flush, netted at a commit,
 * read.
 */
@NullMarked
package dev.tarn.table.changelog;

import org.jspecify.annotations.NullMarked;
