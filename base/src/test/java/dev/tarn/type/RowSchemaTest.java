package dev.tarn.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class RowSchemaTest {
    private static final Pattern BETWEEN_TYPES = Pattern.compile("(?<=[A-Z)>])>(?=[A-Z])");

    private final RowSchema schema =
            RowSchema.builder()
                    .field("id", DataTypes.BIGINT.notNull())
                    .field("amount", DataTypes.INT)
                    .field("note", DataTypes.STRING)
                    .build();

    @Test
    void fieldIdsOutliveRenameMoveAndDrop() {
        RowSchema changed = schema.rename("amount", "total").move("total", 0).drop("note");
        assertThat(changed).hasToString("schema 3 (total INT, id BIGINT NOT NULL)");
        assertThat(changed.field(0).id()).isEqualTo(1);
        assertThat(changed.indexOf("amount")).isEqualTo(-1);
        assertThat(changed.indexOfId(1)).isZero();
    }

    @Test
    void fieldIdIsNeverGivenAwayAgain() {
        RowSchema again = schema.drop("note").add("note", DataTypes.STRING, null);
        assertThat(again.field(2).id()).isEqualTo(3);
        assertThat(again.nextFieldId()).isEqualTo(4);
    }

    @Test
    void addedColumnNeedsNullOrDefault() {
        assertThat(schema.add("n", DataTypes.INT.notNull(), 7).field(3).defaultValue())
                .isEqualTo(7);
        assertThatThrownBy(() -> schema.add("n", DataTypes.INT.notNull(), null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("field=n type=INT NOT NULL");
    }

    @Test
    void namesAndIdsAreUnique() {
        assertThatThrownBy(() -> schema.rename("id", "note"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("two fields have one name: name=note");
        assertThatThrownBy(() -> schema.drop("nothing"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no field of this name: name=nothing");
        assertThatThrownBy(
                        () ->
                                new RowSchema(
                                        0,
                                        List.of(
                                                new Field(1, "a", DataTypes.INT, null),
                                                new Field(1, "b", DataTypes.INT, null)),
                                        2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("field id is not unique");
        assertThatThrownBy(() -> schema.drop("id").drop("note").drop("amount"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void typesOnlyWiden() {
        assertThat(schema.changeType("amount", DataTypes.BIGINT).field(1).type())
                .isEqualTo(DataTypes.BIGINT);
        assertThatThrownBy(() -> schema.changeType("amount", DataTypes.SMALLINT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a column's type may only be widened: field=amount from=INT to=SMALLINT");
        assertThatThrownBy(() -> schema.changeType("amount", DataTypes.INT.notNull()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a column that takes NULL cannot become NOT NULL: field=amount from=INT"
                                + " to=INT NOT NULL");
    }

    @Test
    void wideningsAreThoseThatLoseNothing() {
        String[] allowed = {
            "TINYINT>SMALLINT",
            "TINYINT>BIGINT",
            "INT>BIGINT",
            "SMALLINT>FLOAT",
            "INT>DOUBLE",
            "TINYINT>DECIMAL(3, 0)",
            "INT>DECIMAL(12, 2)",
            "BIGINT>DECIMAL(19, 0)",
            "FLOAT>DOUBLE",
            "DECIMAL(5, 2)>DECIMAL(6, 3)",
            "CHAR(3)>CHAR(4)",
            "CHAR(3)>STRING",
            "VARCHAR(3)>VARCHAR(3)",
            "VARCHAR(3)>STRING",
            "BINARY(3)>BYTES",
            "BINARY(3)>BINARY(9)",
            "TIME(0)>TIME(9)",
            "TIMESTAMP(3)>TIMESTAMP(6)",
            "TIMESTAMP_LTZ(0)>TIMESTAMP_LTZ(3)",
            "INT NOT NULL>BIGINT",
            "ARRAY<INT> NOT NULL>ARRAY<INT>"
        };
        String[] refused = {
            "BIGINT>INT",
            "INT>FLOAT",
            "BIGINT>DOUBLE",
            "INT>DECIMAL(11, 2)",
            "DOUBLE>FLOAT",
            "DECIMAL(5, 2)>DECIMAL(5, 3)",
            "DECIMAL(5, 2)>DECIMAL(5, 1)",
            "DECIMAL(5, 0)>BIGINT",
            "VARCHAR(3)>CHAR(3)",
            "STRING>VARCHAR(3)",
            "CHAR(3)>BYTES",
            "TIMESTAMP(6)>TIMESTAMP(3)",
            "TIMESTAMP(3)>TIMESTAMP_LTZ(3)",
            "DATE>TIMESTAMP(3)",
            "BOOLEAN>INT",
            "ARRAY<INT>>ARRAY<BIGINT>",
            "INT>BIGINT NOT NULL"
        };
        for (String change : allowed) {
            assertThat(isAllowed(change)).as(change).isTrue();
        }
        for (String change : refused) {
            assertThat(isAllowed(change)).as(change).isFalse();
        }
    }

    private static boolean isAllowed(String change) {
        String[] types = BETWEEN_TYPES.split(change, -1);
        return TypeWidening.isAllowed(
                DataTypeParser.parse(types[0]), DataTypeParser.parse(types[1]));
    }
}
