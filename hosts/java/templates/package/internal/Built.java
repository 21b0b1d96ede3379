// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code tierup build} built: {@code built.json}, as it was when this package was compiled. */
public final class Built {
    /** Why no variant can run if none was built. */
    public static final String NOTHING = "no variant is built here: run `tierup build`";

    // Only tierup writes this file, always in the same form, so a full JSON parser is not needed.
    private static final Pattern ABI = Pattern.compile("\"abi\":\\s*\"([0-9a-f]*)\"");
    private static final Pattern ENTRY = Pattern.compile(
            "\"(\\d:\\w+)\":\\s*\\{\\s*\"built\":\\s*(true|false)(?:,\\s*\"reason\":\\s*\"((?:[^\"\\\\]|\\\\.)*)\")?");

    private final String abi;
    /** The reason why each variant was not built; empty if it was. */
    private final Map<String, String> reasons = new LinkedHashMap<>();

    private Built(String text) {
        Matcher head = ABI.matcher(text);
        abi = head.find() ? head.group(1) : "";
        Matcher entry = ENTRY.matcher(text);
        while (entry.find()) {
            String reason = entry.group(3) == null ? "see `tierup build`" : unescaped(entry.group(3));
            reasons.put(entry.group(1), entry.group(2).equals("true") ? "" : "it could not be built: " + reason);
        }
    }

    /** The record in this package's jar. */
    public static Built read() {
        try (InputStream file = Built.class.getResourceAsStream("/META-INF/tierup/{{package}}/built.json")) {
            return new Built(file == null ? "" : new String(file.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "built.json cannot be read: " + Failure.words(e), e);
        }
    }

    private static String unescaped(String text) {
        return text.replace("\\n", "\n").replace("\\t", "\t").replaceAll("\\\\(.)", "$1");
    }

    /** Whether no build has recorded anything. */
    public boolean isEmpty() {
        return reasons.isEmpty();
    }

    /** Whether a variant was built, but for another interface. */
    public boolean isStale(String wanted) {
        return !abi.isEmpty() && !abi.equals(wanted);
    }

    /** Why a variant is missing; empty if it is built. */
    public String whyNot(String name, String wanted) {
        if (isStale(wanted)) {
            return "the built files have another interface than this package: run `tierup build`";
        }
        return isEmpty() ? NOTHING : reasons.getOrDefault(name, "it was not built: run `tierup build --tiers " + name + "`");
    }
}
