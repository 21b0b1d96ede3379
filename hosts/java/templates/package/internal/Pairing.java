// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import {{package}}.internal.Tally.Kind;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compares how long calls of the candidate and of the control take, in pairs of calls of one function, while each side gets
 * half of them. Chance decides who gets a call, so the leads of a candidate that is not slower add up to 0 at most. At other
 * shares, the code of the rarer side is not in the processor's caches. There is one for each
 * function.
 */
final class Pairing {
    /** So many calls of the candidate are not timed: what surrounds them is interpreted at first, then compiled. */
    private static final int WARM_UP = 2000;
    /** The longer time of a pair counts as this many times the shorter one at most: the process may have been stopped. */
    private static final int MOST_APART = 100;

    private final Control control;
    private final Tally tally;
    /** The candidate's calls so far. */
    private final AtomicLong calls = new AtomicLong();
    /** The nanoseconds of a timed call that waits for one of the other side: negative for the candidate's, or 0. */
    private final AtomicLong waiting = new AtomicLong();

    Pairing(Control control, Tally tally) {
        this.control = control;
        this.tally = tally;
    }

    /** Whether a call is timed that is not compared. */
    boolean isTimed(boolean isCandidate) {
        if (control.slower() == 0 || control.share() != 0.5 || control.isByInput()) {
            return false;
        }
        if (isCandidate) {
            calls.incrementAndGet();
        }
        // The same part of the control's calls is compared, and not timed.
        boolean isLeftOut = isCandidate && ThreadLocalRandom.current().nextDouble() < control.shadow();
        return calls.get() > WARM_UP && !isLeftOut;
    }

    /** Takes in how many nanoseconds a side took to give a value. */
    void timed(boolean isCandidate, long took) {
        long signed = isCandidate ? -Math.max(took, 1) : Math.max(took, 1);
        long other;
        boolean isPair;
        do {
            other = waiting.get();
            isPair = other != 0 && other < 0 != isCandidate;
        } while (!waiting.compareAndSet(other, isPair ? 0 : signed));
        if (!isPair) {
            return;
        }
        long candidateTook = -Math.min(other, signed);
        long controlTook = Math.max(other, signed);
        double tolerated = control.slower() * controlTook;
        double lead = (candidateTook - tolerated) / (candidateTook + tolerated);
        tally.count(Kind.PAIRS, 1);
        tally.count(lead > 0 ? Kind.BEHIND : Kind.AHEAD, Math.round(Math.abs(lead) * 1e6));
        tally.count(Kind.SQUARES, Math.round(lead * lead * 1e6));
        tally.count(Kind.CONTROL_NS, Math.min(controlTook, MOST_APART * candidateTook));
        tally.count(Kind.CANDIDATE_NS, Math.min(candidateTook, MOST_APART * controlTook));
    }
}
