package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * TIERUP_ROLLOUT: the control's answers reach every caller, whatever the candidate, the disk or the companion does. Answers that
 * differ are found. {@link Rolled} makes the calls.
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

    /** How a process has ended, and what it has written. */
    private record Ended(int code, String out, String error) {}

    private Ended run(String lines, String task, String... environment) throws Exception {
        Files.writeString(control, lines);
        return again(task, environment);
    }

    /** Runs a task in a process, and leaves the control file as it is. */
    private Ended again(String task, String... environment) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "--enable-native-access=ALL-UNNAMED",
                "-XX:-CreateCoredumpOnCrash", Rolled.class.getName(), task);
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().put("TIERUP_ROLLOUT", control.toString());
        for (int at = 0; at < environment.length; at += 2) {
            builder.environment().put(environment[at], environment[at + 1]);
        }
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
            return new Ended(process.exitValue(), text(out), text(error));
        } finally {
            process.destroyForcibly();
        }
    }

    private Ended well(String lines, String task, String... environment) throws Exception {
        Ended ended = run(lines, task, environment);
        assertEquals(0, ended.code, ended.toString());
        return ended;
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

    private static long differences(Path control) {
        return evidence(control, ".jsonl").stream().mapToLong(text -> text.strip().lines().count() - 1).sum();
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

    private static List<Long> numbers(String line, String... names) {
        return Stream.of(names).map(name -> number(line, name)).toList();
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
        assertEquals(List.of(5L, 4L, 1L), Stream.of("sampled", "refused", "dropped").map(name -> host(line, name)).toList());
    }

    @Test
    void whatDiffersIsFoundAndNothingElse() throws Exception {
        well(SHADOW, "differ");
        String one = only();
        assertEquals(List.of(9L, 7L, 2L, 1L, 0L, 0L), numbers(one, "compared", "alike", "different", "panics", "timeouts", "deaths"), one);
        assertEquals(List.of(12L, 12L, 2L, 1L, 0L), hosts(one, "calls", "sampled", "too_large", "refused", "dropped"), one);
        assertTrue(one.contains("\"refusal\":\"echoText: text: "), one);
        assertEquals(2, differences(control));
    }

    @Test
    void noValueIsWrittenUnlessTheControlFileAsksForIt() throws Exception {
        well("candidate=3:native\nshadow=1\n", "values");
        String one = only();
        assertEquals(1, number(one, "different"));
        assertTrue(one.contains("\"refusal\":\"echoText\""), one);
        assertEquals(0, differences(control));
    }

    @Test
    void callsThatHangOrDieAreFoundBesideTheServer() throws Exception {
        well(SHADOW, "hang", "TIERUP_CALL_TIMEOUT", "3");
        assertEquals(List.of(1L, 3L, 1L, 1L), numbers(only(), "alike", "different", "timeouts", "deaths"));
    }

    @Test
    void theControlAnswersWhateverPanics() throws Exception {
        Ended ended = well(SHARE, "panic");
        String one = only();
        assertEquals(List.of(3004L, 1000L, 2L, 1L, 1L), hosts(one, "shared", "panics", "errors", "erred", "refused"), one);
        assertTrue(!ended.error.contains("failed at"), ended.error);
    }

    @Test
    void aCandidateThatFailsInMoreThanHalfOfItsCallsGetsNoMore() throws Exception {
        String error = well(SHARE, "breaker").error;
        assertTrue(error.contains("100 of 100 calls failed at 3:native, so the control answers until the control file changes"), error);
    }

    /** As in all languages: the expected sides are those that Python computes. */
    @Test
    void theSameInputStaysWithItsSide() throws Exception {
        String sides = well("candidate=3:native\nshare=0.5\nby=input\nkey=secret\n", "inputs").out;
        String expected = ".R..RRRRRRR....R..RRRRRR";
        assertEquals(expected + expected, sides);
    }

    /** Control files with which the control answers every call, each with the reason. */
    static Map<String, String> wrong(String whole) {
        Map<String, String> wrong = new LinkedHashMap<>();
        wrong.put(whole.substring(0, whole.length() - 9), "its last line has no end: it may be cut");
        wrong.put(whole.replace("share=1", "share=0.9"), "its checksum does not fit the lines above it");
        wrong.put(SHARE.replace("=1", "=1.5"), "`share` must be a number from 0 to 1, such as 0.01, got '1.5'");
        wrong.put("candidate=0:tuned\nshare=1\n", "`candidate` must be a variant in Rust, such as 3:native, got '0:tuned'");
        wrong.put(SHARE + "until=1\n", "its judge has not renewed it: `until` is over");
        wrong.put(SHARE + "until=NaN\n", "`until` must be a number of seconds since 1970");
        wrong.put(SHARE + "x".repeat(5000) + "\n", "it has more than 4096 bytes");
        wrong.put("", "NoSuchFileException");
        return wrong;
    }

    @Test
    void aFileThatIsMissingCutWrongOrOverMeansTheControl() throws Exception {
        String lines = SHARE + "until=4102444800\n";
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(lines.getBytes(StandardCharsets.UTF_8));
        String whole = lines + "checksum=" + HexFormat.of().formatHex(digest, 0, 8) + "\n";
        String error = well(whole, "files").error;
        for (String words : wrong(whole).values()) {
            assertEquals(2, error.split(Pattern.quote("is not obeyed, so the control answers every call: ") + "[^\n]*" + Pattern.quote(words), -1)
                    .length, words + " in " + error);
        }
    }

    @Test
    void killedCompanionsAndProcessesThatCompareChangeNothingForCallers() throws Exception {
        well(SHADOW, "kill");
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
        assertEquals("done\n", well(SHARE, "full").out);
    }

    @Test
    void aCandidateIsNotComparedWithItself() throws Exception {
        well(SHARE + "shadow=1\n", "itself");
        assertEquals(0, host(only(), "calls"));
    }

    @Test
    void afterTwoDeathsInACallOfTheCandidateProcessesStartAtTheControl() throws Exception {
        assertNotEquals(0, run(SHARE, "die").code);
        // A process that is killed between two calls, or exits, does not count against the candidate.
        assertEquals(137, again("killed").code);
        well(SHARE, "exit");
        assertNotEquals(0, again("die").code);
        Ended third = well(SHARE, "die");
        assertEquals("6", third.out);
        assertTrue(third.error.contains("2 processes died in a call of 3:native "), third.error);
        assertNotEquals(0, run(SHARE + "generation=2\n", "die").code);
    }

    @Test
    void deathsAreFoundInAFolderThatWasRemovedOrThatOthersUse() throws Exception {
        assertNotEquals(0, run(SHARE, "remove").code);
        assertEquals(List.of("1 3:native\n"), marks(control));
        Rolled.removeAll(Path.of(control + ".evidence"));
        well(SHARE, "mark");
    }

    @Test
    void aFolderThatCannotBeWrittenInChangesNothingForCallers() throws Exception {
        // A file stands where the folder for the evidence would be.
        Files.writeString(folder.resolve("rollout.evidence"), "");
        Ended ended = well(SHARE + "shadow=1\n", "die");
        assertEquals("6", ended.out);
        assertTrue(ended.error.contains("nobody would learn that a call of 3:native ended the process"), ended.error);
        assertTrue(ended.error.contains("the evidence of a shadow is incomplete"), ended.error);
    }
}
