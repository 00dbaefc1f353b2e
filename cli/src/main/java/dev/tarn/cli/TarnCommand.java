package dev.tarn.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * One command of the {@code tarn} program.
 *
 * <p>A subclass declares its options, does its work in {@link #call()}, prints data to {@link
 * #out()} and nothing else anywhere, and returns an {@link ExitStatus}. It reports failure by
 * throwing: {@link Main} prints the line and picks the status.
 */
@Command(
        usageHelpAutoWidth = true,
        abbreviateSynopsis = true,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%nArguments:%n",
        commandListHeading = "%nCommands:%n")
abstract class TarnCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // filled in by picocli before call()
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Print this help and exit.")
    @SuppressWarnings("UnusedVariable") // picocli itself acts on it
    private boolean helpRequested;

    /** Returns where data goes; flushed at the end by {@link Main}. */
    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Tells on standard error, in a line of its own, what a long job is doing. */
    final void progress(String message) {
        PrintWriter errors = spec.commandLine().getErr();
        errors.println(ErrorLine.of(message));
        errors.flush();
    }

    /** Returns the exception for arguments that are well-formed but make no sense together. */
    final ParameterException usageError(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
