// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** The counts of a rollout in this process. */
public final class Tally {
    /** The most characters of a refusal. */
    private static final int MOST_REFUSAL = 100;

    /** The kinds of counts. */
    public enum Kind { CALLS, SAMPLED, TOO_LARGE, REFUSED, DROPPED, SHARED, ERRED, ERRORS, PANICS, TIMEOUTS, LOST,
            PAIRS, AHEAD, BEHIND, SQUARES, CONTROL_NS, CANDIDATE_NS }

    /** A function whose arguments the candidate refused, and why. */
    private record Refused(String function, String why) {}

    private final String machine;
    private final long began;
    private final LongAdder[] counts = Stream.generate(LongAdder::new).limit(Kind.values().length).toArray(LongAdder[]::new);
    /** The first refusal. */
    private final AtomicReference<Refused> refusal = new AtomicReference<>();

    /** {@code began}: in milliseconds since 1970. */
    Tally(String machine, long began) {
        this.machine = machine;
        this.began = began;
    }

    void count(Kind kind, long by) {
        counts[kind.ordinal()].add(by);
    }

    /** Counts arguments that the control has answered and the candidate refuses. The reason may contain values. */
    void refuse(String function, String why) {
        count(Kind.REFUSED, 1);
        refusal.compareAndSet(null, new Refused(function, why));
    }

    /** The counts as JSON. Without {@code keepsValues}, it omits reasons of refusals: they may contain values. */
    String json(String candidate, boolean keepsValues) {
        if (!keepsValues) {
            refusal.updateAndGet(before -> before == null ? null : new Refused(before.function, ""));
        }
        StringBuilder text = new StringBuilder("{\"process\":\"" + ProcessHandle.current().pid() + "\",\"began\":" + began);
        text.append(",\"machine\":").append(quoted(machine));
        for (Kind kind : Kind.values()) {
            String name = kind.name().toLowerCase(Locale.ROOT);
            text.append(",\"").append(name).append("\":").append(counts[kind.ordinal()].sum());
        }
        if (!candidate.isEmpty()) {
            text.append(",\"candidate\":").append(quoted(candidate));
        }
        Refused first = refusal.get();
        if (first != null) {
            String words = first.why.isEmpty() ? first.function : first.function + ": " + first.why;
            text.append(",\"refusal\":").append(quoted(words.substring(0, Math.min(MOST_REFUSAL, words.length()))));
        }
        return text.append("}").toString();
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char unit : text.toCharArray()) {
            if (unit < ' ' || unit == '"' || unit == '\\') {
                quoted.append(String.format("\\u%04x", (int) unit));
            } else {
                quoted.append(unit);
            }
        }
        return quoted.append('"').toString();
    }
}
