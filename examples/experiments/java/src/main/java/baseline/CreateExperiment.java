package baseline;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import local.tierup.experiments.Outcome;
import tools.jackson.databind.JsonNode;

/** Tier 0: how the server checked experiments before there was any Rust. */
public final class CreateExperiment {
    private CreateExperiment() {}

    /** The experiment that is in a body, or what is wrong with it. {@code fingerprintAt} is in seconds since 1970. */
    public static Outcome createExperiment(byte[] body, Optional<Long> fingerprintAt) {
        JsonNode experiment;
        try {
            experiment = ReadJson.read(body);
        } catch (MalformedBody e) {
            return new Outcome.Malformed(WriteJson.problems(List.of(new Problem("", e.getMessage()))));
        }
        List<Problem> problems = new Check().problems(experiment);
        if (!problems.isEmpty()) {
            return new Outcome.Invalid(WriteJson.problems(problems));
        }
        String name = experiment.get("name").stringValue();
        String answered = fingerprintAt.map(seconds -> md5(name + "-" + Long.toUnsignedString(seconds))).orElse(name);
        return new Outcome.Valid(WriteJson.experiment(answered, experiment.get("variants")));
    }

    /** It tells experiments apart; it protects nothing. */
    private static String md5(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
        }
    }
}
