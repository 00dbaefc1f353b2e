package dev.tarn.cli;

import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what Tarn runs on: the first thing to send with a report of a fault or of slowness. */
@Command(
        name = "env",
        description = {
            "Show what Tarn runs on: JVM, memory backend, machine, and the file system of a"
                    + " directory. Send it with every report of a fault.",
            "",
            "Lines of 'key: value'; a person's reading of a number follows it in parentheses."
        })
final class EnvironmentCommand extends TarnCommand {
    @Parameters(
            arity = "0..1",
            paramLabel = "DIR",
            defaultValue = ".",
            description = "Directory that tables would live in (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // filled in by picocli, which has a default
    private Path directory;

    @Option(names = "--json", description = "Print one JSON object instead.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        FactSheet facts = new FactSheet();
        facts.add("tarn", Main.Version.number());
        JvmFacts.addTo(facts);
        MachineFacts.addTo(facts);
        DirectoryFacts.addTo(facts, directory);
        if (json) {
            facts.printJson(out());
        } else {
            facts.printText(out());
        }
        return ExitStatus.OK;
    }
}
