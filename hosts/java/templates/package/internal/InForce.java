// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/** The control in force, with the candidate. Without a candidate, it answers no calls. */
final class InForce {
    /** The candidate gets no more calls if more than MOST_FAILED of BLOCK calls panic, time out or get lost. */
    static final int BLOCK = 100;
    private static final int MOST_FAILED = 50;
    /** The key for hashes if the file has none. An input then stays with one side for the process's lifetime. */
    private static final String OWN_KEY = UUID.randomUUID().toString();

    final Control control;
    final byte[] key;
    final Object side;
    final Deaths deaths;
    /** One for each function. */
    final List<Pairing> pairings;
    volatile boolean isSharing;
    /** The candidate's calls since the last block ended, and how many of them failed. */
    private int calls;
    private int failed;

    InForce(Control control, Rollout.Side side, Deaths deaths, List<Pairing> pairings) {
        this.control = control;
        key = (control.key().isEmpty() ? OWN_KEY : control.key()).getBytes(StandardCharsets.UTF_8);
        this.side = side == null ? null : side.calls();
        this.deaths = deaths;
        this.pairings = pairings;
        isSharing = side != null;
    }

    /** Counts a call. If too many of its block have failed, the candidate gets no more, and their number is returned. */
    synchronized int ended(boolean isFailure) {
        failed += isFailure ? 1 : 0;
        calls++;
        if (calls < BLOCK) {
            return 0;
        }
        int all = failed;
        calls = 0;
        failed = 0;
        if (all <= MOST_FAILED || !isSharing) {
            return 0;
        }
        isSharing = false;
        return all;
    }
}
