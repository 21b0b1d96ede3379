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
}
