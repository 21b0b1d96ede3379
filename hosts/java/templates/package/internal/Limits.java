// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.concurrent.TimeUnit;

/** The limits that the environment sets: how long a call and the start of a worker may take, and how many calls may wait. */
public final class Limits {
    /** A server with more waiting calls than this is unlikely to catch up. */
    private static final int MOST_WAITING = 16_384;
    /** How long a worker may take to start, in seconds. A busy machine needs a small part of this. */
    private static final String START = "30";
    /** How long {@code close} waits for running calls if they have no time-out. */
    private static final long GRACE = TimeUnit.SECONDS.toNanos(10);
    /** A bit more than the companion's longest pause between the starts of workers. */
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(6);
    /** The longest time-out, in seconds: the timers of some hosts take no more. */
    private static final int LONGEST = 1_000_000;

    /** The time-out in seconds as it was given, or empty. */
    private final String timeout;
    private final long timeoutNanos;
    /** The start's time-out in seconds, as it was given. */
    private final String start;
    private final long startNanos;
    /** How many calls may wait for a worker. */
    final int mostWaiting;

    Limits(String timeout, String start, int mostWaiting) {
        this.timeout = timeout;
        this.timeoutNanos = nanos(timeout);
        this.start = start;
        this.startNanos = nanos(start);
        this.mostWaiting = mostWaiting;
    }

    public static Limits read() {
        int waiting = wholeNumber("TIERUP_CALL_QUEUE");
        String start = seconds("TIERUP_START_TIMEOUT");
        return new Limits(seconds("TIERUP_CALL_TIMEOUT"), start.isEmpty() ? START : start,
                waiting == 0 ? MOST_WAITING : waiting);
    }

    /** A variable's value in seconds as it was given; empty if it is not set. */
    private static String seconds(String name) {
        String asked = environment(name);
        double seconds = asked.matches("[0-9]+(\\.[0-9]+)?") ? Double.parseDouble(asked) : 0;
        if (!asked.isEmpty() && !(seconds > 0 && seconds <= LONGEST)) {
            throw new Failure(Failure.Kind.UNAVAILABLE, name + " must be a number of seconds above 0, up to " + LONGEST
                    + ", such as 2.5, got `" + asked + "`");
        }
        return asked;
    }

    private static long nanos(String seconds) {
        return seconds.isEmpty() ? 0 : Math.max(1, (long) (Double.parseDouble(seconds) * 1e9));
    }

    /** A variable's value, or 0 if it is not set. */
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
            // The message below is the same as for a number below 1.
        }
        throw new Failure(Failure.Kind.UNAVAILABLE, name + " must be a whole number of at least 1, got `" + asked + "`");
    }

    private static String environment(String name) {
        String value = System.getenv(name);
        return value == null ? "" : value;
    }

    /** When a call made now must be answered. */
    public Deadline deadline() {
        return timeout.isEmpty() ? Deadline.NEVER : Deadline.in(timeoutNanos);
    }

    /** When a program started now must be ready. */
    Deadline start() {
        return Deadline.in(startNanos);
    }

    /** When a connection made now must have a worker: after a start that is under way, a pause, and its own start. */
    Deadline connection() {
        return Deadline.in(2 * startNanos + LONGEST_PAUSE);
    }

    /** When {@code close}, called now, gives up running calls. */
    Deadline grace() {
        return Deadline.in(timeout.isEmpty() ? GRACE : timeoutNanos);
    }

    Failure waitedTooLong() {
        return new Failure(Failure.Kind.TIMEOUT,
                "no worker was free for the call within " + timeout + " s (TIERUP_CALL_TIMEOUT)");
    }

    public Failure tookTooLong(String how) {
        return new Failure(Failure.Kind.TIMEOUT, "the call took longer than " + timeout + " s (TIERUP_CALL_TIMEOUT)" + how);
    }

    Failure startedTooLate(String program) {
        return new Failure(Failure.Kind.TRANSPORT,
                program + " did not start within " + start + " s (TIERUP_START_TIMEOUT): its process was ended");
    }

    Failure tooMany() {
        return new Failure(Failure.Kind.TRANSPORT,
                mostWaiting + " calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)");
    }

    static Failure closedBefore() {
        return new Failure(Failure.Kind.TRANSPORT, "the pool was closed before the call was answered");
    }
}
