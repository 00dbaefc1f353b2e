/**
 * The {@code tarn} command: arguments in, data on standard output, one line per error on standard
 * error, and an exit status that scripts rely on.
 *
 * <p>Reading order: {@link dev.tarn.cli.Main}, {@link dev.tarn.cli.TarnCommand}, {@link
 * dev.tarn.cli.ExitStatus}, {@link dev.tarn.cli.StandardOutput}, {@link
 * dev.tarn.cli.EnvironmentCommand}, {@link dev.tarn.cli.DemoCommand}.
 *
 * <p>A command object is made for one call and belongs to one thread. What a table or a file means
 * does not belong here: a command translates, the engine works.
 */
@NullMarked
package dev.tarn.cli;

import org.jspecify.annotations.NullMarked;
