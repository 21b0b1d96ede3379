package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * TIERUP_ROLLOUT in Java alone: threads, errors, exits, text that is not UTF-16. What all languages promise is in
 * {@code crates/tierup/tests/conformance/rollout.rs}. {@link Rolled} makes the calls.
 */
class RolloutTest {
    static final String SHADOW = "candidate=3:native\nshadow=1\nkeep=values\n";
    static final String SHARE = "candidate=3:native\nshare=1\n";

    @TempDir
    Path folder;
    private Path control;

    @BeforeEach
    void named() {
        control = folder.resolve("rollout");
    }

    /** Runs a task in a process, which must succeed. Returns what it has written. */
    private String well(String lines, String task) throws Exception {
        Files.writeString(control, lines);
        ProcessBuilder builder = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "--enable-native-access=ALL-UNNAMED",
                Rolled.class.getName(), task);
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().put("TIERUP_ROLLOUT", control.toString());
        Path out = folder.resolve("out");
        Path error = folder.resolve("error");
        // Output goes to files. For `full`, standard error is a pipe that nobody reads.
        builder.directory(folder.toFile()).redirectOutput(out.toFile());
        if (!task.equals("full")) {
            builder.redirectError(error.toFile());
        }
        Files.writeString(error, "");
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(150, TimeUnit.SECONDS), () -> text(out) + text(error));
            assertEquals(0, process.exitValue(), () -> text(out) + text(error));
            return text(out);
        } finally {
            process.destroyForcibly();
        }
    }

    private static String text(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> evidence(Path control, String ending) {
        List<String> texts = new ArrayList<>();
        Path folder = Path.of(control + ".evidence");
        try (Stream<Path> files = Files.exists(folder) ? Files.list(folder) : Stream.empty()) {
            for (Path file : files.filter(one -> one.toString().endsWith(ending)).toList()) {
                texts.add(text(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }

    /** The marks of living processes, which say whether a process is in a call of the candidate. */
    static List<String> marks(Path control) {
        return evidence(control, ".call");
    }

    /** The counts of each process that compares. A file that was just made is empty. */
    static List<String> lines(Path control) {
        return evidence(control, ".jsonl").stream().filter(text -> !text.isBlank()).map(text -> text.lines().findFirst().get()).toList();
    }

    static long number(String counts, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":(-?\\d+)").matcher(counts);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    static long host(String line, String name) {
        return number(line.substring(line.indexOf("\"host\":")), name);
    }

    static long sum(Path control, String name) {
        return lines(control).stream().mapToLong(line -> number(line, name)).sum();
    }

    /** The counts of the only process that compares. */
    private String only() {
        List<String> lines = lines(control);
        assertEquals(1, lines.size(), lines.toString());
        return lines.get(0);
    }

    private static List<Long> hosts(String line, String... names) {
        return Stream.of(names).map(name -> host(line, name)).toList();
    }

    @Test
    void whatAnArgumentThrowsWhenItIsReadReachesNobody() throws Exception {
        well(SHARE, "hostile");
        well("candidate=3:native\nshare=0.5\nby=input\n", "hostile");
        Files.createDirectories(folder.resolve("own"));
        control = folder.resolve("own/rollout");
        well(SHADOW, "hostile");
        String line = only();
        assertEquals(List.of(5L, 4L, 1L), hosts(line, "sampled", "refused", "dropped"));
    }

    @Test
    void threadsAtOnceCountAndAreAnswered() throws Exception {
        well(SHADOW.replace("shadow=1", "shadow=0.1\nshare=0.5"), "crowd");
        String one = lines(control).stream().filter(line -> host(line, "calls") > 0).findFirst().orElse("");
        assertEquals(8001, host(one, "calls"), one);
        // The package and the companion both drop calls that they have no room for.
        assertEquals(host(one, "sampled"), number(one, "compared") + number(one, "dropped") + host(one, "dropped"), one);
        assertEquals(0, number(one, "different"), one);
        assertTrue(host(one, "shared") > 3000, one);
    }

    @Test
    void whatAServersOwnFunctionThrowsReachesItsCaller() throws Exception {
        well(SHADOW, "throw");
        // A stack overflow or an interrupt says nothing about the function, so such calls are not compared.
        String one = only();
        assertEquals(List.of(61L, 21L), hosts(one, "calls", "sampled"), one);
        assertEquals(20, number(one, "different"), one);
    }

    @Test
    void nobodyWaitsForWhoeverReadsStandardError() throws Exception {
        assertEquals("done\n", well(SHARE, "full"));
    }

    @Test
    void textThatRustRefusesIsCountedAndForgotten() throws Exception {
        well(SHADOW, "compared");
        String one = only();
        assertEquals(List.of(4L, 4L, 1L), hosts(one, "calls", "sampled", "refused"), one);
        assertEquals(0, number(one, "different"), one);
        assertTrue(one.contains("\"refusal\":\"echoText\""), one);
    }

    @Test
    void aCallIsCountedOnce() throws Exception {
        well(SHARE, "shared");
        String one = only();
        assertEquals(List.of(3L, 3L, 1L, 1L, 1L), hosts(one, "calls", "shared", "panics", "errors", "refused"), one);
    }

    @Test
    void aProcessThatExitsInACallHasNotDiedOfIt() throws Exception {
        well(SHARE, "exit");
        well(SHARE, "shared");
        assertEquals(List.of(), evidence(control, ".died"));
    }

    @Test
    void aProcessWithTheSameNumberHasDiedAndAnotherPackageInThisOneHasNot() throws Exception {
        well(SHARE, "mark");
    }
}
