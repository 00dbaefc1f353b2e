/**
 * Typed tables with a primary key: schema, merge engines, changelogs, commits.
 *
 * <p>Reading order: {@link dev.tarn.table.TableSchema}; docs/tables.md has the picture.
 *
 * <p>Public types here are the API; the packages below are internal.
 */
@NullMarked
package dev.tarn.table;

import org.jspecify.annotations.NullMarked;
