package dev.tarn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.codec.UnsupportedFormatException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class ErrorLineTest {
    @Test
    void isOneLineWhateverTheMessageHolds() {
        assertThat(ErrorLine.of("a\nb\r\n\tc\u0000\u2028d \n")).isEqualTo("tarn: a b c d");
    }

    @Test
    void showsDamageAsItWasReported() {
        assertThat(ErrorLine.of(new CorruptDataException("block checksum mismatch: file=a.sst")))
                .isEqualTo("tarn: block checksum mismatch: file=a.sst");
        assertThat(ErrorLine.of(new UnsupportedFormatException("format too new: version=9")))
                .isEqualTo("tarn: format too new: version=9");
        assertThat(ErrorLine.of(new IOException("disk fault: file=a")))
                .isEqualTo("tarn: disk fault: file=a");
    }

    @Test
    void saysWhatIsTheMatterWithAName() {
        assertThat(ErrorLine.of(new NoSuchFileException("x")))
                .isEqualTo("tarn: no such file or directory: x");
        assertThat(ErrorLine.of(new AccessDeniedException("x")))
                .isEqualTo("tarn: permission denied: x");
        assertThat(ErrorLine.of(new UncheckedIOException(new FileAlreadyExistsException("x"))))
                .isEqualTo("tarn: exists already: x");
    }

    @Test
    void marksWhatNobodyExpected() {
        assertThat(ErrorLine.of(new IllegalStateException("odd")))
                .startsWith("tarn: internal error: IllegalStateException: odd");
        assertThat(ErrorLine.of(new NullPointerException()))
                .startsWith("tarn: internal error: NullPointerException: NullPointerException");
        assertThat(ErrorLine.of(new IOException())).isEqualTo("tarn: IOException");
    }
}
