package local.tierup.conformance.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How workers start, with programs that play them. */
class PoolTest {
    private static final long ABI = 7;
    /** Says hello, and answers each frame with its function and its arguments. */
    private static final String WORKER = "printf '\\007\\000\\000\\000\\000\\000\\000\\000'; exec cat";
    /** More than any of these tests takes. */
    private static final Duration ENOUGH = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    /** A pool of one worker. Seconds are those of a call, which may be empty, and of a start. */
    private Pool pool(String script, String timeout, String start) throws IOException {
        Path file = Files.writeString(folder.resolve("program"), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        return new Pool(new Limits(timeout, start, 10), 1, ABI, new Program("played", file, null));
    }

    private static void call(Pool pool) {
        assertTimeoutPreemptively(ENOUGH, () -> {
            Answer answer = pool.call(0, new Writer());
            assertEquals(4, answer.bytes().remaining());
            answer.release();
        });
    }

    private static void refuses(Pool pool, Failure.Kind kind, String words) {
        Failure failure = assertThrows(Failure.class, () -> call(pool));
        assertEquals(words, failure.getMessage());
        assertEquals(kind, failure.kind());
    }

    /** No worker is left. */
    private static void close(Pool pool) {
        assertTimeoutPreemptively(ENOUGH, () -> {
            pool.close();
            while (ProcessHandle.current().descendants().findAny().isPresent()) {
                Thread.sleep(20);
            }
        });
    }

    @Test
    void aWorkerThatNeverStartsIsAFailure() throws IOException {
        Pool pool = pool("exec sleep 3600", "", "1");
        String words = "played did not start within 1 s (TIERUP_START_TIMEOUT): its process was ended";
        refuses(pool, Failure.Kind.TRANSPORT, words);
        refuses(pool, Failure.Kind.TRANSPORT, words);
        assertEquals(words, assertThrows(Failure.class, () -> assertTimeoutPreemptively(ENOUGH, pool::ready)).getMessage());
        close(pool);
    }

    @Test
    void aCallDoesNotWaitForAStartLongerThanItMay() throws IOException {
        Pool pool = pool("exec sleep 3600", "0.5", "3600");
        String words = "no worker was free for the call within 0.5 s (TIERUP_CALL_TIMEOUT)";
        refuses(pool, Failure.Kind.TIMEOUT, words);
        refuses(pool, Failure.Kind.TIMEOUT, words);
        close(pool);
    }

    @Test
    void aStartGoesOnWhenItsCallIsOver() throws IOException {
        Pool pool = pool("sleep 3; " + WORKER, "2", "3600");
        refuses(pool, Failure.Kind.TIMEOUT, "no worker was free for the call within 2 s (TIERUP_CALL_TIMEOUT)");
        // On a busy machine the start may outlast a second call, too.
        Failure failure = null;
        do {
            try {
                call(pool);
                failure = null;
            } catch (Failure e) {
                failure = e;
                assertEquals(Failure.Kind.TIMEOUT, e.kind());
            }
        } while (failure != null);
        close(pool);
    }
}
