/** Internal: no compatibility promise. {@code schema/schema-N}, and how a schema may change. */
@NullMarked
package dev.tarn.table.schema;

import org.jspecify.annotations.NullMarked;
