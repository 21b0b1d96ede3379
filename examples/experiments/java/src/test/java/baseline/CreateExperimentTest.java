package baseline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import local.tierup.experiments.Outcome;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tier 0 alone, against the cases that all servers have in common. */
class CreateExperimentTest {
    private static final JsonNode CASES = JsonMapper.shared().readTree(Path.of("../contract.json"));

    /** A body is a text, texts with how often each comes, or bytes in hexadecimal digits. */
    private static byte[] body(JsonNode contractCase) {
        if (contractCase.has("hex")) {
            return HexFormat.of().parseHex(contractCase.get("hex").stringValue());
        }
        JsonNode body = contractCase.get("body");
        StringBuilder text = new StringBuilder(body.stringValue(""));
        for (JsonNode part : body.isArray() ? body : List.<JsonNode>of()) {
            text.append(part.get(0).stringValue().repeat(part.get(1).intValue()));
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Outcome outcome(int status, String answer) {
        return switch (status) {
            case 200 -> new Outcome.Valid(answer);
            case 422 -> new Outcome.Invalid(answer);
            default -> new Outcome.Malformed(answer);
        };
    }

    @TestFactory
    Stream<DynamicTest> contract() {
        assertTrue(CASES.size() >= 150, "only " + CASES.size() + " cases");
        return CASES.valueStream().map(given -> dynamicTest(given.get("what").stringValue(), () -> {
            Outcome right = outcome(given.get("status").intValue(), given.get("answer").stringValue());
            assertEquals(right, CreateExperiment.createExperiment(body(given), Optional.empty()));
        }));
    }

    @Test
    void aFingerprintIsTheMd5OfNameAndTime() {
        // $ printf new_home_page-1700000000 | md5sum
        String right = CASES.get(0).get("answer").stringValue().replace("new_home_page", "8cee5114650cd4092bbf5ccb020dd8c1");
        assertEquals(new Outcome.Valid(right), CreateExperiment.createExperiment(body(CASES.get(0)), Optional.of(1_700_000_000L)));
    }

    /** What `String(number)` is in JavaScript. Before Java 19, Double.toString has a digit too many for the first. */
    private static final Map<Double, String> NUMBERS = Map.ofEntries(
            Map.entry(0x1p-44, "5.684341886080802e-14"), Map.entry(2e-3, "0.002"),
            Map.entry(0.0, "0"), Map.entry(-0.0, "0"), Map.entry(100.0, "100"), Map.entry(65_000.5, "65000.5"),
            Map.entry(0.1 + 0.2, "0.30000000000000004"), Map.entry(1e-3, "0.001"), Map.entry(1.25e-5, "0.0000125"),
            Map.entry(1e-6, "0.000001"), Map.entry(9.999e-7, "9.999e-7"), Map.entry(1e-7, "1e-7"), Map.entry(1.5e-10, "1.5e-10"),
            Map.entry(5e-324, "5e-324"), Map.entry(1e-323, "1e-323"), Map.entry(1.5e-323, "1.5e-323"));

    @Test
    void numbersAreWrittenAsJavaScriptWritesThem() {
        NUMBERS.forEach((number, text) -> assertEquals(text, NumberJson.of(number)));
    }
}
