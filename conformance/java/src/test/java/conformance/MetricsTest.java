package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import java.util.List;
import java.util.Map;

import local.tierup.conformance.CallException;
import local.tierup.conformance.Conformance;
import local.tierup.conformance.Functions;
import local.tierup.conformance.Metrics;
import local.tierup.conformance.Options;
import local.tierup.conformance.PanicException;
import org.junit.jupiter.api.Test;

class MetricsTest {
    /** Calls, errors, panics, time-outs and lost calls. */
    static List<Long> counts(Conformance rust) {
        Metrics now = rust.metrics();
        return List.of(now.calls(), now.errors(), now.panics(), now.timeouts(), now.lost());
    }

    /** Six calls: 3 good ones, an error, a panic, and one whose argument is refused. */
    private static void some(Conformance rust) {
        assertEquals("text", rust.echoText("text"));
        assertEquals(1, rust.echoU8(1));
        rust.doNothing();
        assertThrows(CallException.class, () -> rust.fail("words"));
        assertThrows(PanicException.class, () -> rust.panicWith("words"));
        assertThrows(IllegalArgumentException.class, () -> rust.echoU8(256));
    }

    @Test
    void theCallsOfABindingAreCounted() {
        Each.variant(rust -> {
            try (Conformance other = Each.at(rust.tier())) {
                some(rust);
                assertEquals(List.of(6L, 1L, 1L, 0L, 0L), counts(rust));
                assertEquals(List.of(0L, 0L, 0L, 0L, 0L), counts(other));
            }
            Metrics now = rust.metrics();
            assertEquals(new Metrics("conformance", rust.tier(), rust.tier(), "", now.abi(), 6, 1, 1, 0, 0), now);
            assertEquals(16, now.abi().length());
        });
    }

    @Test
    void anExceptionAndAnErrorOfTheServersOwnAreErrors() {
        AssertionError mine = new AssertionError("mine");
        Functions functions = new Functions() {
            @Override
            public byte[] fail(String words) throws Exception {
                throw new Exception(words);
            }

            @Override
            public void doNothing() {
                throw mine;
            }
        };
        for (String tier : List.of("0", "0:memo")) {
            try (Conformance rust = Conformance.load(new Options().tier(tier).baseline(functions))) {
                assertThrows(CallException.class, () -> rust.fail("words"));
                assertEquals(mine, assertThrows(AssertionError.class, rust::doNothing));
                assertEquals(List.of(2L, 2L, 0L, 0L, 0L), counts(rust));
            }
        }
    }

    @Test
    void theReasonOfAFallBackIsThere() throws Exception {
        String said = Child.run(Map.of("TIERUP_TIER", "3:async", "TIERUP_FALLBACK", "1"), "instead");
        String reason = "conformance cannot run at tier 3:async: threads, including virtual ones, already run calls in parallel; "
                + "use 3:native";
        assertEquals(reason + "; falling back to tier 3:native\n3:native, not 3:async: " + reason + "\n", said);
    }

    @Test
    void timeoutsAreCounted() throws Exception {
        Map<String, String> environment = Map.of("TIERUP_TIER", "1:pool", "TIERUP_CALL_TIMEOUT", "1");
        assertEquals("[1, 0, 0, 1, 0]\n", Child.run(environment, "counts"));
    }

    @Test
    void lostCallsAreCounted() throws Exception {
        String said = Child.run(Map.of("TIERUP_TIER", "1:pool", "TIERUP_WORKERS", "2"), "counts", "killed");
        // The message about the worker's end may come before the counts, after them, or too late to be read.
        assertTrue(said.lines().toList().contains("[1, 0, 0, 0, 1]"), said);
    }

    @Test
    void callsAtOnceAreAllCounted() throws Exception {
        try (Conformance rust = Each.at("3:native")) {
            Each.all(100, number -> {
                for (int call = 0; call < 100; call++) {
                    rust.echoText("text");
                    assertThrows(CallException.class, () -> rust.fail("words"));
                }
            });
            assertEquals(List.of(20_000L, 10_000L, 0L, 0L, 0L), counts(rust));
        }
    }

    @Test
    void micrometerHasThem() {
        try (Conformance rust = Each.at("3:native")) {
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            new TierupMetrics(rust).bindTo(registry);
            some(rust);
            List<String> lines = registry.scrape().lines().toList();
            String info = "tierup_info{abi=\"" + rust.metrics().abi()
                    + "\",asked=\"3:native\",instead=\"\",package=\"conformance\",tier=\"3:native\"} 1";
            for (String line : List.of("tierup_calls_total 6.0", "tierup_errors_total 1.0", "tierup_panics_total 1.0",
                    "tierup_timeouts_total 0.0", "tierup_lost_total 0.0", info)) {
                assertTrue(lines.contains(line), line + " is not in " + lines);
            }
        }
    }
}
