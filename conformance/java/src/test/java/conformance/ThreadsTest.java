package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import local.tierup.conformance.CallException;
import local.tierup.conformance.Conformance;
import local.tierup.conformance.PanicException;
import local.tierup.conformance.Point;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ThreadsTest {
    /** An endless call holds no lock: others are answered, and Java collects its garbage. */
    @Test
    void othersRunWhileACallHangs() throws Exception {
        for (String tier : List.of("1:pool", "2:core", "3:native")) {
            String said = Child.run(Map.of("TIERUP_TIER", tier, "TIERUP_WORKERS", "2"), "hang");
            assertTrue(said.endsWith("done\n"), said);
        }
    }

    @Test
    void anInterruptedThreadIsAnsweredAndStaysInterrupted() {
        Each.variant(rust -> {
            Thread.currentThread().interrupt();
            assertEquals("text", rust.echoText("text"));
            assertTrue(Thread.interrupted());
        });
    }

    @Test
    void manyCallsAtOnceAreAllAnswered() {
        Each.variant(rust -> {
            // At 1:spawn each call starts a process, which takes long.
            int many = rust.tier().equals("1:spawn") ? 500 : 10_000;
            Each.all(many, number -> assertEquals("call " + number, rust.echoText("call " + number)));
        });
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void memoryIsFlatOverManyCallsAndPanics() {
        Each.variant(rust -> {
            byte[] content = new byte[16 << 10];
            // At 1:spawn each call starts a process, so many calls would take minutes. A leak would end with its process.
            int many = "1".equals(System.getenv("TIERUP_LONG")) ? 1_000 : 200;
            int times = rust.tier().equals("1:spawn") ? 6 : many;
            rounds(rust, content, times / 2);
            long before = resident();
            long heapBefore = heap();
            rounds(rust, content, times);
            // A leak of a quarter of the content would be 70 MiB.
            long grown = resident() - before;
            assertTrue(grown < 48 << 10, grown + " KiB more outside of the heap");
            long heapGrown = heap() - heapBefore;
            assertTrue(heapGrown < 48 << 10, heapGrown + " KiB more in the heap");
        });
    }

    private static void rounds(Conformance rust, byte[] content, int times) {
        for (int round = 0; round < times; round++) {
            for (int call = 0; call < 89; call++) {
                rust.echoBytes(content);
            }
            assertEquals(new Point(1, 0), rust.echoPoint(new Point(1, 0)));
            for (int call = 0; call < 10; call++) {
                assertThrows(PanicException.class, () -> rust.panicWith("words"));
            }
            assertThrows(CallException.class, () -> rust.fail("words"));
        }
    }

    /** How many KiB of Java's heap are in use. */
    private static long heap() {
        System.gc();
        return (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 10;
    }

    /** How many KiB of memory this process has. The heap has its full size from the start. */
    private static long resident() throws Exception {
        System.gc();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D+", ""));
            }
        }
        throw new AssertionError("Linux tells of no VmRSS");
    }
}
