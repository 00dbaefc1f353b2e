package dev.tarn.testing;

/**
 * One call of a {@link FaultyFileSystem}, as rules and traces see it.
 *
 * @param index counts all calls from 0
 * @param change counts the calls that change files, directories or what is durable, from 0; -1 for
 *     others
 * @param operation what is done
 * @param name of the file or directory, from the root of the whole file system
 * @param target second name of a link or rename, else empty
 * @param position of a read or write, else 0
 * @param length of a read or write, else 0
 */
public record FileCall(
        long index,
        long change,
        Operation operation,
        String name,
        String target,
        long position,
        int length) {

    /** What a call does. */
    public enum Operation {
        OPEN(false),
        CREATE(true),
        OPEN_FOR_APPEND(false),
        LINK(true),
        RENAME(true),
        DELETE(true),
        LIST(false),
        EXISTS(false),
        IS_DIRECTORY(false),
        SIZE(false),
        CREATE_DIRECTORIES(true),
        SYNC_DIRECTORY(true),
        LOCK(true),
        USABLE_SPACE(false),
        READ(false),
        WRITE(true),
        SYNC(true),
        CLOSE(false);

        private final boolean changes;

        Operation(boolean changes) {
            this.changes = changes;
        }

        boolean changes() {
            return changes;
        }
    }

    /** Returns whether this is the given operation on a file of the given name's ending. */
    public boolean is(Operation wanted, String nameEnd) {
        return operation == wanted && (name.endsWith(nameEnd) || target.endsWith(nameEnd));
    }
}
