package dev.tarn.type;

/** Thrown when a text is not a type; the message shows the text and where it went wrong. */
public final class DataTypeParseException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final int position;

    DataTypeParseException(String problem, String text, int position) {
        super("cannot read type: " + problem + ": position=" + position + " text=" + text);
        this.position = position;
    }

    /** Returns the index of the character that the parser stopped at. */
    public int position() {
        return position;
    }
}
