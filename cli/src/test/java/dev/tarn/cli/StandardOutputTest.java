package dev.tarn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StandardOutputTest {
    @Test
    void writesUtf8() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintWriter out = StandardOutput.writer(bytes);
        out.print("größer → 😀");
        out.flush();
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("größer → 😀");
    }

    @Test
    void failureOfTheDeviceIsThrownAndSwallowedByNobody() {
        PrintWriter out = StandardOutput.writer(failing("No space left on device"));
        out.print("data");
        assertThatThrownBy(out::flush)
                .isInstanceOf(StandardOutput.FailedException.class)
                .hasMessage("cannot write to standard output: No space left on device");
    }

    @Test
    void largeOutputFailsBeforeItsEnd() {
        PrintWriter out = StandardOutput.writer(failing("No space left on device"));
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 100_000; i++) {
                                out.println("row " + i);
                            }
                        })
                .isInstanceOf(StandardOutput.FailedException.class);
    }

    @Test
    void closedPipeIsToldApart() {
        PrintWriter out = StandardOutput.writer(failing("Broken pipe"));
        out.print("data");
        assertThatThrownBy(out::flush)
                .isInstanceOfSatisfying(
                        StandardOutput.FailedException.class,
                        e -> assertThat(e.isBrokenPipe()).isTrue());
    }

    private static OutputStream failing(String message) {
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException(message);
            }
        };
    }
}
