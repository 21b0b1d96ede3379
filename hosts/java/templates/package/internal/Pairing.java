// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import {{package}}.internal.Tally.Kind;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Compares how long calls of the candidate and of the control take, in pairs of one call each, while each side gets half
 * of the calls. Chance decides who gets a call, so a candidate that is not slower loses no more than half of the pairs,
 * whatever the calls are. At other shares, the code of the rarer side is not in the processor's caches.
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

    /** Whether calls are timed. */
    boolean isTimed(InForce now) {
        Control control = now.control;
        return control.slower() > 0 && control.share() == 0.5 && !control.isByInput() && now.isSharing
                && tally.sum(Kind.SHARED) > WARM_UP;
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
        double tolerated = now.control.slower() * control;
        double lead = (candidate - tolerated) / (candidate + tolerated);
        tally.count(lead > 0 ? Kind.BEHIND : Kind.AHEAD, Math.round(Math.abs(lead) * 1e6));
        tally.count(Kind.SQUARES, Math.round(lead * lead * 1e6));
        tally.count(Kind.CONTROL_NS, control);
        tally.count(Kind.CANDIDATE_NS, candidate);
    }
}
