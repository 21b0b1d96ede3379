// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.util.concurrent.TimeUnit;

/** How long a call may take and how many may wait, as the environment says. */
public final class Limits {
    /** More is likelier a server that is lost than one that catches up. */
    private static final int MOST_WAITING = 16_384;
    /** How long {@code close} waits for calls under way where none has a time-out. */
    private static final long GRACE = TimeUnit.SECONDS.toNanos(10);
    /** More than any timer takes is more than anybody waits. */
    private static final int LONGEST = 1_000_000;

    /** A call's, as it was given and in nanoseconds; empty where it may take as long as it likes. */
    private final String timeout;
    private final long nanos;
    /** How many calls may wait for a worker. */
    final int mostWaiting;

    private Limits(String timeout, long nanos, int mostWaiting) {
        this.timeout = timeout;
        this.nanos = nanos;
        this.mostWaiting = mostWaiting;
    }

    public static Limits read() {
        int waiting = wholeNumber("TIERUP_CALL_QUEUE");
        String timeout = environment("TIERUP_CALL_TIMEOUT");
        double seconds = timeout.matches("[0-9]+(\\.[0-9]+)?") ? Double.parseDouble(timeout) : 0;
        if (!timeout.isEmpty() && !(seconds > 0 && seconds <= LONGEST)) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "TIERUP_CALL_TIMEOUT must be a number of seconds above 0, up to "
                    + LONGEST + ", such as 2.5, got `" + timeout + "`");
        }
        return new Limits(timeout, Math.max(1, (long) (seconds * 1e9)), waiting == 0 ? MOST_WAITING : waiting);
    }

    /** The number that a variable has; 0 where it has none. */
    static int wholeNumber(String name) {
        String asked = environment(name);
        if (asked.isEmpty()) {
            return 0;
        }
        try {
            int number = Integer.parseInt(asked);
            if (number >= 1) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The same words as for a number below 1.
        }
        throw new Failure(Failure.Kind.UNAVAILABLE, name + " must be a whole number of at least 1, got `" + asked + "`");
    }

    private static String environment(String name) {
        String value = System.getenv(name);
        return value == null ? "" : value;
    }

    /** When a call that is made now has to be answered. */
    public Deadline deadline() {
        return timeout.isEmpty() ? Deadline.NEVER : Deadline.in(nanos);
    }

    /** When {@code close} that is called now gives up what is under way. */
    Deadline grace() {
        return Deadline.in(timeout.isEmpty() ? GRACE : nanos);
    }

    Failure waitedTooLong() {
        return new Failure(Failure.Kind.TIMEOUT,
                "no worker was free for the call within " + timeout + " s (TIERUP_CALL_TIMEOUT)");
    }

    public Failure tookTooLong(String how) {
        return new Failure(Failure.Kind.TIMEOUT, "the call took longer than " + timeout + " s (TIERUP_CALL_TIMEOUT)" + how);
    }

    Failure tooMany() {
        return new Failure(Failure.Kind.TRANSPORT,
                mostWaiting + " calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)");
    }

    static Failure closedBefore() {
        return new Failure(Failure.Kind.TRANSPORT, "the pool was closed before the call was answered");
    }
}
