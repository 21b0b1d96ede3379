package conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import java.util.List;

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
