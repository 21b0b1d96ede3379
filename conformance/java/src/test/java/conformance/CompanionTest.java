package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import local.tierup.conformance.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code 1:pool}: a worker that does not start, and interruptions. What all languages promise is in
 * {@code crates/tierup/tests/conformance/starts.rs}.
 */
@DisabledOnOs(OS.WINDOWS)
class CompanionTest {
    private static final String PROGRAM = "META-INF/tierup/local.tierup.conformance/program";

    @TempDir
    private Path folder;

    /** Runs {@code task} in a child whose workers run {@code script} first. Returns the child's output. */
    private String played(Map<String, String> environment, String script, String task) throws Exception {
        Path real = folder.resolve("real");
        executable(real, program());
        Path played = folder.resolve(PROGRAM);
        Files.createDirectories(played.getParent());
        String line = "[ \"$1\" != --tierup-connection ] || { " + script + "; }\nexec -a \"$0\" '" + real + "' \"$@\"\n";
        executable(played, ("#!/bin/bash\n" + line).getBytes());
        Map<String, String> of = new HashMap<>(environment);
        of.put("TIERUP_TIER", "1:pool");
        of.put("CLASSPATH", folder + File.pathSeparator + System.getProperty("java.class.path"));
        return Child.run(of, task);
    }

    private static void executable(Path file, byte[] content) throws IOException {
        Files.write(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private static byte[] program() throws IOException {
        try (InputStream program = CompanionTest.class.getResourceAsStream("/" + PROGRAM)) {
            return program.readAllBytes();
        }
    }

    @Test
    void callsThatHaveAWorkerDoNotLearnThatAnotherDidNotStart() throws Exception {
        String onlyOne = "mkdir '" + folder + "/started' 2>/dev/null || { sleep 0.5; exit 2; }";
        String said = played(Map.of("TIERUP_WORKERS", "2"), onlyOne, "ready");
        assertEquals("conformance ended with exit code 2: standard error has its last words\nafter\n", said);
    }

    @Test
    void aCallDoesNotWaitForAStartLongerThanItMay() throws Exception {
        String said = played(Map.of("TIERUP_CALL_TIMEOUT", "0.5"), "exec sleep 3600", "call");
        assertEquals("no worker was free for the call within 0.5 s (TIERUP_CALL_TIMEOUT)\n", said);
    }

    @Test
    void interruptionsDuringACallAreSeenAfterIt() throws Exception {
        try (Conformance rust = Each.at("1:pool")) {
            rust.ready();
            AtomicInteger seen = new AtomicInteger();
            Thread caller = new Thread(() -> {
                for (int call = 0; call < 200; call++) {
                    Each.work(rust);
                    seen.addAndGet(Thread.interrupted() ? 1 : 0);
                }
            });
            AtomicInteger failed = new AtomicInteger();
            caller.setUncaughtExceptionHandler((thread, e) -> failed.incrementAndGet());
            caller.start();
            while (caller.isAlive()) {
                caller.interrupt();
                Thread.sleep(1);
            }
            assertEquals(0, failed.get());
            assertTrue(seen.get() > 0);
        }
    }

    /** The processes that the package has started in this one, with their children. */
    static List<ProcessHandle> below(String mark) {
        return ProcessHandle.current().descendants()
                .filter(process -> process.info().commandLine().orElse("").contains(mark)).toList();
    }
}
