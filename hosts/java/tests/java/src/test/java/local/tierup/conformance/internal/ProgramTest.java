package local.tierup.conformance.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

class ProgramTest {
    /** The program in these tests' resources exits with 1. A folder with `noexec` is reported in the same way. */
    @Test
    void aProgramThatDoesNotRunIsRefusedBeforeTheFirstCall() throws IOException {
        String name = "broken-" + UUID.randomUUID();
        Failure refused = assertThrows(Failure.class, () -> new Spawn(name, 0));
        assertEquals(Failure.Kind.UNAVAILABLE, refused.kind());
        Path folder = Path.of(System.getProperty("java.io.tmpdir"));
        assertEquals("cannot place the program of " + name + " where it could run: it does not run from " + folder
                + ", the java.io.tmpdir (exit code 1); if that folder does not allow executing programs, choose another: "
                + "-Djava.io.tmpdir=...", refused.getMessage());
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(), files.filter(file -> file.getFileName().toString().startsWith(name)).toList());
        }
    }

    @Test
    void anInterruptedThreadLearnsTheSame() {
        Thread.currentThread().interrupt();
        Failure refused = assertThrows(Failure.class, () -> new Spawn("broken", 0));
        assertTrue(Thread.interrupted());
        assertTrue(refused.getMessage().contains("(exit code 1)"), refused.getMessage());
    }
}
