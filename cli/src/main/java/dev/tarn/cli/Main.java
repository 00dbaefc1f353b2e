package dev.tarn.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/**
 * The {@code tarn} program: finds the command, runs it, and turns every failure into one line on
 * standard error and an {@link ExitStatus}.
 */
@Command(
        name = "tarn",
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Main.Version.class,
        description = "Embeddable off-heap LSM storage engine for the JVM.",
        footer = {
            "",
            "Exit status: 0 done, 1 the answer is no, 2 usage, 3 I/O or data error.",
            "Data goes to standard output, errors to standard error, one line each."
        },
        subcommands = {DemoCommand.class, EnvironmentCommand.class, WalCommand.class})
public final class Main extends TarnCommand {
    @Option(names = "--version", versionHelp = true, description = "Print the version and exit.")
    @SuppressWarnings("UnusedVariable") // picocli itself acts on it
    private boolean versionRequested;

    @Option(
            names = "--stacktrace",
            scope = ScopeType.INHERIT,
            description = "After the line of an error, print where it came from.")
    private boolean stackTraceWanted;

    /** Runs the program and ends the JVM. */
    public static void main(String[] arguments) {
        PrintWriter errors = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int status = run(arguments, StandardOutput.open(), errors);
        errors.flush();
        System.exit(status);
    }

    /** Runs the program and returns its {@link ExitStatus}. */
    static int run(String[] arguments, PrintWriter out, PrintWriter errors) {
        Main main = new Main();
        CommandLine commandLine = new CommandLine(main);
        commandLine.setOut(out);
        commandLine.setErr(errors);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setExecutionStrategy(Main::runLast);
        commandLine.setParameterExceptionHandler(
                (exception, ignored) -> reportUsage(exception, errors));
        commandLine.setExecutionExceptionHandler(
                (exception, ignored, alsoIgnored) -> main.report(exception, errors));
        try {
            int status = commandLine.execute(arguments);
            out.flush();
            return status;
        } catch (Exception | Error e) {
            // An Error that left the JVM by itself would end it with the status that means "no".
            return main.report(e, errors);
        }
    }

    /** Picocli handles failures of a command, but not those of printing help or the version. */
    private static int runLast(ParseResult parseResult) {
        try {
            return new CommandLine.RunLast().execute(parseResult);
        } catch (StandardOutput.FailedException e) {
            throw new ExecutionException(
                    parseResult.commandSpec().commandLine(), ErrorLine.of(e), e);
        }
    }

    @Override
    public Integer call() {
        throw usageError("a command is missing");
    }

    private static int reportUsage(ParameterException exception, PrintWriter errors) {
        String help = exception.getCommandLine().getCommandSpec().qualifiedName() + " --help";
        errors.println(ErrorLine.of(exception.getMessage() + " (see " + help + ")"));
        return ExitStatus.USAGE;
    }

    private int report(Throwable exception, PrintWriter errors) {
        if (exception instanceof StandardOutput.FailedException failed && failed.isBrokenPipe()) {
            return ExitStatus.OK;
        }
        errors.println(ErrorLine.of(exception));
        if (stackTraceWanted) {
            exception.printStackTrace(errors);
        }
        return ExitStatus.FAILURE;
    }

    /** The version that the build wrote into the manifest. */
    static final class Version implements IVersionProvider {
        /** Returns the version, or {@code unpackaged} when the classes are not in their jar. */
        static String number() {
            String version = Main.class.getPackage().getImplementationVersion();
            return version == null ? "unpackaged" : version;
        }

        @Override
        public String[] getVersion() {
            return new String[] {"tarn " + number()};
        }
    }
}
