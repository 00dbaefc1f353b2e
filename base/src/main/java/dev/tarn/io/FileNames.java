package dev.tarn.io;

/**
 * The names that every {@link FileSystem} accepts: parts between {@code /}, none of them empty,
 * {@code .} or {@code ..}; {@code ""} is the root.
 *
 * <p>Threads: stateless.
 */
public final class FileNames {
    private FileNames() {}

    /**
     * Returns the name.
     *
     * @throws IllegalArgumentException if it is no name
     */
    public static String check(String name) {
        if (name.isEmpty()) {
            return name;
        }
        int start = 0;
        while (start <= name.length()) {
            int slash = name.indexOf('/', start);
            int end = slash < 0 ? name.length() : slash;
            if (!isPart(name, start, end)) {
                throw new IllegalArgumentException(
                        "file name must not have an empty, '.' or '..' part: name=" + name);
            }
            start = end + 1;
        }
        if (name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("file name must not have a zero character");
        }
        return name;
    }

    /** Returns the name, which must be one and not that of the root. */
    public static String checkNotRoot(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("the root is no file: name=\"\"");
        }
        return check(name);
    }

    /** Returns the name of the directory that {@code name} is in. */
    public static String parent(String name) {
        int slash = name.lastIndexOf('/');
        return slash < 0 ? "" : name.substring(0, slash);
    }

    /** Returns the last part. */
    public static String last(String name) {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    /** Returns {@code name} as seen from above {@code directory}. */
    public static String join(String directory, String name) {
        if (directory.isEmpty()) {
            return name;
        }
        return name.isEmpty() ? directory : directory + '/' + name;
    }

    private static boolean isPart(String name, int start, int end) {
        int length = end - start;
        return length > 2
                || (length == 2 && !name.startsWith("..", start))
                || (length == 1 && name.charAt(start) != '.');
    }
}
