package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import local.tierup.conformance.Conformance;
import local.tierup.conformance.Options;
import local.tierup.conformance.PanicException;
import local.tierup.conformance.TransportException;

/** What needs a process of its own: another environment, a call that never comes back, a death. */
final class Child {
    private Child() {}

    /** A process that runs this class. */
    static Process start(Map<String, String> environment, String... arguments) throws IOException {
        List<String> line = Stream.concat(
                Stream.of(System.getProperty("java.home") + "/bin/java", "--enable-native-access=ALL-UNNAMED", "-cp",
                        System.getProperty("java.class.path"), Child.class.getName()),
                Stream.of(arguments)).toList();
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** What it says; it has to succeed. */
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
                    System.out.println(rust.countCalls() + " " + rust.countCalls());
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
                ProcessHandle.current().descendants().forEach(worker -> System.out.println("worker " + worker.pid()));
                System.out.println("done");
                if (arguments.length > 1) {
                    Thread.sleep(60_000);
                }
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
                // A stack that is smaller than usual is at its end sooner; from there on, each call has a little more of it.
                for (int round = 0; round < 5; round++) {
                    Thread deep = new Thread(null, () -> dig(rust), "deep", 512 << 10);
                    deep.start();
                    deep.join();
                }
                tellWhatRuns(rust);
            }
            case "panic" -> {
                try (Conformance rust = Conformance.load(new Options())) {
                    for (int call = 0; call < 50; call++) {
                        try {
                            rust.panicWith("words");
                        } catch (PanicException e) {
                            // As it should.
                        }
                    }
                }
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** Calls from where the stack ends, and from everywhere above. */
    private static boolean dig(Conformance rust) {
        boolean isDone = false;
        try {
            isDone = dig(rust);
        } catch (StackOverflowError e) {
            // The one above has more room.
        }
        if (!isDone) {
            try {
                rust.echoText("deep");
                isDone = true;
            } catch (StackOverflowError | TransportException e) {
                // The same.
            }
        }
        return isDone;
    }

    /** How many processes there are when those that were ended are gone, if one call is made at a time. */
    private static void tellWhatRuns(Conformance rust) throws InterruptedException {
        assertEquals("after", rust.echoText("after"));
        int expected = rust.tier().equals("1:pool") ? 1 : 0;
        for (int wait = 0; wait < 200 && ProcessHandle.current().descendants().count() > expected; wait++) {
            Thread.sleep(50);
        }
        System.out.println(ProcessHandle.current().descendants().count() + " processes");
        System.exit(0);
    }
}
