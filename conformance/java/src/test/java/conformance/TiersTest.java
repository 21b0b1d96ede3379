package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import local.tierup.conformance.Conformance;
import local.tierup.conformance.HealthException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TiersTest {
    @Test
    void theEnvironmentChoosesTheTier() throws Exception {
        Map<String, String> expected =
                Map.of("", "3:native", "0", "0", "0:free", "0:free", "1", "1:pool", "2", "2:core", "1:spawn", "1:spawn");
        for (Map.Entry<String, String> entry : expected.entrySet()) {
            String said = Child.run(Map.of("TIERUP_TIER", entry.getKey()), "tier");
            assertEquals(entry.getValue() + " text\n", said);
        }
    }

    @Test
    void freeReplaysWhatWasAnsweredByAnotherProcess(@TempDir Path folder) throws Exception {
        Map<String, String> environment = Map.of("TIERUP_TIER", "0:free", "TIERUP_RECORDING", folder.toString());
        for (int process = 0; process < 3; process++) {
            assertEquals("1 1\n", Child.run(environment, "count"));
        }
    }

    @Test
    void fallingBackIsAskedForAndSeen() throws Exception {
        String said = Child.run(Map.of("TIERUP_TIER", "3:async", "TIERUP_FALLBACK", "1"), "tier");
        assertTrue(said.startsWith("conformance cannot run at tier 3:async: threads, including virtual ones"), said);
        assertTrue(said.endsWith("falling back to tier 3:native\n3:native text\n"), said);
    }

    @Test
    void whatCannotRunIsAClearErrorAtStart() {
        Map<String, String> expected = Map.of(
                "0", "pass them with baseline(…) of the Options",
                "0:tuned", "pass them with baseline(\"tuned\", …) of the Options",
                "3:async", "already run calls in parallel; use 3:native",
                "2:component", "Endive does not support components",
                "4", "tierup serve --tier 4",
                "9", "\"9\" is not a tier");
        for (Map.Entry<String, String> entry : expected.entrySet()) {
            String message = assertThrows(RuntimeException.class, () -> Each.at(entry.getKey())).getMessage();
            assertTrue(message.contains(entry.getValue()), message);
        }
    }

    @Test
    void healthWithoutAGoldenCallSaysSo() {
        try (Conformance rust = Each.at("2:core")) {
            String message = assertThrows(HealthException.class, rust::checkHealth).getMessage();
            assertTrue(message.contains("give it a [health]"), message);
        }
    }

    /** FFM if Java has it, otherwise JNI; -Dtierup.native chooses. */
    @Test
    void theWayToNativeCodeCanBeChosen() throws Exception {
        boolean hasForeign = Runtime.version().feature() >= 22;
        for (String way : hasForeign ? List.of("jni", "ffm") : List.of("jni")) {
            String said = Child.run(Map.of("TIERUP_TIER", "3", "JDK_JAVA_OPTIONS", "-Dtierup.native=" + way), "tier");
            assertTrue(said.endsWith("3:native text\n"), said);
        }
    }
}
