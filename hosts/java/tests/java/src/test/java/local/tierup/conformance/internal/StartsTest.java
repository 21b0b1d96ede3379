package local.tierup.conformance.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which calls learn that a worker did not start, and when. */
class StartsTest {
    private static final long ABI = 7;
    /** More than any of these tests takes. */
    private static final Duration ENOUGH = Duration.ofSeconds(60);

    private static final String OK = "true";
    private static final String HANG = "exec sleep 3600";
    private static final String EXIT = "exit 2";
    private static final String EXIT_LATE = "sleep 0.4; exit 2";
    private static final String EXIT_BESIDE_ANOTHER = "while ! test -d \"$0-start-2\"; do sleep 0.01; done; exit 2";
    private static final String LATE = "sleep 1.5; mkdir \"$0-late\"";
    private static final String HANG_WITH_CARE = "cat; mkdir \"$0-was-let-end\"; exit";

    @TempDir
    private Path folder;

    /** A pool whose first starts carry out these orders, one each; all that follow carry out the last. */
    private Pool pool(int size, String timeout, String start, String... orders) throws IOException {
        StringBuilder script = new StringBuilder("#!/bin/sh\nnth=1\n");
        script.append("while ! mkdir \"$0-start-$nth\" 2>/dev/null; do nth=$((nth+1)); done\ncase $nth in\n");
        for (int nth = 1; nth <= orders.length; nth++) {
            script.append(nth == orders.length ? "*" : nth).append(") ").append(orders[nth - 1]).append(" ;;\n");
        }
        script.append("esac\nprintf '\\007\\000\\000\\000\\000\\000\\000\\000'; exec cat\n");
        Path file = Files.writeString(folder.resolve("program"), script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        return new Pool(new Limits(timeout, start, 100), size, ABI, new Program("played", file, null));
    }

    private boolean has(String name) {
        return Files.exists(folder.resolve("program-" + name));
    }

    private void waitFor(String name) {
        assertTimeoutPreemptively(ENOUGH, () -> {
            while (!has(name)) {
                Thread.sleep(10);
            }
        });
    }

    /** The message of the call's failure; empty if it was answered. */
    private static String call(Pool pool) {
        try {
            Answer answer = pool.call(0, new Writer());
            assertEquals(4, answer.bytes().remaining());
            answer.release();
            return "";
        } catch (Failure failure) {
            return failure.getMessage();
        }
    }

    /** Begins a call, or something else, in a thread of its own. */
    private static <T> CompletableFuture<T> begin(Supplier<T> task) {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                done.complete(task.get());
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private static List<String> calls(Pool pool, int count) {
        List<CompletableFuture<String>> begun = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            begun.add(begin(() -> call(pool)));
        }
        return assertTimeoutPreemptively(ENOUGH, () -> begun.stream().map(CompletableFuture::join).toList());
    }

    private static String one(Pool pool) {
        return calls(pool, 1).get(0);
    }

    private static void close(Pool pool) {
        assertTimeoutPreemptively(ENOUGH, pool::close);
    }

    @Test
    void allWhoWaitLearnThatNoWorkerStarted() throws IOException {
        Pool pool = pool(2, "", "30", EXIT_LATE);
        for (String words : calls(pool, 20)) {
            assertTrue(words.contains("exit code 2"), words);
        }
        assertFalse(has("start-7"), "each call tried in turn");
        close(pool);
    }

    @Test
    void workersThatHangInTurnsDoNotKeepCallsWaitingForEver() throws IOException {
        Pool pool = pool(2, "", "1", HANG, EXIT_LATE, HANG);
        for (String words : calls(pool, 3)) {
            assertTrue(words.contains("did not start within 1 s"), words);
        }
        assertFalse(has("start-5"), "the calls waited for one start after the other");
        close(pool);
    }

    @Test
    void aStartThatFailsBesideAnotherFailsNoCallBeforeThatIsOver() throws IOException {
        Pool pool = pool(2, "", "30", EXIT_BESIDE_ANOTHER, LATE, EXIT);
        assertEquals(List.of("", ""), calls(pool, 2));
        close(pool);
    }

    @Test
    void callsThatHaveAWorkerDoNotLearnThatAnotherDidNotStart() throws IOException {
        Pool pool = pool(2, "", "30", OK, EXIT);
        calls(pool, 20).forEach(words -> assertEquals("", words));
        close(pool);
    }

    @Test
    void aStartThatHangsHoldsUpNoCallWhileAnotherWorkerIsFree() throws IOException {
        Pool pool = pool(8, "", "30", HANG, OK);
        CompletableFuture<String> first = begin(() -> call(pool));
        waitFor("start-1");
        for (int number = 0; number < 20; number++) {
            assertEquals("", one(pool));
        }
        // It caused the start that hangs, and had the worker that another call started.
        assertEquals("", assertTimeoutPreemptively(ENOUGH, first::join));
        assertFalse(has("start-3"), "a worker was free, and another was started");
        close(pool);
    }

    @Test
    void sequentialCallsDoNotWaitForAStartThatHangs() throws IOException {
        // The second worker has this long to start, on a busy machine too.
        Pool pool = pool(8, "5", "30", HANG, OK);
        assertEquals("no worker was free for the call within 5 s (TIERUP_CALL_TIMEOUT)", one(pool));
        for (int number = 0; number < 20; number++) {
            assertEquals("", one(pool));
        }
        close(pool);
    }

    @Test
    void aCallThatComesAfterAFailedStartIsAnsweredByTheNextOne() throws IOException {
        Pool pool = pool(1, "", "30", EXIT, OK);
        assertTrue(one(pool).contains("exit code 2"));
        assertEquals("", one(pool));
        close(pool);
    }

    @Test
    void readyWaitsForAllStartsAndHasTheFirstFailure() throws IOException {
        Pool pool = pool(2, "", "30", EXIT, LATE, OK);
        Failure failure = assertThrows(Failure.class, () -> assertTimeoutPreemptively(ENOUGH, pool::ready));
        assertTrue(failure.getMessage().contains("exit code 2"), failure.getMessage());
        assertTrue(has("late"), "the other worker was still starting");
        close(pool);
    }

    @Test
    void readyWaitsForStartsThatCallsHaveCaused() throws IOException {
        Pool pool = pool(1, "", "30", LATE);
        CompletableFuture<String> first = begin(() -> call(pool));
        waitFor("start-1");
        assertTimeoutPreemptively(ENOUGH, pool::ready);
        assertTrue(has("late"));
        assertEquals("", assertTimeoutPreemptively(ENOUGH, first::join));
        close(pool);
    }

    @Test
    void closeKillsWorkersThatAreStarting() throws IOException {
        Pool pool = pool(4, "", "30", HANG_WITH_CARE);
        CompletableFuture<Boolean> ready = begin(() -> {
            pool.ready();
            return true;
        });
        waitFor("start-4");
        close(pool);
        assertTrue(assertTimeoutPreemptively(ENOUGH, ready::join));
        assertFalse(has("was-let-end"));
        assertEquals("the pool is closed", one(pool));
    }

    @Test
    void closeWaitsForACallWhoseWorkerIsStarting() throws IOException {
        Pool pool = pool(1, "", "30", LATE);
        CompletableFuture<String> first = begin(() -> call(pool));
        waitFor("start-1");
        close(pool);
        assertEquals("", assertTimeoutPreemptively(ENOUGH, first::join));
    }
}
