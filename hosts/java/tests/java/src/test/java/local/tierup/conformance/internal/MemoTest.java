package local.tierup.conformance.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoTest {
    private final AtomicInteger calls = new AtomicInteger();

    private byte[] ask(Memo memo, byte[] content) {
        try {
            return memo.call(0, to -> to.blob(content), () -> {
                calls.incrementAndGet();
                return content;
            }, Writer::blob, Reader::blob);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void thereAreAtMostSoManyAnswers() {
        Memo memo = new Memo(2, 0, "");
        for (char letter : "abacab".toCharArray()) {
            byte[] content = {(byte) letter};
            assertArrayEquals(content, ask(memo, content));
        }
        assertEquals(4, calls.get());
    }

    @Test
    void theyHaveAtMostSoManyBytes() {
        Memo memo = new Memo(0, 3000, "");
        byte[] one = new byte[800];
        byte[] other = new byte[800];
        other[0] = 1;
        byte[] large = new byte[4000];
        for (byte[] content : List.of(one, large, one, large, other, one)) {
            assertArrayEquals(content, ask(memo, content));
        }
        assertEquals(5, calls.get());
    }

    @Test
    void noCallerAndNotTheFunctionItselfChangesWhatOthersGet() {
        Memo memo = new Memo(0, 0, "");
        byte[] reused = {1};
        for (int round = 0; round < 3; round++) {
            byte[] found = ask(memo, reused);
            assertEquals(1, found[0]);
            found[0] = 2;
        }
        assertEquals(1, calls.get());
    }

    @Test
    void anExceptionIsNotKept() throws Exception {
        Memo memo = new Memo(0, 0, "");
        AtomicInteger left = new AtomicInteger(2);
        for (int round = 0; round < 4; round++) {
            if (round < 2) {
                assertThrows(IOException.class, () -> failing(memo, left));
            } else {
                assertEquals("right", failing(memo, left));
            }
        }
        assertEquals(-1, left.get());
    }

    private static String failing(Memo memo, AtomicInteger left) throws Exception {
        return memo.call(0, to -> {}, () -> {
            if (left.decrementAndGet() >= 0) {
                throw new IOException("not now");
            }
            return "right";
        }, Writer::text, Reader::text);
    }

    @Test
    void threadsShareTheAnswersAndTheCounts(@TempDir Path folder) throws Exception {
        Memo memo = new Memo(3, 0, folder.toString());
        List<Thread> threads = new ArrayList<>();
        AtomicInteger wrong = new AtomicInteger();
        long end = System.nanoTime() + 300_000_000;
        for (int number = 1; number <= 4; number++) {
            int step = number;
            threads.add(new Thread(() -> {
                for (int turn = 0; System.nanoTime() < end; turn++) {
                    byte[] content = {(byte) (turn * step % 7)};
                    wrong.addAndGet(ask(memo, content)[0] == content[0] ? 0 : 1);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, wrong.get());
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            String[] numbers = Files.readString(files.iterator().next()).trim().split(" ");
            assertEquals(4, numbers.length);
            long counted = Long.parseLong(numbers[0]);
            long hits = Long.parseLong(numbers[1]);
            assertTrue(counted > 10 && hits > 0 && hits < counted, String.join(" ", numbers));
            assertTrue(Long.parseLong(numbers[2]) <= 3, numbers[2]);
        }
    }
}
