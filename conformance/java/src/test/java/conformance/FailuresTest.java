package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;

import local.tierup.conformance.CallException;
import local.tierup.conformance.Conformance;
import local.tierup.conformance.PanicException;
import local.tierup.conformance.RustException;
import local.tierup.conformance.TransportException;
import org.junit.jupiter.api.Test;

class FailuresTest {
    @Test
    void theFunctionsErrorIsAnExceptionWithItsWords() {
        Each.variant(rust -> {
            for (String words : List.of("plain", "", "ä\n\"quoted\" 😀")) {
                RuntimeException thrown = assertThrows(RuntimeException.class, () -> rust.fail(words));
                assertInstanceOf(CallException.class, thrown);
                assertEquals(words, thrown.getMessage());
            }
            CallException refused = assertThrows(CallException.class, () -> rust.checkLimit(3, 2));
            assertEquals("more than 2 is too large", refused.getMessage());
            rust.checkLimit(1, 2);
            assertEquals(12, rust.parseNumber(" 12 "));
        });
    }

    @Test
    void aPanicIsAnExceptionAndTheNextCallWorks() {
        Each.variant(rust -> {
            for (int round = 0; round < 20; round++) {
                String words = "round " + round;
                String message = assertThrows(PanicException.class, () -> rust.panicWith(words)).getMessage();
                assertTrue(message.matches(words + ", at \\S+calls\\.rs:\\d+:\\d+"), message);
                assertThrows(PanicException.class, () -> rust.item(List.of(1L, 2L), 7));
                assertEquals(2, rust.item(List.of(1L, 2L), 1));
            }
        });
    }

    @Test
    void panicsAmongCallsAtOnceHarmOnlyThemselves() {
        Each.variant(rust -> Each.all(500, number -> {
            String text = "text " + number;
            if (number % 10 == 0) {
                assertThrows(PanicException.class, () -> rust.panicIf(true, text));
            } else {
                assertEquals(text.toUpperCase(), rust.panicIf(false, text));
            }
        }));
    }

    @Test
    void whatTheFunctionPrintsDoesNotGetIntoItsAnswer() {
        // At tier 3 it prints to this process, whose output is the test runner's.
        Each.variants(List.of("1:spawn", "1:pool", "2:core"), rust -> {
            assertEquals("cba", rust.printAndReturn("abc"));
            assertEquals("\nx".repeat(1000), rust.printAndReturn("x\n".repeat(1000)));
        });
    }

    @Test
    void aTrappedInstanceIsThrownAway() {
        try (Conformance rust = Each.at("2:core")) {
            rust.countCalls();
            rust.countCalls();
            assertThrows(PanicException.class, () -> rust.panicWith("x"));
            assertEquals(1, rust.countCalls());
        }
    }

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
