package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;

import org.junit.jupiter.api.Test;

/** What all languages promise is in {@code crates/tierup/tests/conformance/limits.rs}. */
class LimitsTest {
    @Test
    void aFullQueueAtSpawnIsAnError() throws Exception {
        String said = Child.run(Map.of("TIERUP_TIER", "1:spawn", "TIERUP_WORKERS", "1", "TIERUP_CALL_QUEUE", "3"), "crowd");
        assertEquals("3 calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)\n", said);
    }

    /** Makes as many large instances as may be kept. */
    @Test
    void whatIsKeptLeavesTheHeapToTheServer() throws Exception {
        String said = Child.run(Map.of("TIERUP_TIER", "2:core", "JDK_JAVA_OPTIONS", "-Xmx200m"), "hoard");
        assertTrue(said.endsWith("\n100 MiB\n"), said);
    }
}
