/** Internal: no compatibility promise. Snapshots, manifests, commit messages, retention. */
@NullMarked
package dev.tarn.table.commit;

import org.jspecify.annotations.NullMarked;
