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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import local.tierup.conformance.Conformance;
import local.tierup.conformance.TransportException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code 1:pool}: what the package does if a worker does not start, or if a worker or the companion, which starts the workers, ends.
 * When workers are started is tested in {@code crates/tierup-codegen/tests/companion/}.
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

    private static String abi() throws IOException {
        try (InputStream built = CompanionTest.class.getResourceAsStream("/" + PROGRAM.replace("program", "built.json"))) {
            return new String(built.readAllBytes()).replaceAll("(?s).*\"abi\":\\s*\"(\\w+)\".*", "$1");
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
    void theCompanionIsStartedAnewAndItsWorkersLiveOn() throws Exception {
        try (Conformance rust = Each.at("1:pool")) {
            rust.ready();
            List<ProcessHandle> workers = below("--tierup-connection");
            killed(below("--tierup-companion"));
            assertEquals("a", rust.echoText("a"));
            assertTrue(workers.stream().allMatch(ProcessHandle::isAlive));
            killed(workers);
            // No call goes to a worker that has ended.
            for (int number = 0; number < workers.size(); number++) {
                assertEquals("text " + number, rust.echoText("text " + number));
            }
            rust.ready();
            assertEquals(1, below("--tierup-companion").size());
            assertEquals(workers.size(), below("--tierup-connection").size());
        }
        waitUntil(() -> below("--tierup-").isEmpty());
    }

    @Test
    void killsAtRandomLoseCallsButGiveNoWrongAnswer() throws Exception {
        try (Conformance rust = Each.at("1:pool")) {
            rust.ready();
            AtomicInteger answered = new AtomicInteger();
            AtomicBoolean isOver = new AtomicBoolean();
            Thread killer = new Thread(() -> {
                try {
                    for (int number = 0; number < 20; number++) {
                        int before = answered.get();
                        String mark = number % 4 == 3 ? "--tierup-companion" : "--tierup-connection";
                        below(mark).stream().limit(1).forEach(ProcessHandle::destroyForcibly);
                        waitUntil(() -> answered.get() > before);
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                } finally {
                    isOver.set(true);
                }
            });
            killer.start();
            Each.all(4, number -> {
                while (!isOver.get()) {
                    try {
                        String text = number + " " + answered;
                        assertEquals(text, rust.echoText(text));
                        answered.incrementAndGet();
                    } catch (TransportException e) {
                        // The call's worker was killed, or the companion was, before the call had a worker.
                    }
                }
            });
            killer.join();
            assertTrue(answered.get() >= 20);
            // The last kill may hit a companion that is starting: then calls fail for half a second.
            waitUntil(() -> {
                try {
                    return rust.echoText("after").equals("after");
                } catch (TransportException e) {
                    return false;
                }
            });
        }
        waitUntil(() -> below("--tierup-").isEmpty());
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

    @Test
    void aWorkerThatReadsNoMoreIsATimeout() throws Exception {
        String said = Child.run(Map.of("TIERUP_TIER", "1:pool", "TIERUP_WORKERS", "1", "TIERUP_CALL_TIMEOUT", "4"), "stopped");
        assertTrue(said.contains("the call took longer than 4 s (TIERUP_CALL_TIMEOUT): its process was ended\n"), said);
        assertTrue(said.endsWith("after\n"), said);
    }

    @Test
    void aCompanionThatSomebodyElseHasStarted() throws Exception {
        Path socket = folder.resolve("own.sock");
        Path program = folder.resolve("program");
        executable(program, program());
        Map<String, String> environment = Map.of("TIERUP_TIER", "1:pool", "TIERUP_POOL_SOCKET", socket.toString());
        String said = Child.run(environment, "socket", program.toString(), abi());
        assertEquals("nobody listens on " + socket + " (TIERUP_POOL_SOCKET): does its program run?\nx\n0 companions\n", said);
    }

    /** The processes that the package has started in this one, with their children. */
    static List<ProcessHandle> below(String mark) {
        return ProcessHandle.current().descendants()
                .filter(process -> process.info().commandLine().orElse("").contains(mark)).toList();
    }

    /** Kills processes, and returns when they are gone. */
    static void killed(List<ProcessHandle> processes) throws InterruptedException {
        processes.forEach(ProcessHandle::destroyForcibly);
        waitUntil(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
    }

    private static void waitUntil(BooleanSupplier isSo) throws InterruptedException {
        for (int wait = 0; wait < 600 && !isSo.getAsBoolean(); wait++) {
            Thread.sleep(100);
        }
        assertTrue(isSo.getAsBoolean());
    }
}
