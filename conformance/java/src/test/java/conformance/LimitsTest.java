package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

/** Endless calls, too many calls, and memory that the server needs as well; each in its own process. */
class LimitsTest {
    private static String endless(String tier) throws Exception {
        return Child.run(Map.of("TIERUP_TIER", tier, "TIERUP_WORKERS", "2", "TIERUP_CALL_TIMEOUT", "6"), "endless");
    }

    @Test
    void twoEndlessCallsLeaveTwoWorkersThatAnswer() throws Exception {
        assertEquals("3 processes, 0 when closed\n", endless("1:pool"));
    }

    @Test
    void anEndlessCallIsEnded() throws Exception {
        for (String tier : List.of("1:spawn", "2:core")) {
            assertTrue(endless(tier).endsWith("0 processes, 0 when closed\n"), tier);
        }
    }

    @Test
    void aFullQueueIsAnError() throws Exception {
        for (String tier : List.of("1:spawn", "1:pool")) {
            String said = Child.run(Map.of("TIERUP_TIER", tier, "TIERUP_WORKERS", "1", "TIERUP_CALL_QUEUE", "3"), "crowd");
            assertEquals("3 calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)\n", said, tier);
        }
    }

    @Test
    void closeGivesUpACallThatDoesNotEnd() throws Exception {
        for (String tier : List.of("1:spawn", "1:pool")) {
            String said = Child.run(Map.of("TIERUP_TIER", tier), "close");
            assertEquals("the pool was closed before the call was answered\n0 processes\n", said, tier);
        }
    }

    @Test
    void limitsAreNumbers() throws Exception {
        for (String name : List.of("TIERUP_WORKERS", "TIERUP_CALL_QUEUE", "TIERUP_CALL_TIMEOUT", "TIERUP_START_TIMEOUT")) {
            for (String wrong : List.of("0", "-1", "1e3", "many")) {
                String said = Child.run(Map.of("TIERUP_TIER", "1:pool", name, wrong), "wrong");
                assertTrue(said.contains(name + " must be a ") && said.contains("`" + wrong + "`"), said);
            }
        }
    }

    /** Makes as many large instances as may be kept. */
    @Test
    void whatIsKeptLeavesTheHeapToTheServer() throws Exception {
        String said = Child.run(Map.of("TIERUP_TIER", "2:core", "JDK_JAVA_OPTIONS", "-Xmx200m"), "hoard");
        assertTrue(said.endsWith("\n100 MiB\n"), said);
    }
}
