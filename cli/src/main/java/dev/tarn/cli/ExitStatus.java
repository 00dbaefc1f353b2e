package dev.tarn.cli;

/** The exit statuses of the {@code tarn} command: a contract with scripts. */
final class ExitStatus {
    /** Done, or the answer is yes. */
    static final int OK = 0;

    /** The command ran and its answer is no: a verification found damage, a key is absent. */
    static final int NO = 1;

    /** The arguments make no sense; nothing was done. */
    static final int USAGE = 2;

    /** Reading or writing failed, or the data is not what it should be. */
    static final int FAILURE = 3;

    private ExitStatus() {}
}
