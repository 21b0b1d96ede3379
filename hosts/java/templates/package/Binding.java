// Made by tierup; the same in every package. Do not edit.
package {{package}};

import {{package}}.internal.Failure;
import {{package}}.internal.Variant;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** The functions at one tier. It is safe for use by many threads. */
public abstract class Binding implements AutoCloseable {
    private final String tier;
    private final String asked;
    private final String instead;
    final TierupCounts counts = new TierupCounts();
    /** The server's own functions, or those in Rust. The other field is null. */
    final Functions own;
    final Variant variant;
    /** Null unless TIERUP_ROLLOUT is set. */
    final TierupRoll roll;
    private final Runnable release;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    /** {@code make} makes the two sides of a rollout. For such a side it is null. */
    Binding(TierupTiers.Loaded loaded, Function<TierupTiers.Loaded, Binding> make) {
        tier = loaded.tier();
        asked = loaded.asked();
        instead = loaded.instead();
        own = loaded.own();
        variant = loaded.variant();
        release = loaded.release();
        roll = make == null ? null : TierupRoll.begin(loaded, make);
    }

    /** The tier that runs, e.g. {@code 3:native}. */
    public final String tier() {
        return tier;
    }

    /** What runs and why, and how many calls were made and failed. It never blocks. */
    public final Metrics metrics() {
        // In a rollout, only the control's failures reach callers of pure functions.
        TierupCounts control = roll == null ? new TierupCounts() : roll.control.counts;
        long errors = counts.errors.sum() + control.errors.sum();
        long panics = counts.panics.sum() + control.panics.sum();
        long timeouts = counts.timeouts.sum() + control.timeouts.sum();
        long lost = counts.lost.sum() + control.lost.sum();
        // Calls are read after failures, so that there are never fewer calls than failures.
        long calls = counts.calls.sum();
        return new Metrics(
                TierupInterface.NAME, tier, asked, instead, TierupInterface.ABI_TEXT, calls, errors, panics, timeouts, lost);
    }

    /** Returns once calls are answered at full speed: workers have started and modules are instantiated. */
    public final void ready() {
        try {
            if (variant != null) {
                variant.ready();
            }
        } catch (Failure failure) {
            throw TierupCrossing.known(failure);
        }
        if (roll != null) {
            roll.ready();
        }
    }

    /** Makes the golden call of {@code [health]} in tierup.toml. A wrong answer throws a {@link HealthException}. */
    public final void checkHealth() {
        if (TierupInterface.RIGHT.isEmpty()) {
            throw new HealthException(
                    TierupInterface.NAME + " has no golden call: give it a [health] in tierup.toml", null);
        }
        String where = "the golden call of " + TierupInterface.FUNCTIONS.get(TierupInterface.GOLDEN) + " at tier " + tier;
        byte[] answer;
        try {
            answer = TierupCalls.invoke(this, TierupInterface.GOLDEN, TierupInterface.goldenArguments(), 1).answer();
        } catch (RuntimeException e) {
            throw new HealthException(where + " failed: " + Failure.words(e), e);
        }
        if (TierupInterface.GOLDEN_IS_RAW) {
            answer = Arrays.copyOfRange(answer, 4, answer.length);
        }
        String found = sha256(answer);
        if (!TierupInterface.RIGHT.contains(found)) {
            String right = String.join(" or ", TierupInterface.RIGHT);
            throw new HealthException(where + " gave a wrong answer: its SHA-256 is " + found + ", not " + right, null);
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /**
     * Frees this binding's processes and instances. It waits for running calls until their time-out, or 10 seconds
     * without one, then ends those that can be ended. Later calls are refused once a process or an instance is freed.
     */
    @Override
    public final void close() {
        if (isClosed.compareAndSet(false, true)) {
            try {
                if (roll != null) {
                    roll.close();
                }
            } finally {
                release.run();
            }
        }
    }

    /** Counts an exception of the server's own function, and converts it to one that a call in Rust could throw. */
    final RuntimeException own(Throwable e) {
        if (e instanceof RustException known) {
            counts.failed(known);
            return known;
        }
        counts.errors.increment();
        if (e instanceof Error error) {
            throw error;
        }
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return new CallException(Failure.words(e), e);
    }

    /** The exception for a function that the baseline lacks. */
    static UnavailableException missing(String function) {
        return new UnavailableException("the baseline has no function " + function, null);
    }
}
