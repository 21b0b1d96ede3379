package server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;

import local.tierup.conformance.Conformance;
import local.tierup.conformance.Functions;
import local.tierup.conformance.Options;
import local.tierup.conformance.UnavailableException;
import org.junit.jupiter.api.Test;

/** What all languages promise is in {@code crates/tierup/tests/conformance/memo.rs}. */
class MemoTest {
    @Test
    void argumentsThatRustWouldRefuseGoToTheBaselineEachTime() {
        AtomicInteger calls = new AtomicInteger();
        Conformance rust = Conformance.load(new Options().tier("0:memo").baseline(new Functions() {
            @Override
            public String echoText(String text) {
                calls.incrementAndGet();
                return text;
            }
        }));
        rust.echoText("\ud800");
        rust.echoText("\ud800");
        assertEquals(2, calls.get());
    }

    @Test
    void workersAreRefusedWithAReason() {
        Options options = new Options().tier("0:workers").baseline(new Own());
        String refused = assertThrows(UnavailableException.class, () -> Conformance.load(options)).getMessage();
        assertTrue(refused.contains("the server's own threads already use all processors"), refused);
    }
}
