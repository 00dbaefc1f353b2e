package dev.tarn.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataTypeParserTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "BOOLEAN",
                "BIGINT NOT NULL",
                "DECIMAL(12, 2) NOT NULL",
                "CHAR(3)",
                "VARCHAR(2147483646)",
                "STRING",
                "BYTES NOT NULL",
                "BINARY(16)",
                "TIME(3)",
                "TIMESTAMP(6)",
                "TIMESTAMP_LTZ(9) NOT NULL",
                "ARRAY<ROW<a INT, b STRING>>",
                "ARRAY<INT NOT NULL> NOT NULL",
                "MAP<STRING NOT NULL, ARRAY<DECIMAL(38, 18)>>",
                "ROW<`a b` INT, `c``d` ROW<e BYTES> NOT NULL>"
            })
    void textOfATypeIsReadBack(String text) {
        assertThat(DataTypeParser.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "integer; INT",
                "Dec(5); DECIMAL(5, 0)",
                "NUMERIC; DECIMAL(10, 0)",
                "double  precision not  null; DOUBLE NOT NULL",
                "VARCHAR; VARCHAR(1)",
                "varchar( 2147483647 ); STRING",
                "VARBINARY(2147483647); BYTES",
                "TIME; TIME(0)",
                "TIME(3) WITHOUT TIME ZONE; TIME(3)",
                "TIMESTAMP; TIMESTAMP(6)",
                "TIMESTAMP(3) WITHOUT TIME ZONE; TIMESTAMP(3)",
                "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL; TIMESTAMP_LTZ(3) NOT NULL",
                "TIMESTAMP_LTZ; TIMESTAMP_LTZ(6)",
                "INT NULL; INT",
                "ROW(a INT,b row<c int>); 'ROW<a INT, b ROW<c INT>>'",
                "row<`int` int>; ROW<int INT>",
                "map<int,int>; 'MAP<INT, INT>'"
            })
    void synonymsAndDefaultsAreRead(String text, String canonical) {
        assertThat(DataTypeParser.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "''; expected a type; 0",
                "INTT; there is no type of this name: name=INTT; 0",
                "MULTISET<INT>; there is no type of this name: name=MULTISET; 0",
                "INT NOT; expected NULL; 7",
                "INT 5; expected the end of the type; 4",
                "DECIMAL(; expected a number; 8",
                "DECIMAL(5; expected ')'; 9",
                "'DECIMAL(5,)'; expected a number; 10",
                "DECIMAL(39); 'precision of DECIMAL must be in [1, 38]: precision=39'; 0",
                "'DECIMAL(3, 4)'; 'scale of DECIMAL must be in [0, 3]: scale=4'; 0",
                "CHAR(0); 'length of CHAR must be in [1, 2147483647]: length=0'; 0",
                "CHAR(99999999999); number exceeds 2147483647; 5",
                "TIMESTAMP(10); 'precision of TIMESTAMP must be in [0, 9]: precision=10'; 0",
                "TIMESTAMP WITH TIME ZONE; expected LOCAL; 15",
                "ARRAY INT; expected '<'; 6",
                "ARRAY<INT; expected '>'; 9",
                "MAP<INT>; expected ','; 7",
                "ROW<>; expected a member's name; 4",
                "ROW<a>; expected a type; 5",
                "'ROW<a INT, a INT>'; two members of a nested row have one name: name=a; 0",
                "ROW<`a INT>; expected a closing backquote; 11",
                "ARRAY<FOO>; there is no type of this name: name=FOO; 6"
            })
    void errorNamesProblemPlaceAndText(String text, String problem, int position) {
        // The quotes of the table are its own; those of the messages were lost to it.
        assertThatThrownBy(() -> DataTypeParser.parse(text))
                .isInstanceOf(DataTypeParseException.class)
                .hasMessageContaining(problem)
                .hasMessageEndingWith(": position=" + position + " text=" + text)
                .extracting(e -> ((DataTypeParseException) e).position())
                .isEqualTo(position);
    }

    @Test
    void deepNestingIsRefusedBeforeTheStackEnds() {
        String text = "ARRAY<".repeat(100_000);
        assertThatThrownBy(() -> DataTypeParser.parse(text))
                .isInstanceOf(DataTypeParseException.class)
                .hasMessageContaining("types nest deeper than 32");
    }

    @Test
    void prefixEndsBehindTheType() {
        String text = "id BIGINT NOT NULL, name STRING)";
        DataTypeParser.Parsed parsed = DataTypeParser.parsePrefix(text, 2);
        assertThat(parsed.type()).isEqualTo(DataTypes.BIGINT.notNull());
        assertThat(text.charAt(parsed.end())).isEqualTo(',');
    }

    @Test
    void anyTypeIsReadBack() {
        Seeds.run(
                500,
                random -> {
                    DataType type = randomType(random, 3);
                    assertThat(DataTypeParser.parse(type.toString())).isEqualTo(type);
                });
    }

    private static DataType randomType(RandomSource random, int depth) {
        DataType type =
                switch (random.nextInt(depth == 0 ? 6 : 9)) {
                    case 0 -> DataTypes.INT;
                    case 1 -> DataTypes.DECIMAL(20, random.nextInt(21));
                    case 2 -> DataTypes.STRING;
                    case 3 -> DataTypes.CHAR(1 + random.nextInt(100));
                    case 4 -> DataTypes.TIMESTAMP(random.nextInt(10));
                    case 5 -> DataTypes.BYTES;
                    case 6 -> DataTypes.ARRAY(randomType(random, depth - 1));
                    case 7 ->
                            DataTypes.MAP(
                                    randomType(random, depth - 1), randomType(random, depth - 1));
                    default ->
                            DataTypes.ROW(
                                    DataTypes.member("a", randomType(random, depth - 1)),
                                    DataTypes.member("b `c`", randomType(random, depth - 1)));
                };
        return type.withNullable(random.nextBoolean());
    }
}
