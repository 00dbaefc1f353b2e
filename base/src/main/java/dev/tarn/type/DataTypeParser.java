package dev.tarn.type;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Reads the SQL text of a type, for example {@code DECIMAL(12, 2) NOT NULL} or {@code ARRAY<ROW<a
 * INT, b STRING>>}.
 *
 * <p>Names of types are read in any case; names of members may stand in backquotes. Synonyms:
 * INTEGER, DEC, NUMERIC, DOUBLE PRECISION, {@code TIMESTAMP(p) WITH LOCAL TIME ZONE}, {@code
 * WITHOUT TIME ZONE}, {@code ROW(...)}. Left out, a length is 1, a DECIMAL (10, 0), the precision
 * of TIME 0 and that of timestamps 6, as in Flink.
 *
 * <p>Errors: {@link DataTypeParseException}.
 */
public final class DataTypeParser {
    private static final int DEPTH_MAX = 32;

    private final String text;
    private int position;
    private int depth;

    private DataTypeParser(String text, int position) {
        this.text = text;
        this.position = position;
    }

    /** Reads a text that is one type and nothing else. */
    public static DataType parse(String text) {
        DataTypeParser parser = new DataTypeParser(text, 0);
        DataType type = parser.type();
        parser.skipBlanks();
        if (parser.position < text.length()) {
            throw parser.error("expected the end of the type");
        }
        return type;
    }

    /** A type inside a longer text, and the index of the first character behind it. */
    public record Parsed(DataType type, int end) {}

    /** Reads the type that starts at {@code position} of a longer text, such as a column list. */
    public static Parsed parsePrefix(String text, int position) {
        DataTypeParser parser = new DataTypeParser(text, position);
        DataType type = parser.type();
        return new Parsed(type, parser.position);
    }

    private DataType type() {
        if (++depth > DEPTH_MAX) {
            throw error("types nest deeper than " + DEPTH_MAX);
        }
        skipBlanks();
        int start = position;
        DataType type;
        try {
            type = bare(word("a type"), start);
        } catch (DataTypeParseException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            // The types check their own parameters; here they get a place in the text.
            throw new DataTypeParseException(String.valueOf(e.getMessage()), text, start);
        }
        depth--;
        return type.withNullable(nullability());
    }

    private DataType bare(String name, int start) {
        return switch (name) {
            case "BOOLEAN" -> DataTypes.BOOLEAN;
            case "TINYINT" -> DataTypes.TINYINT;
            case "SMALLINT" -> DataTypes.SMALLINT;
            case "INT", "INTEGER" -> DataTypes.INT;
            case "BIGINT" -> DataTypes.BIGINT;
            case "FLOAT" -> DataTypes.FLOAT;
            case "DOUBLE" -> {
                accept("PRECISION");
                yield DataTypes.DOUBLE;
            }
            case "DATE" -> DataTypes.DATE;
            case "STRING" -> DataTypes.STRING;
            case "BYTES" -> DataTypes.BYTES;
            case "DECIMAL", "DEC", "NUMERIC" -> decimal();
            case "CHAR" -> DataTypes.CHAR(parameter(1));
            case "VARCHAR" -> DataTypes.VARCHAR(parameter(1));
            case "BINARY" -> DataTypes.BINARY(parameter(1));
            case "VARBINARY" -> DataTypes.VARBINARY(parameter(1));
            case "TIME" -> {
                ScalarType type = DataTypes.TIME(parameter(0));
                if (accept("WITHOUT")) {
                    expect("TIME", "ZONE");
                }
                yield type;
            }
            case "TIMESTAMP" -> timestamp();
            case "TIMESTAMP_LTZ" -> DataTypes.TIMESTAMP_LTZ(parameter(6));
            case "ARRAY" -> {
                expect('<');
                DataType element = type();
                expect('>');
                yield DataTypes.ARRAY(element);
            }
            case "MAP" -> {
                expect('<');
                DataType key = type();
                expect(',');
                DataType value = type();
                expect('>');
                yield DataTypes.MAP(key, value);
            }
            case "ROW" -> row();
            default ->
                    throw new DataTypeParseException(
                            "there is no type of this name: name=" + name, text, start);
        };
    }

    private ScalarType decimal() {
        int precision = 10;
        int scale = 0;
        if (accept('(')) {
            precision = number();
            if (accept(',')) {
                scale = number();
            }
            expect(')');
        }
        return DataTypes.DECIMAL(precision, scale);
    }

    private ScalarType timestamp() {
        int precision = parameter(6);
        if (accept("WITHOUT")) {
            expect("TIME", "ZONE");
        } else if (accept("WITH")) {
            expect("LOCAL", "TIME", "ZONE");
            return DataTypes.TIMESTAMP_LTZ(precision);
        }
        return DataTypes.TIMESTAMP(precision);
    }

    private RowType row() {
        char close = '>';
        if (accept('(')) {
            close = ')';
        } else {
            expect('<');
        }
        List<RowType.Member> members = new ArrayList<>();
        do {
            String name = memberName();
            members.add(new RowType.Member(name, type()));
        } while (accept(','));
        expect(close);
        return new RowType(members, true);
    }

    private String memberName() {
        skipBlanks();
        if (!accept('`')) {
            return identifier("a member's name");
        }
        StringBuilder name = new StringBuilder();
        while (position < text.length()) {
            char c = text.charAt(position++);
            if (c != '`') {
                name.append(c);
            } else if (position < text.length() && text.charAt(position) == '`') {
                name.append('`');
                position++;
            } else {
                return name.toString();
            }
        }
        throw error("expected a closing backquote");
    }

    private boolean nullability() {
        if (accept("NOT")) {
            expect("NULL");
            return false;
        }
        accept("NULL");
        return true;
    }

    private int parameter(int otherwise) {
        if (!accept('(')) {
            return otherwise;
        }
        int value = number();
        expect(')');
        return value;
    }

    private int number() {
        skipBlanks();
        int start = position;
        long value = 0;
        while (position < text.length()
                && text.charAt(position) >= '0'
                && text.charAt(position) <= '9') {
            value = 10 * value + text.charAt(position++) - '0';
            if (value > Integer.MAX_VALUE) {
                position = start;
                throw error("number exceeds " + Integer.MAX_VALUE);
            }
        }
        if (position == start) {
            throw error("expected a number");
        }
        return (int) value;
    }

    private String word(String what) {
        return identifier(what).toUpperCase(Locale.ROOT);
    }

    private String identifier(String what) {
        int start = position;
        while (position < text.length()
                && Field.isPlainNamePart(text.charAt(position), position > start)) {
            position++;
        }
        if (position == start) {
            throw error("expected " + what);
        }
        return text.substring(start, position);
    }

    private boolean accept(String keyword) {
        skipBlanks();
        int end = position + keyword.length();
        if (text.regionMatches(true, position, keyword, 0, keyword.length())
                && (end == text.length() || !Field.isPlainNamePart(text.charAt(end), true))) {
            position = end;
            return true;
        }
        return false;
    }

    private void expect(String... keywords) {
        for (String keyword : keywords) {
            if (!accept(keyword)) {
                throw error("expected " + keyword);
            }
        }
    }

    private boolean accept(char c) {
        skipBlanks();
        if (position < text.length() && text.charAt(position) == c) {
            position++;
            return true;
        }
        return false;
    }

    private void expect(char c) {
        if (!accept(c)) {
            throw error("expected '" + c + "'");
        }
    }

    private void skipBlanks() {
        while (position < text.length() && Character.isWhitespace(text.charAt(position))) {
            position++;
        }
    }

    private DataTypeParseException error(String problem) {
        return new DataTypeParseException(problem, text, position);
    }
}
