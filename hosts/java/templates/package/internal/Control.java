// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of a rollout's control file: the candidate's row; shares of the calls, from 0 to 1; the key for the hash
 * of inputs, or empty; whether evidence may keep calls that differ; how many times as long as the control the candidate may
 * take, or 0 if times are not compared; the time of expiry, in seconds since 1970.
 */
record Control(String candidate, double shadow, double share, boolean isByInput, String key, String generation,
        boolean keepsValues, double slower, double until) {
    /** The largest size of the file, in bytes. */
    private static final int LONGEST = 4096;

    private static final Pattern LINE = Pattern.compile("([\\w-]+)=(.*)", Pattern.DOTALL);
    private static final Pattern PART = Pattern.compile("0?\\.[0-9]+|0|1(\\.0*)?");

    /** Reads the file. It does not wait for anything but a regular file, such as a pipe. */
    static Control read(Path path) throws IOException {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new IllegalArgumentException("it is not a file");
        }
        try (InputStream file = Files.newInputStream(path)) {
            byte[] content = file.readNBytes(LONGEST + 1);
            if (content.length > LONGEST) {
                throw new IllegalArgumentException("it has more than " + LONGEST + " bytes");
            }
            return parse(new String(content, StandardCharsets.UTF_8));
        }
    }

    /** Fails if the text is not a whole control file. Unknown keys are ignored, so that a newer file can be read. */
    static Control parse(String text) {
        if (!text.endsWith("\n")) {
            throw new IllegalArgumentException("its last line has no end: it may be cut");
        }
        Map<String, String> values = new LinkedHashMap<>();
        int next = 0;
        for (int at = 0; at < text.length(); at = next) {
            next = text.indexOf('\n', at) + 1;
            String line = text.substring(at, next - 1);
            Matcher found = LINE.matcher(line);
            String key = found.matches() ? found.group(1) : "";
            if (values.containsKey("checksum")) {
                throw new IllegalArgumentException("`checksum` must be its last line");
            }
            // The checksum detects truncated files, not forged ones.
            if (key.equals("checksum") && !found.group(2).equals(checksum(text.substring(0, at)))) {
                throw new IllegalArgumentException("its checksum does not fit the lines above it");
            }
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            if (key.isEmpty()) {
                throw new IllegalArgumentException("its line " + quoted(line) + " is not key=value");
            }
            if (values.put(key, found.group(2)) != null) {
                throw new IllegalArgumentException("it has `" + key + "` twice");
            }
        }
        return of(values);
    }

    private static Control of(Map<String, String> values) {
        String candidate = values.getOrDefault("candidate", "");
        if (candidate.isEmpty()) {
            throw new IllegalArgumentException("`candidate` is missing");
        }
        return new Control(candidate, part(values, "shadow"), part(values, "share"), choice(values, "by", "call", "input"),
                values.getOrDefault("key", ""), values.getOrDefault("generation", ""),
                choice(values, "keep", "counts", "values"), slower(values.get("slower")), until(values.get("until")));
    }

    private static double part(Map<String, String> values, String key) {
        String text = values.getOrDefault(key, "0");
        if (!PART.matcher(text).matches()) {
            throw new IllegalArgumentException("`" + key + "` must be a number from 0 to 1, such as 0.01, got " + quoted(text));
        }
        return Double.parseDouble(text);
    }

    /** Whether the value is {@code other}, the unusual one. */
    private static boolean choice(Map<String, String> values, String key, String usual, String other) {
        String text = values.getOrDefault(key, usual);
        if (!text.equals(usual) && !text.equals(other)) {
            throw new IllegalArgumentException("`" + key + "` must be " + usual + " or " + other + ", got " + quoted(text));
        }
        return text.equals(other);
    }

    private static double until(String text) {
        double until = text == null ? Double.POSITIVE_INFINITY : number(text);
        if (Double.isNaN(until)) {
            throw new IllegalArgumentException("`until` must be a number of seconds since 1970");
        }
        return until;
    }

    private static double slower(String text) {
        double slower = text == null ? 0 : number(text);
        if (text != null && !(slower >= 1 && slower <= 1000)) {
            throw new IllegalArgumentException("`slower` must be a number from 1 to 1000");
        }
        return slower;
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private static String quoted(String text) {
        return "'" + text.substring(0, Math.min(40, text.length())) + "'";
    }

    private static String checksum(String lines) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(lines.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** The control without its expiry: a later one alone changes nothing. */
    Control renewed() {
        return new Control(candidate, shadow, share, isByInput, key, generation, keepsValues, slower, 0);
    }
}
