package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import local.tierup.conformance.Conformance;
import local.tierup.conformance.Options;
import local.tierup.conformance.TransportException;

/** Cases that need their own process: another environment, an endless call, the end of the process. */
final class Child {
    private Child() {}

    /** Starts a process that runs this class. */
    static Process start(Map<String, String> environment, String... arguments) throws IOException {
        List<String> line = Stream.concat(
                Stream.of(System.getProperty("java.home") + "/bin/java", "--enable-native-access=ALL-UNNAMED", Child.class.getName()),
                Stream.of(arguments)).toList();
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Runs such a process, which must succeed. Returns its output. */
    static String run(Map<String, String> environment, String... arguments) throws IOException, InterruptedException {
        Process process = start(environment, arguments);
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), said);
            assertEquals(0, process.exitValue(), said);
            return said;
        } finally {
            process.destroyForcibly();
        }
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "tier" -> {
                try (Conformance rust = Conformance.load(new Own())) {
                    System.out.println(rust.tier() + " " + rust.echoText("text"));
                }
            }
            case "count" -> {
                try (Conformance rust = Conformance.load(new Own())) {
                    rust.echoText("one more");
                    long first = rust.countCalls();
                    rust.echoText("another one");
                    System.out.println(first + " " + rust.countCalls());
                }
            }
            case "hang" -> {
                Conformance rust = Conformance.load(new Options());
                Thread hung = new Thread(() -> rust.hangOn("really"));
                hung.setDaemon(true);
                hung.start();
                Thread.sleep(200);
                for (int call = 0; call < 20; call++) {
                    assertEquals("meanwhile", rust.echoText("meanwhile"));
                    System.gc();
                }
                System.out.println("done");
                System.exit(0);
            }
            case "starve" -> {
                Conformance rust = Conformance.load(new Options());
                for (int call = 0; call < 10; call++) {
                    try {
                        rust.makeBytes(16 << 20);
                        throw new AssertionError("16 MiB have room in " + Runtime.getRuntime().maxMemory() + " bytes");
                    } catch (OutOfMemoryError | TransportException e) {
                        // As it should.
                    }
                }
                tellWhatRuns(rust);
            }
            case "dig" -> {
                Conformance rust = Conformance.load(new Options());
                // A small stack overflows soon. While `dig` returns, it makes calls that have a little more of the stack each.
                for (int round = 0; round < 5; round++) {
                    Thread deep = new Thread(null, () -> dig(rust), "deep", 512 << 10);
                    deep.start();
                    deep.join();
                }
                tellWhatRuns(rust);
            }
            case "crowd" -> crowd();
            case "call" -> {
                try (Conformance rust = Conformance.load(new Options())) {
                    System.out.println(outcome(rust, "x"));
                }
            }
            case "ready" -> {
                try (Conformance rust = Conformance.load(new Options())) {
                    Each.all(20, number -> assertEquals("call " + number, rust.echoText("call " + number)));
                    System.out.println(assertThrows(TransportException.class, rust::ready).getMessage());
                    System.out.println(outcome(rust, "after"));
                }
            }
            case "hoard" -> {
                Conformance rust = Conformance.load(new Options());
                // The threads run one after the other, to need less memory at a time. Each leaves its instance in another place.
                for (int call = 0; call < 16; call++) {
                    Thread caller = new Thread(() -> rust.makeBytes(16 << 20));
                    caller.start();
                    caller.join();
                }
                List<byte[]> own = new ArrayList<>();
                while (own.size() < 10) {
                    own.add(new byte[10 << 20]);
                }
                System.out.println("\n" + own.size() * 10 + " MiB");
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** The answer to a call, or the words of its failure. */
    private static String outcome(Conformance rust, String text) {
        try {
            return rust.echoText(text);
        } catch (TransportException e) {
            return e.getMessage();
        }
    }

    /** Makes more calls at once than are allowed, and prints the messages of the refused ones. */
    private static void crowd() throws Exception {
        try (Conformance rust = Conformance.load(new Options())) {
            Set<String> words = ConcurrentHashMap.newKeySet();
            AtomicInteger answered = new AtomicInteger();
            Each.all(200, number -> {
                try {
                    Each.work(rust);
                    answered.incrementAndGet();
                } catch (TransportException e) {
                    words.add(e.getMessage());
                }
            });
            assertTrue(answered.get() >= 4, answered + " were answered");
            words.forEach(System.out::println);
        }
    }

    /** Fills the stack, then makes a call from the deepest frame, and from each frame above until a call succeeds. */
    private static boolean dig(Conformance rust) {
        boolean isDone = false;
        try {
            isDone = dig(rust);
        } catch (StackOverflowError e) {
            // The frame above has more room.
        }
        if (!isDone) {
            try {
                rust.echoText("deep");
                isDone = true;
            } catch (StackOverflowError | TransportException e) {
                // The frame above has more room for this call, too.
            }
        }
        return isDone;
    }

    /** Prints the number of processes that are left when one call is made at a time. */
    private static void tellWhatRuns(Conformance rust) throws InterruptedException {
        assertEquals("after", rust.echoText("after"));
        // A worker and the companion.
        int expected = rust.tier().equals("1:pool") ? 2 : 0;
        for (int wait = 0; wait < 200 && ProcessHandle.current().descendants().count() > expected; wait++) {
            Thread.sleep(50);
        }
        System.out.println(ProcessHandle.current().descendants().count() + " processes");
        System.exit(0);
    }
}
