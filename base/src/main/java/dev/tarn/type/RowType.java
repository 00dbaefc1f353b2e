package dev.tarn.type;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A row inside a column: members with a name and a type each. */
public record RowType(List<Member> members, boolean nullable) implements DataType {
    /** One member of a nested row. */
    public record Member(String name, DataType type) {
        /** Checks that there is a name. */
        public Member {
            Field.checkName(name);
        }

        @Override
        public String toString() {
            return Field.quoted(name) + " " + type;
        }
    }

    /** Checks that the names differ. */
    public RowType {
        members = List.copyOf(members);
        if (members.isEmpty()) {
            throw new IllegalArgumentException("a nested row has no members");
        }
        Set<String> names = new HashSet<>();
        for (Member member : members) {
            if (!names.add(member.name())) {
                throw new IllegalArgumentException(
                        "two members of a nested row have one name: name=" + member.name());
            }
        }
    }

    /** Returns the types of the members, in order. */
    public List<DataType> types() {
        return members.stream().map(Member::type).toList();
    }

    @Override
    public TypeRoot root() {
        return TypeRoot.ROW;
    }

    @Override
    public RowType withNullable(boolean nullable) {
        return new RowType(members, nullable);
    }

    @Override
    public RowType notNull() {
        return withNullable(false);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("ROW<");
        for (int i = 0; i < members.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(members.get(i));
        }
        return DataType.withNullability(text.append('>').toString(), nullable);
    }
}
