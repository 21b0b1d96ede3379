// Made by tierup; the same in every package. Do not edit.
package {{package}};

import {{package}}.internal.Built;
import {{package}}.internal.Failure;
import {{package}}.internal.Memo;
import {{package}}.internal.Recorder;
import {{package}}.internal.Variant;
import {{package}}.internal.Variants;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Finds what to run: the tier that TIERUP_TIER names, or the best one that was built. */
final class TierupTiers {
    /** All variants in Rust, the best first. If TIERUP_TIER requests none, the first that was built runs. */
    static final List<String> BEST_FIRST = List.of("3:native", "2:core", "1:pool", "1:spawn");

    /** The variants of each tier, the preferred one first. */
    private static final Map<String, List<String>> OF_TIER =
            Map.of("1", List.of("1:pool", "1:spawn"), "2", List.of("2:core"), "3", List.of("3:native"));

    /** Variants of other hosts, and why this host lacks them. */
    private static final Map<String, String> ELSEWHERE = Map.of(
            "2:bindgen", "wasm-bindgen supports only JavaScript; use 2:core",
            "2:component", "Endive does not support components; use 2:core",
            "0:workers", "the server's own threads already use all processors",
            "3:async", "threads, including virtual ones, already run calls in parallel; use 3:native");

    /** What was reported: that tier 0 runs unasked, or instead of what. */
    private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

    private static final String ABI = TierupInterface.ABI_TEXT;

    private final Options options;
    private final String asked;
    private final Built built = Built.read();
    /** Why an unexpected tier runs. */
    private String instead = "";

    /** A tier that was found: the server's own functions or a variant, its release, and facts for {@link Metrics}. */
    record Loaded(String tier, Functions own, Variant variant, Runnable release, String asked, String instead) {}

    private TierupTiers(Options options, String asked) {
        this.options = options;
        this.asked = asked;
    }

    /** Fails if the requested tier cannot run, and nothing that TIERUP_FALLBACK permits. A fallback is reported. */
    static Loaded load(Options options) {
        String asked = options.tier.isEmpty() ? environment("TIERUP_TIER") : options.tier;
        List<String> fallbacks = fallbacks();
        TierupTiers tiers;
        try {
            tiers = new TierupTiers(options, asked);
        } catch (Failure failure) {
            throw unavailable(asked, failure.getMessage(), failure.getCause());
        }
        try {
            return tiers.find(asked);
        } catch (UnavailableException e) {
            if (fallbacks.isEmpty()) {
                throw e;
            }
            return tiers.fallBack(e, fallbacks);
        }
    }

    /** The rows that TIERUP_FALLBACK permits, in order: none for {@code 0}, all for {@code 1}, or those that it lists. */
    private static List<String> fallbacks() {
        String listed = environment("TIERUP_FALLBACK").strip();
        if (listed.equals("0")) {
            return List.of();
        }
        if (listed.equals("1")) {
            return Stream.concat(BEST_FIRST.stream(), Stream.of("0")).toList();
        }
        List<String> names = Stream.of(listed.split(",")).map(String::strip).filter(name -> !name.isEmpty()).toList();
        for (String name : names) {
            if (!name.equals("0") && !name.startsWith("0:") && !BEST_FIRST.contains(name)) {
                throw new IllegalArgumentException("TIERUP_FALLBACK: " + name + " is no variant: use 1, or a list of 0 and "
                        + String.join(", ", BEST_FIRST));
            }
        }
        return names;
    }

    private static void say(String line) {
        if (SAID.add(line)) {
            System.err.println(line);
        }
    }

    /** Exactly this variant in Rust: the candidate of a rollout. */
    static Loaded candidate(String name) {
        return new TierupTiers(new Options(), name).find(name);
    }

    private static String environment(String name) {
        String value = System.getenv(name);
        return value == null ? "" : value;
    }

    private Loaded find(String wanted) {
        String name = nameOf(withoutAlternative(wanted));
        if (name.startsWith("0")) {
            return baseline(name, name.length() > 2 ? name.substring(2) : "");
        }
        String reason = built.whyNot(name, ABI);
        if (!reason.isEmpty()) {
            throw unavailable(name, reason, null);
        }
        try {
            Variants.alternative = TierupInterface.ALTERNATIVES.indexOf(alternative()) + 1;
            Variant variant = Variants.take(name, TierupInterface.NAME, TierupInterface.ABI);
            String chosen = alternative();
            String tier = chosen.isEmpty() ? name : name + "#" + chosen;
            return new Loaded(tier, null, variant, () -> Variants.give(name), asked, instead);
        } catch (Failure failure) {
            throw unavailable(name, failure.getMessage(), failure.getCause());
        }
    }

    /** NAME of TIERUP_TIER=3:native#NAME, or "". Rust reads it once, so the whole process calls one implementation. */
    private static String alternative() {
        return environment("TIERUP_TIER").replaceFirst("^[^#]*#?", "");
    }

    /** The requested row without its alternative: 3:native for 3:native#NAME. */
    private static String withoutAlternative(String asked) {
        int mark = asked.indexOf('#');
        String base = mark < 0 ? asked : asked.substring(0, mark);
        String name = mark < 0 ? "" : asked.substring(mark + 1);
        boolean isBaseline = base.equals("0") || base.startsWith("0:");
        if (isBaseline && mark >= 0) {
            throw new IllegalArgumentException(asked + " is not a tier: " + base + " runs no Rust, so it has no alternatives");
        }
        if (mark >= 0 && !TierupInterface.ALTERNATIVES.contains(name)) {
            throw new IllegalArgumentException(TierupInterface.NAME + " has no alternative '" + name
                    + "': [function.alternatives] in tierup.toml has "
                    + (TierupInterface.ALTERNATIVES.isEmpty() ? "none" : String.join(", ", TierupInterface.ALTERNATIVES)));
        }
        if (!isBaseline && !name.equals(alternative())) {
            throw new IllegalArgumentException("an alternative holds for the whole process: set TIERUP_TIER=" + asked
                    + ", rather than ask for " + asked + " beside another");
        }
        return base;
    }

    /** The name of the requested row. */
    private String nameOf(String asked) {
        if (asked.isEmpty()) {
            return best();
        }
        if (ELSEWHERE.containsKey(asked)) {
            throw unavailable(asked, ELSEWHERE.get(asked), null);
        }
        if (asked.equals("0") || asked.startsWith("0:") && asked.length() > 2 || BEST_FIRST.contains(asked)) {
            return asked;
        }
        if (asked.equals("4") || asked.equals("4:server")) {
            throw new IllegalArgumentException("tier 4 is a separate server, which " + TierupInterface.NAME
                    + " cannot load: run `tierup serve --tier 4`");
        }
        List<String> names = OF_TIER.get(asked);
        if (names == null) {
            throw new IllegalArgumentException("\"" + asked + "\" is not a tier: use 0, 0:free, 0:memo, 0:LABEL, 1, 2, 3 or one of "
                    + String.join(", ", BEST_FIRST));
        }
        return names.stream().filter(name -> built.whyNot(name, ABI).isEmpty()).findFirst()
                .orElseThrow(() -> unavailable(asked, reasons(names), null));
    }

    /** The best variant that was built, or the baseline if none was. */
    private String best() {
        // A variant was built for another interface. Running the baseline would hide that.
        if (built.isStale(ABI)) {
            throw new UnavailableException(TierupInterface.NAME + " cannot run: " + built.whyNot("", ABI), null);
        }
        for (String name : BEST_FIRST) {
            if (built.whyNot(name, ABI).isEmpty()) {
                return name;
            }
        }
        if (options.baselines.containsKey("")) {
            instead = TierupInterface.NAME + ": your own code runs, at tier 0, as " + Built.NOTHING;
            say(instead);
            return "0";
        }
        throw new UnavailableException(
                TierupInterface.NAME + " has nothing to run: it has no baseline, and " + reasons(BEST_FIRST), null);
    }

    private String reasons(List<String> names) {
        if (built.isEmpty()) {
            return Built.NOTHING;
        }
        StringBuilder text = new StringBuilder();
        names.forEach(name -> text.append("\n  ").append(name).append(": ").append(built.whyNot(name, ABI)));
        return text.toString();
    }

    private Loaded baseline(String name, String label) {
        boolean isAround = Options.RESERVED.contains(label);
        Functions own = options.baselines.get(isAround ? "" : label);
        if (own == null) {
            String option = label.isEmpty() || isAround ? "baseline(…)" : "baseline(\"" + label + "\", …)";
            throw new IllegalArgumentException("tier " + name + " needs the functions that " + TierupInterface.NAME
                    + " replaces: pass them with " + option + " of the Options");
        }
        if (isAround) {
            try {
                own = TierupCalls.around(own, label.equals("memo")
                        ? new Memo(environment("TIERUP_MEMO_COUNTS"))
                        : new Recorder(environment("TIERUP_RECORDING")));
            } catch (Failure failure) {
                throw unavailable(name, failure.getMessage(), failure.getCause());
            }
        }
        return new Loaded(name, own, null, () -> {}, asked, instead);
    }

    private Loaded fallBack(UnavailableException reason, List<String> names) {
        instead = inOneLine(reason);
        StringBuilder others = new StringBuilder();
        for (String name : names) {
            try {
                String at = name.startsWith("0") || alternative().isEmpty() ? name : name + "#" + alternative();
                Loaded loaded = find(at);
                say(instead + "; falling back to tier " + name);
                return loaded;
            } catch (RustException | IllegalArgumentException e) {
                others.append("\n  ").append(inOneLine(e));
            }
        }
        throw new UnavailableException(reason.getMessage() + "\nnor at what TIERUP_FALLBACK permits:" + others, reason);
    }

    private static String inOneLine(Exception e) {
        return e.getMessage().replaceAll("\\s+", " ");
    }

    private static UnavailableException unavailable(String tier, String reason, Throwable cause) {
        String at = tier.isEmpty() ? "" : " at tier " + tier;
        return new UnavailableException(TierupInterface.NAME + " cannot run" + at + ": " + reason, cause);
    }
}
