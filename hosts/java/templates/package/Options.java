// Made by tierup; the same in every package. Do not edit.
package {{package}};

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/** Options of {@link {{facade}}#load(Options)}. */
public final class Options {
    /** Labels of tier 0 that tierup itself defines. */
    static final Set<String> RESERVED = Set.of("free", "memo", "workers");

    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9_-]+");

    /** Baselines by label. The one without a label is tier 0. */
    final Map<String, Functions> baselines = new LinkedHashMap<>();
    String tier = "";

    /** Tier 0: the server's own functions, as they were before Rust. */
    public Options baseline(Functions functions) {
        baselines.put("", Objects.requireNonNull(functions, "the baseline is null"));
        return this;
    }

    /** A further baseline: "tuned" runs as tier 0:tuned. */
    public Options baseline(String label, Functions functions) {
        if (RESERVED.contains(label) || !LABEL.matcher(label).matches()) {
            throw new IllegalArgumentException(
                    "\"" + label + "\" cannot label a baseline: it takes letters, digits, - and _, and is not free, memo or workers");
        }
        baselines.put(label, Objects.requireNonNull(functions, "the baseline \"" + label + "\" is null"));
        return this;
    }

    /** The tier to run instead of the one that TIERUP_TIER names, e.g. "3:native". */
    public Options tier(String name) {
        tier = Objects.requireNonNull(name, "the tier is null");
        return this;
    }
}
