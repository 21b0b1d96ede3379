package conformance;

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
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import local.tierup.conformance.CallException;
import local.tierup.conformance.Conformance;
import local.tierup.conformance.Options;

/** A server of a process of its own, whose environment names a control file: the tasks of {@link RolloutTest}. */
final class Rolled {
    private static final Path CONTROL = Path.of(System.getenv().getOrDefault("TIERUP_ROLLOUT", ""));
    private static final AssertionError MINE = new AssertionError("mine");
    private static final StackOverflowError DEEP = new StackOverflowError();

    private Rolled() {}

    /** Also throws. */
    private static final class Throwing extends Different {
        @Override
        public String echoText(String text) throws Exception {
            switch (text) {
                case "mine" -> throw MINE;
                case "stack" -> throw DEEP;
                case "interrupted" -> throw new InterruptedException();
                default -> {
                    return super.echoText(text);
                }
            }
        }

        @Override
        public List<String> echoTexts(List<String> texts) {
            return texts instanceof Hostile ? texts : super.echoTexts(texts);
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
        Conformance rust = Conformance.load(new Options().tier("0").baseline(new Throwing()));
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
            case "compared" -> {
                assertEquals("1234\ud800", rust.echoText("1234\ud800"));
                // The caller gets the server's own exception.
                assertEquals("own words for it", assertThrows(CallException.class, () -> rust.fail("it")).getMessage());
                // The control changes its arguments, and the caller the answer. Neither change is compared.
                List<String> texts = new ArrayList<>(List.of("a", "b"));
                assertEquals(List.of("a", "b"), rust.echoTexts(texts));
                assertEquals(List.of(), texts);
                byte[] content = new byte[60_000];
                byte[] answer = rust.echoBytes(content);
                assertSame(content, answer);
                answer[0] = 1;
                compared(3);
                until("the reason is not told", () -> RolloutTest.lines(CONTROL).toString().contains("\"refusal\":\"echoText: text: "));
                // It may contain a value, which is forgotten with the line that asks for it.
                write(RolloutTest.SHADOW.replace("keep=values\n", ""));
                until("the reason is not forgotten", () -> RolloutTest.lines(CONTROL).toString().contains("\"refusal\":\"echoText\""));
                assertEquals(List.of(4L, 1L, 0L, 0L, 0L), MetricsTest.counts(rust));
            }
            case "shared" -> {
                assertEquals("X", rust.panicIf(true, "x"));
                assertEquals("\ud800", rust.echoText("\ud800"));
                assertEquals("own words for it", assertThrows(CallException.class, () -> rust.fail("it")).getMessage());
                assertEquals(List.of(3L, 1L, 0L, 0L, 0L), MetricsTest.counts(rust));
            }
            case "hostile" -> {
                for (Throwable thrown : List.of(MINE, DEEP, new NoClassDefFoundError(), new IOException(), new IllegalStateException())) {
                    List<String> texts = new Hostile(thrown);
                    assertTrue(rust.echoTexts(texts) == texts, thrown.toString());
                }
            }
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
            case "exit" -> {
                // A process that exits while another thread is in a call has not died of it.
                Thread hung = new Thread(() -> rust.hangOn("really"));
                hung.setDaemon(true);
                hung.start();
                until("nobody is in a call", () -> RolloutTest.marks(CONTROL).contains("1 3:native\n"));
                System.exit(0);
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        rust.close();
        until("a process outlives its binding", () -> programs().isEmpty());
        until("a thread outlives its binding", () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().matches("tierup-(rollout|shadow)")));
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
