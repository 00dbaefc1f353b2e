package dev.tarn.codec;

import dev.tarn.memory.OffHeapMemory;
import java.nio.charset.StandardCharsets;

/**
 * Java text to and from UTF-8 bytes off-heap; writing allocates nothing.
 *
 * <p>An unpaired surrogate is written as {@code ?}, as {@link String#getBytes} does. Reading
 * replaces malformed bytes by U+FFFD.
 *
 * <p>Threads: stateless. Units: lengths in bytes.
 */
public final class Utf8 {
    private Utf8() {}

    /** Returns how many bytes {@link #put} writes; more than an {@code int} for long texts. */
    public static long length(CharSequence text) {
        return length(text, text.length());
    }

    /** As {@link #length(CharSequence)}, for the first {@code charCount} chars. */
    public static long length(CharSequence text, int charCount) {
        long length = charCount;
        for (int i = 0; i < charCount; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                continue;
            }
            if (c < 0x800) {
                length++;
            } else if (!Character.isSurrogate(c)) {
                length += 2;
            } else if (isPair(text, i, charCount)) {
                // Two chars make four bytes.
                length += 2;
                i++;
            }
        }
        return length;
    }

    /** Writes the text and returns the offset behind it. */
    public static int put(OffHeapMemory memory, int offset, CharSequence text) {
        return put(memory, offset, text, text.length());
    }

    /** Writes the first {@code charCount} chars and returns the offset behind them. */
    public static int put(OffHeapMemory memory, int offset, CharSequence text, int charCount) {
        for (int i = 0; i < charCount; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                memory.putByte(offset++, (byte) c);
            } else if (c < 0x800) {
                memory.putByte(offset++, (byte) (0xc0 | c >>> 6));
                memory.putByte(offset++, continuation(c));
            } else if (!Character.isSurrogate(c)) {
                memory.putByte(offset++, (byte) (0xe0 | c >>> 12));
                memory.putByte(offset++, continuation(c >>> 6));
                memory.putByte(offset++, continuation(c));
            } else if (isPair(text, i, charCount)) {
                int codePoint = Character.toCodePoint(c, text.charAt(++i));
                memory.putByte(offset++, (byte) (0xf0 | codePoint >>> 18));
                memory.putByte(offset++, continuation(codePoint >>> 12));
                memory.putByte(offset++, continuation(codePoint >>> 6));
                memory.putByte(offset++, continuation(codePoint));
            } else {
                memory.putByte(offset++, (byte) '?');
            }
        }
        return offset;
    }

    /** Returns a range as text. */
    public static String get(OffHeapMemory memory, int offset, int length) {
        byte[] bytes = new byte[length];
        memory.getBytes(offset, bytes, 0, length);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Returns the number of characters (code points) of a range: its bytes that begin one. */
    public static int characterCount(OffHeapMemory memory, int offset, int length) {
        int count = 0;
        for (int i = 0; i < length; i++) {
            if ((memory.getByte(offset + i) & 0xc0) != 0x80) {
                count++;
            }
        }
        return count;
    }

    private static byte continuation(int bits) {
        return (byte) (0x80 | (bits & 0x3f));
    }

    private static boolean isPair(CharSequence text, int index, int charCount) {
        return Character.isHighSurrogate(text.charAt(index))
                && index + 1 < charCount
                && Character.isLowSurrogate(text.charAt(index + 1));
    }
}
