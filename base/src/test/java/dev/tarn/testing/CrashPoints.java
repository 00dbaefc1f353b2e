package dev.tarn.testing;

import dev.tarn.io.FileSystem;
import dev.tarn.testing.FaultyFileSystem.Crash;

/** Crashes a scenario at each of its changes in turn, in every way, and checks what is left. */
public final class CrashPoints {
    private CrashPoints() {}

    /** What runs until it ends or the file system crashes under it. */
    @FunctionalInterface
    public interface Scenario {
        void run(FileSystem files) throws Exception;
    }

    /** What must hold for the survivors, which are an ordinary file system again. */
    @FunctionalInterface
    public interface Check {
        /**
         * Checks what a crash left.
         *
         * @param completed whether the scenario had ended before the crash
         */
        void run(FaultyFileSystem survivors, boolean completed) throws Exception;
    }

    /**
     * Runs {@code scenario} on an empty file system once for each change that it makes, crashing
     * there, and once to its end, crashing then.
     *
     * <p>A scenario must make the same calls each time: no threads of its own. It closes what it
     * opened outside the file system also when it fails.
     *
     * @param tornCount how many random outcomes to check at each point, besides the certain ones
     * @return how many points there were
     */
    public static long forEach(RandomSource random, int tornCount, Scenario scenario, Check check) {
        for (long change = 0; ; change++) {
            FaultyFileSystem files = new FaultyFileSystem();
            files.crashAtChange(change);
            boolean completed = false;
            try {
                scenario.run(files);
                completed = true;
            } catch (Exception | AssertionError e) {
                if (!files.isCrashed()) {
                    throw failure("scenario failed by itself", change, "none", e);
                }
            }
            boolean last = !files.isCrashed();
            check(files, Crash.PROCESS_KILLED, random, check, change, completed);
            check(files, Crash.UNSYNCED_LOST, random, check, change, completed);
            for (int i = 0; i < tornCount; i++) {
                check(files, Crash.UNSYNCED_TORN, random, check, change, completed);
            }
            if (last) {
                return change + 1;
            }
        }
    }

    private static void check(
            FaultyFileSystem files,
            Crash mode,
            RandomSource random,
            Check check,
            long change,
            boolean completed) {
        RandomSource choice = random.split();
        try {
            check.run(files.crash(mode, choice), completed);
        } catch (Exception | AssertionError e) {
            throw failure("check failed", change, mode + " " + choice, e);
        }
    }

    private static AssertionError failure(String what, long change, String crash, Throwable cause) {
        return new AssertionError(
                what + ": crashAtChange=" + change + " crash=" + crash + ": " + cause.getMessage(),
                cause);
    }
}
