// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * The starts of a pool's workers: the pauses after failed ones, and which waiting calls a failed start ends. Everything is
 * guarded by the pool's lock.
 *
 * <p>A call waits for a worker at most until the start under way is over and one more has failed. Were each call to wait until
 * some start succeeds, workers that hang in turns would keep it waiting for ever.
 */
final class Starts {
    /** After a failed start the next one waits: this long at first, then twice as long each time. In nanoseconds. */
    private static final long FIRST_WAIT = 50_000_000;
    private static final long LONGEST_WAIT = 5_000_000_000L;

    /** How many have begun. A call keeps the number that it found. */
    private int begun;
    private final List<Start> underWay = new ArrayList<>();
    private int failed;
    private long next = System.nanoTime();
    /** The number of the last start that ended calls, and why it failed. */
    private int fatal;
    private Failure failure;

    int begun() {
        return begun;
    }

    List<Start> underWay() {
        return underWay;
    }

    /** How many nanoseconds the next start has to wait. */
    long pause() {
        return Math.max(0, next - System.nanoTime());
    }

    Start begin() {
        Start start = new Start(begun + 1, failed > 0);
        underWay.add(start);
        begun++;
        return start;
    }

    void succeed(Start start) {
        underWay.remove(start);
        start.finish(null);
        failed = 0;
    }

    /** {@code isServed}: whether a worker can be called, or executes a call. */
    void fail(Start start, Failure reason, boolean isServed) {
        underWay.remove(start);
        start.finish(reason);
        next = System.nanoTime() + Math.min(FIRST_WAIT << failed, LONGEST_WAIT);
        failed = Math.min(failed + 1, 10);
        if (!isServed && start.number > fatal && underWay.stream().allMatch(other -> other.isRetry)) {
            fatal = start.number;
            failure = reason;
        }
    }

    /** Throws if a start has failed that a call has waited for. {@code begun} is the number that the call found. */
    void check(int begun) {
        if (begun < fatal) {
            throw failure;
        }
    }
}
