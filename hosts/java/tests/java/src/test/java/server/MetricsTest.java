package server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

import local.tierup.conformance.Conformance;
import local.tierup.conformance.Metrics;
import org.junit.jupiter.api.Test;

class MetricsTest {
    @Test
    void whereNothingIsBuiltThatIsSaidOnceAndInTheMetrics() {
        String words = "conformance: your own code runs, at tier 0, as no variant is built here: run `tierup build`";
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true));
        try {
            for (int round = 0; round < 2; round++) {
                Metrics now = Conformance.load(new Own()).metrics();
                assertEquals(new Metrics("conformance", "0", "", words, now.abi(), 0, 0, 0, 0, 0), now);
            }
        } finally {
            System.setErr(before);
        }
        assertEquals(words + System.lineSeparator(), said.toString());
    }
}
