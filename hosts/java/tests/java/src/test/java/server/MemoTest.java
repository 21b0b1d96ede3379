package server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import local.tierup.conformance.Conformance;
import local.tierup.conformance.Functions;
import local.tierup.conformance.Options;
import local.tierup.conformance.UnavailableException;
import org.junit.jupiter.api.Test;

class MemoTest {
    @Test
    void aCallThatWasMadeBeforeIsAnsweredFromMemory() {
        AtomicInteger calls = new AtomicInteger();
        Conformance rust = Conformance.load(new Options().tier("0:memo").baseline(new Functions() {
            @Override
            public String echoText(String text) {
                calls.incrementAndGet();
                return text;
            }

            @Override
            public List<String> echoTexts(List<String> values) {
                calls.incrementAndGet();
                return new ArrayList<>(values);
            }

            @Override
            public void doNothing() {
                calls.incrementAndGet();
            }
        }));
        assertEquals("0:memo", rust.tier());
        for (int round = 0; round < 3; round++) {
            assertEquals("a", rust.echoText("a"));
            assertEquals("b", rust.echoText("b"));
            assertEquals(List.of("a"), rust.echoTexts(List.of("a")));
            rust.doNothing();
        }
        assertEquals(4, calls.get());
        // Arguments that Rust would refuse go to the baseline each time.
        rust.echoText("\ud800");
        rust.echoText("\ud800");
        assertEquals(6, calls.get());
    }

    @Test
    void workersAreRefusedWithAReason() {
        Options options = new Options().tier("0:workers").baseline(new Own());
        String refused = assertThrows(UnavailableException.class, () -> Conformance.load(options)).getMessage();
        assertTrue(refused.contains("the server's own threads already use all processors"), refused);
    }
}
