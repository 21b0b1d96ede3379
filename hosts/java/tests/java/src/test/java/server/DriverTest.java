package server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DriverTest {
    /** The numbers of functions in `export` of conformance/tierup.toml. */
    private static final int ECHO_BOOL = 0;
    private static final int ECHO_U8 = 2;
    private static final int ECHO_TEXT = 14;
    private static final int FAIL = 44;

    private Process process;
    private OutputStream requests;
    private DataInputStream answers;

    @BeforeEach
    void start() throws IOException {
        // Java passes on only three descriptors, so a shell turns its standard streams into those of the driver.
        String start = new File(System.getProperty("package"), "driver/start.sh").getPath();
        process = new ProcessBuilder("sh", "-c", "exec 3<&0 4>&1; exec sh \"$0\" </dev/null 1>&2", start)
                .redirectError(Redirect.INHERIT).start();
        requests = process.getOutputStream();
        answers = new DataInputStream(process.getInputStream());
    }

    @AfterEach
    void theEndOfTheRequestsIsTheEndOfTheDriver() throws Exception {
        requests.close();
        boolean ended = process.waitFor(20, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertTrue(ended);
        assertEquals(0, process.exitValue());
    }

    private static byte[] text(String content) {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        return little(4 + bytes.length).putInt(bytes.length).put(bytes).array();
    }

    private static ByteBuffer little(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void check(String row, int function, int repeat, byte[] arguments, int outcome, String content) throws IOException {
        byte[] name = text(row);
        int length = name.length + 12 + arguments.length;
        byte[] request = little(4 + length).putInt(length).put(name).putInt(function).putInt(repeat).putInt(arguments.length)
                .put(arguments).array();
        Thread sender = new Thread(() -> {
            try {
                requests.write(request);
                requests.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        sender.start();
        ByteBuffer head = ByteBuffer.wrap(answers.readNBytes(17)).order(ByteOrder.LITTLE_ENDIAN);
        int whole = head.getInt();
        byte found = head.get();
        assertTrue(head.getLong() >= 0);
        byte[] said = new byte[head.getInt()];
        answers.readFully(said);
        assertEquals(whole, 13 + said.length);
        String words = new String(said, StandardCharsets.UTF_8);
        assertEquals(outcome, found, words);
        assertTrue(words.contains(content), row + ": " + words);
    }

    @Test
    void theDriver() throws IOException {
        byte[] a = text("ä");
        String same = new String(a, StandardCharsets.UTF_8);
        check("0", ECHO_TEXT, 3, a, 0, same);
        check("0:tuned", ECHO_TEXT, 1, a, 0, same);
        check("0:free", ECHO_TEXT, 100, a, 0, same);
        check("0:plain", ECHO_U8, 1, new byte[] {7}, 0, "\7");
        check("0", FAIL, 1, text("words"), 1, "words");
        check("0", ECHO_BOOL, 1, new byte[] {1}, 4, "the baseline has no function echoBool");
        check("0", ECHO_BOOL, 1, new byte[] {2}, 3, "2 is not a valid bool");
        check("0:other", ECHO_TEXT, 1, a, 4, "the package has no function wrong");
        check("0:unnamed", ECHO_TEXT, 1, a, 4, "there is no class own.js");
        check("0:none", ECHO_TEXT, 1, a, 4, "baseline(\"none\", …)");
        check("3:native", ECHO_TEXT, 1, a, 4,
                "cannot run at tier 3:native: no variant is built here: run `tierup build`");
        check("9", ECHO_TEXT, 1, a, 4, "is not a tier");
        check("0", ECHO_TEXT, 1, text("x".repeat(5_000_000)), 0, "xxx");
    }
}
