package dev.tarn.type;

import org.jspecify.annotations.Nullable;

/**
 * A column of a schema.
 *
 * @param id names the column in stored rows; it outlives renames and is never given away again
 * @param name what users call it
 * @param defaultValue what a row that was written before the column existed reads as, in the Java
 *     class of {@code dev.tarn.row.Row}; null for NULL
 */
public record Field(int id, String name, DataType type, @Nullable Object defaultValue) {
    /** Checks the name. */
    public Field {
        if (id < 0) {
            throw new IllegalArgumentException("field id must not be negative: id=" + id);
        }
        checkName(name);
    }

    Field withName(String newName) {
        return new Field(id, newName, type, defaultValue);
    }

    Field withType(DataType newType) {
        return new Field(id, name, newType, defaultValue);
    }

    static void checkName(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("a field's name is blank");
        }
    }

    /** Returns the name as SQL text: in backquotes unless it is a plain word. */
    static String quoted(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (!isPlainNamePart(name.charAt(i), i > 0)) {
                return "`" + name.replace("`", "``") + "`";
            }
        }
        return name;
    }

    static boolean isPlainNamePart(char c, boolean digitsToo) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || c == '_'
                || (digitsToo && ((c >= '0' && c <= '9') || c == '$'));
    }

    @Override
    public String toString() {
        return quoted(name) + " " + type;
    }
}
