package dev.tarn.cli;

import dev.tarn.engine.WalDump;
import dev.tarn.io.LocalFileSystem;
import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Looks at the write-ahead logs of a store. */
@Command(
        name = "wal",
        synopsisSubcommandLabel = "COMMAND",
        description = "Look at the write-ahead logs of a store.",
        subcommands = {WalCommand.DumpCommand.class})
final class WalCommand extends TarnCommand {
    @Override
    public Integer call() {
        throw usageError("a command is missing");
    }

    /** Prints what the logs hold. */
    @Command(
            name = "dump",
            description = {
                "Print the write-ahead logs of a store, one line for each entry, in the order in"
                        + " which an open replays them. Changes nothing.",
                "",
                "Lines of 'log field=value...'; bytes that are not printable are escaped, long keys"
                        + " and values cut."
            })
    static final class DumpCommand extends TarnCommand {
        @Parameters(paramLabel = "DIR", description = "Directory of the store.")
        @SuppressWarnings("NullAway.Init") // filled in by picocli, which requires it
        private Path directory;

        @Override
        public Integer call() throws IOException {
            LocalFileSystem files = new LocalFileSystem(directory.toString());
            WalDump.print(files, MemoryAccountant.unlimited(), line -> out().println(line));
            return ExitStatus.OK;
        }
    }
}
