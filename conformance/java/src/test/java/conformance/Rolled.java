package conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import local.tierup.conformance.CallException;
import local.tierup.conformance.Conformance;
import local.tierup.conformance.Functions;
import local.tierup.conformance.Options;

/** A server of a process of its own, whose environment names a control file: the tasks of {@link RolloutTest}. */
final class Rolled {
    private static final Path CONTROL = Path.of(System.getenv().getOrDefault("TIERUP_ROLLOUT", ""));
    private static final AssertionError MINE = new AssertionError("mine");
    private static final StackOverflowError DEEP = new StackOverflowError();

    private Rolled() {}

    /** Functions of a server: like those in Rust, but for some inputs. */
    private static final class Different implements Functions {
        @Override
        public String echoText(String text) throws Exception {
            switch (text) {
                case "mine" -> throw MINE;
                case "stack" -> throw DEEP;
                case "interrupted" -> throw new InterruptedException();
                default -> {
                    return text.equals("😀") ? ":-)" : text;
                }
            }
        }

        @Override
        public String panicIf(boolean condition, String text) {
            return text.toUpperCase(Locale.ROOT);
        }

        @Override
        public byte[] fail(String words) throws Exception {
            if (words.equals("nothing")) {
                return new byte[0];
            }
            throw new Exception("own words for " + words);
        }

        @Override
        public long hangOn(String word) {
            return word.equals("changed") ? 0 : word.length();
        }

        @Override
        public byte[] makeBytes(long length) {
            return new byte[(int) Math.min(length, 100)];
        }

        @Override
        public List<String> echoTexts(List<String> texts) {
            if (texts instanceof Hostile) {
                return texts;
            }
            List<String> answer = List.copyOf(texts);
            texts.clear();
            return answer;
        }

        @Override
        public byte[] echoBytes(byte[] content) {
            return content;
        }

        @Override
        public long countCalls() {
            return 0;
        }
    }

    /** A list that throws when it is read. */
    private static final class Hostile extends AbstractList<String> {
        private final Throwable thrown;

        Hostile(Throwable thrown) {
            this.thrown = thrown;
        }

        @Override
        public int size() {
            return 1;
        }

        @Override
        public String get(int index) {
            throw Hostile.<RuntimeException>unchecked(thrown);
        }

        @SuppressWarnings("unchecked")
        private static <T extends Throwable> T unchecked(Throwable thrown) throws T {
            throw (T) thrown;
        }
    }

    /** Binds the control, and waits until it is ready. */
    private static Conformance bound() {
        Conformance rust = Conformance.load(new Options().tier("0").baseline(new Different()));
        rust.ready();
        return rust;
    }

    static void until(String what, BooleanSupplier isSo) throws InterruptedException {
        for (int wait = 0; wait < 1200 && !isSo.getAsBoolean(); wait++) {
            Thread.sleep(50);
        }
        assertTrue(isSo.getAsBoolean(), what);
    }

    /** Waits until so many calls are compared, which may take long: comparing has the lowest priority. */
    private static void compared(int count) throws InterruptedException {
        until(count + " calls are not compared: " + RolloutTest.lines(CONTROL),
                () -> RolloutTest.sum(CONTROL, "compared") == count);
    }

    private static void write(String text) throws IOException {
        Path part = CONTROL.resolveSibling("part");
        Files.writeString(part, text);
        Files.move(part, CONTROL, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The processes that the package has started. */
    private static List<ProcessHandle> programs() {
        return CompanionTest.below("--tierup-");
    }

    private static void signal(List<ProcessHandle> processes, String name) throws Exception {
        List<String> line = new ArrayList<>(List.of("kill", name));
        processes.forEach(process -> line.add(Long.toString(process.pid())));
        new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.DISCARD).start().waitFor();
    }

    static void removeAll(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : all.toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Writes marks of calls of an earlier process with this one's id, and of another package in this process. */
    private static void mark() throws IOException {
        Path folder = Files.createDirectories(Path.of(CONTROL + ".evidence"));
        String machine = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        for (long began : List.of(1000L, System.currentTimeMillis() + 1_000_000)) {
            String name = ProcessHandle.current().pid() + "-" + began + "-0x1-" + machine + ".call";
            Files.writeString(folder.resolve(name), "1 3:native\n");
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("mark")) {
            mark();
        }
        Conformance rust = bound();
        switch (arguments[0]) {
            case "differ" -> differ(rust);
            case "values" -> {
                assertEquals(":-)", rust.echoText("😀"));
                assertEquals("1234567\ud800", rust.echoText("1234567\ud800"));
                compared(1);
            }
            case "hang" -> {
                for (String word : List.of("really", "deeply", "fine")) {
                    assertEquals(word.length(), rust.hangOn(word));
                }
                assertEquals(100, rust.makeBytes(1 << 20).length);
                compared(4);
            }
            case "panic" -> {
                for (int call = 0; call < 1000; call++) {
                    assertEquals("X" + call, rust.panicIf(true, "x" + call));
                    // The candidate is still called, as no more than half of its calls panic.
                    assertEquals("X", rust.panicIf(false, "x"));
                    assertEquals("X", rust.panicIf(false, "x"));
                }
                assertEquals("😀", rust.echoText("😀"), "the candidate answers");
                assertEquals("own words for it", assertThrows(CallException.class, () -> rust.fail("it")).getMessage());
                assertEquals(0, rust.fail("nothing").length);
                assertEquals("\ud800", rust.echoText("\ud800"));
                assertEquals(List.of(3004L, 1L, 0L, 0L, 0L), MetricsTest.counts(rust));
            }
            case "breaker" -> {
                for (int call = 0; call < 300; call++) {
                    assertEquals("X", rust.panicIf(true, "x"));
                }
                assertEquals(":-)", rust.echoText("😀"), "the control answers");
                write(RolloutTest.SHARE + "generation=2\n");
                until("the candidate is not asked again", () -> rust.echoText("😀").equals("😀"));
            }
            case "inputs" -> {
                for (int call = 0; call < 48; call++) {
                    byte[] content = Integer.toString(call % 24).getBytes();
                    // The control returns its argument itself, and the candidate a copy.
                    System.out.print(rust.echoBytes(content) == content ? '.' : 'R');
                }
            }
            case "hostile" -> {
                for (Throwable thrown : List.of(MINE, DEEP, new NoClassDefFoundError(), new IOException(), new IllegalStateException())) {
                    List<String> texts = new Hostile(thrown);
                    assertTrue(rust.echoTexts(texts) == texts, thrown.toString());
                }
            }
            case "files" -> files(rust);
            case "kill" -> kill(rust);
            case "crowd" -> crowd(rust);
            case "throw" -> {
                for (int call = 0; call < 20; call++) {
                    assertSame(MINE, assertThrows(AssertionError.class, () -> rust.echoText("mine")));
                    assertSame(DEEP, assertThrows(StackOverflowError.class, () -> rust.echoText("stack")));
                    assertThrows(CallException.class, () -> rust.echoText("interrupted"));
                    assertTrue(Thread.interrupted());
                }
                Thread.currentThread().interrupt();
                assertEquals("a", rust.echoText("a"));
                assertTrue(Thread.interrupted());
                compared(21);
            }
            case "full" -> {
                Thread filler = new Thread(() -> {
                    try (FileOutputStream error = new FileOutputStream(FileDescriptor.err)) {
                        error.write(new byte[4 << 20]);
                    } catch (IOException e) {
                        // The test has ended.
                    }
                });
                filler.setDaemon(true);
                filler.start();
                Thread.sleep(500);
                for (int call = 0; call < 300; call++) {
                    assertEquals("X", rust.panicIf(true, "x"));
                }
                Files.delete(CONTROL);
                Thread.sleep(1500);
                write(RolloutTest.SHARE);
                until("the file is not read", () -> rust.echoText("😀").equals("😀"));
                System.out.println("done");
                System.out.flush();
                Runtime.getRuntime().halt(0);
            }
            case "mark" -> {
                List<String> marks = new ArrayList<>(RolloutTest.marks(CONTROL));
                assertTrue(marks.remove("0 3:native\n"));
                assertEquals(List.of("1 3:native\n"), marks);
                assertEquals(1, RolloutTest.evidence(CONTROL, ".died").size());
            }
            case "remove" -> {
                removeAll(Path.of(CONTROL + ".evidence"));
                until("it has no file", () -> !RolloutTest.marks(CONTROL).isEmpty());
                rust.hangOn("deeply");
            }
            case "die" -> System.out.print(rust.hangOn("deeply"));
            case "killed" -> {
                rust.echoText("a");
                ProcessHandle own = ProcessHandle.current();
                new ProcessBuilder("kill", "-KILL", Long.toString(own.pid())).start().waitFor();
                Thread.sleep(60_000);
            }
            case "exit" -> {
                // A process that exits while another thread is in a call has not died of it.
                Thread hung = new Thread(() -> rust.hangOn("really"));
                hung.setDaemon(true);
                hung.start();
                until("nobody is in a call", () -> RolloutTest.marks(CONTROL).contains("1 3:native\n"));
                System.exit(0);
            }
            case "itself" -> {
                try (Conformance other = Conformance.load(new Options().tier("3:native"))) {
                    other.ready();
                    assertThrows(CallException.class, () -> other.fail("it"));
                    assertEquals(List.of(1L, 1L, 0L, 0L, 0L), MetricsTest.counts(other));
                }
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        rust.close();
        until("a process outlives its binding", () -> programs().isEmpty());
        until("a thread outlives its binding", () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().matches("tierup-(rollout|shadow)")));
    }

    private static void differ(Conformance rust) throws InterruptedException {
        for (String text : List.of("a", "", "ä\n")) {
            assertEquals(text, rust.echoText(text));
        }
        assertEquals(":-)", rust.echoText("😀"));
        // The candidate panics in the first call.
        assertEquals("X", rust.panicIf(true, "x"));
        assertEquals("X", rust.panicIf(false, "x"));
        // Exceptions with different messages are alike. The caller gets the server's own exception.
        assertEquals("own words for it", assertThrows(CallException.class, () -> rust.fail("it")).getMessage());
        // The control changes its arguments. The candidate gets them unchanged.
        List<String> texts = new ArrayList<>(List.of("a", "b"));
        assertEquals(List.of("a", "b"), rust.echoTexts(texts));
        assertEquals(List.of(), texts);
        // `countCalls` is not pure, so it is not compared.
        assertEquals(0, rust.countCalls());
        // Nor are these calls: Rust would refuse the text, and the bytes are too large.
        assertEquals("\ud800", rust.echoText("\ud800"));
        byte[] large = new byte[65_533];
        assertSame(large, rust.echoBytes(large));
        assertArrayEquals(new byte[1 << 20], rust.echoBytes(new byte[1 << 20]));
        compared(8);
        // The caller changes its answer. That change is not compared.
        byte[] answer = rust.echoBytes(new byte[60_000]);
        answer[0] = 1;
        compared(9);
        assertEquals(List.of(13L, 1L, 0L, 0L, 0L), MetricsTest.counts(rust));
    }

    private static void files(Conformance rust) throws Exception {
        String whole = Files.readString(CONTROL);
        for (String text : RolloutTest.wrong(whole).keySet()) {
            until("the candidate does not answer", () -> rust.echoText("😀").equals("😀"));
            if (text.isEmpty()) {
                Files.delete(CONTROL);
            } else {
                write(text);
            }
            until("the control does not answer: " + text, () -> rust.echoText("😀").equals(":-)"));
            write(whole);
        }
    }

    private static void kill(Conformance rust) throws Exception {
        byte[] large = new byte[60_000];
        for (int round = 0; round < 10; round++) {
            List<ProcessHandle> processes = programs();
            signal(processes, round % 2 == 0 ? "-KILL" : "-STOP");
            for (int call = 0; call < 50; call++) {
                assertEquals("a", rust.echoText("a"));
                assertSame(large, rust.echoBytes(large));
            }
            Thread.sleep(300);
            signal(processes, "-CONT");
        }
        until("calls are not compared again", () -> {
            rust.echoText("a");
            return RolloutTest.lines(CONTROL).stream()
                    .anyMatch(line -> RolloutTest.number(line, "compared") > 0 && RolloutTest.host(line, "calls") >= 1000);
        });
    }

    private static void crowd(Conformance rust) throws Exception {
        Conformance other = bound();
        List<Conformance> both = List.of(rust, other);
        Each.all(64, number -> {
            for (int call = 0; call < 125; call++) {
                assertEquals("a", both.get(number % 2).echoText("a"));
            }
        });
        assertEquals(List.of("0 3:native\n"), RolloutTest.marks(CONTROL));
        rust.close();
        assertEquals("a", other.echoText("a"));
        other.close();
        assertEquals(List.of(4001L, 0L, 0L, 0L, 0L), MetricsTest.counts(other));
        assertEquals(List.of(), RolloutTest.marks(CONTROL));
        bound().close();
        long files = descriptors();
        bound().close();
        bound().close();
        assertEquals(files, descriptors());
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }
}
