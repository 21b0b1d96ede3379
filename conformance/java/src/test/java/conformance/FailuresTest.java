package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;

import local.tierup.conformance.RustException;
import local.tierup.conformance.TransportException;
import org.junit.jupiter.api.Test;

/** What all languages promise is in {@code crates/tierup/tests/conformance/failures.rs}. */
class FailuresTest {
    /** An answer that does not fit into the heap, or a stack overflow, may throw an Error at any place in the package. */
    @Test
    void anErrorOfJavasLeavesNoProcessBehind() throws Exception {
        for (String cause : List.of("starve", "dig")) {
            for (Map.Entry<String, Integer> tier : Map.of("1:spawn", 0, "1:pool", 2).entrySet()) {
                Map<String, String> environment =
                        Map.of("TIERUP_TIER", tier.getKey(), "TIERUP_WORKERS", "4", "JDK_JAVA_OPTIONS", "-Xmx16m");
                String said = Child.run(environment, cause);
                assertTrue(said.endsWith("\n" + tier.getValue() + " processes\n"), cause + " at " + tier.getKey() + ": " + said);
            }
        }
    }

    @Test
    void aClosedBindingRefusesOrAnswers() {
        Each.variant(rust -> {
            Thread closer = new Thread(rust::close);
            Each.all(20, number -> {
                if (number == 10) {
                    closer.start();
                }
                try {
                    for (int call = 0; call < 20; call++) {
                        assertEquals("x", rust.echoText("x"));
                    }
                } catch (RustException e) {
                    assertInstanceOf(TransportException.class, e);
                }
            });
            closer.join();
        });
    }
}
