package dev.tarn.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BytesViewTest {
    @Test
    void emptyViewHasNoBytes() {
        BytesView view = new BytesView();
        assertThat(view.length()).isZero();
        assertThat(view.toByteArray()).isEmpty();
        assertThat(view.contentEquals(BytesView.of(""))).isTrue();
    }

    @Test
    void viewIsMovedWithoutCopying() {
        byte[] bytes = {1, 2, 3, 4, 5};
        BytesView view = new BytesView().wrap(OffHeapMemory.wrap(bytes), 1, 3);
        assertThat(view.toByteArray()).containsExactly(2, 3, 4);
        bytes[2] = 9;
        assertThat(view.getByte(1)).isEqualTo((byte) 9);
        BytesView other = new BytesView().wrap(view);
        assertThat(other.memory()).isSameAs(view.memory());
        assertThat(other.offset()).isEqualTo(1);
        assertThat(other.length()).isEqualTo(3);
        view.wrap(view.memory(), 4, 1);
        assertThat(other.toByteArray()).containsExactly(2, 9, 4);
    }

    @Test
    void textIsEscapedAndCut() {
        assertThat(BytesView.of("key\\").toString()).isEqualTo("key\\x5c");
        assertThat(BytesView.of(new byte[] {0, (byte) 0xff, 'a'}).toString())
                .isEqualTo("\\x00\\xffa");
        assertThat(BytesView.of("a".repeat(32)).toString()).isEqualTo("a".repeat(32));
        assertThat(BytesView.of("a".repeat(33)).toString())
                .isEqualTo("a".repeat(32) + "...(33 bytes)");
    }
}
