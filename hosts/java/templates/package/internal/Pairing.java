// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import {{package}}.internal.Tally.Kind;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compares how long calls of the candidate and of the control take, in pairs of one call each. Chance decides who gets a
 * call, and with the same probability for both sides, whether it is timed. So a candidate that is not slower loses no
 * more than half of the pairs, whatever the calls are.
 */
final class Pairing {
    /** So many calls of the candidate are not timed: what surrounds them is interpreted at first, then compiled. */
    private static final int WARM_UP = 2000;

    private final Tally tally;
    /** The nanoseconds of a timed call that waits for one of the other side: negative for the candidate's, or 0. */
    private final AtomicLong waiting = new AtomicLong();

    Pairing(Tally tally) {
        this.tally = tally;
    }

    /** Whether a side's call is timed. */
    boolean isTimed(InForce now, boolean isCandidate) {
        if (now.control.slower() == 0 || now.control.isByInput() || !now.isSharing || tally.sum(Kind.SHARED) <= WARM_UP) {
            return false;
        }
        double odds = now.control.share() / (1 - now.control.share());
        return ThreadLocalRandom.current().nextDouble() < (isCandidate ? 1 / odds : odds);
    }

    /** Takes in how many nanoseconds a side took to give a value. */
    void timed(InForce now, boolean isCandidate, long took) {
        long signed = isCandidate ? -Math.max(took, 1) : Math.max(took, 1);
        long before = waiting.getAndSet(signed);
        if (before == 0 || before < 0 == isCandidate) {
            return;
        }
        waiting.set(0);
        long candidate = -Math.min(before, signed);
        long control = Math.max(before, signed);
        tally.count(Kind.PAIRS, 1);
        tally.count(Kind.SLOWER, candidate > now.control.slower() * control ? 1 : 0);
        tally.count(Kind.CONTROL_NS, control);
        tally.count(Kind.CANDIDATE_NS, candidate);
    }
}
