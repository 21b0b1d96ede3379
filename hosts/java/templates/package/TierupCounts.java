// Made by tierup; the same in every package. Do not edit.
package {{package}};

import java.util.concurrent.atomic.LongAdder;

/** Counts a binding's calls. */
final class TierupCounts {
    final LongAdder calls = new LongAdder();
    final LongAdder errors = new LongAdder();
    final LongAdder panics = new LongAdder();
    final LongAdder timeouts = new LongAdder();
    final LongAdder lost = new LongAdder();

    /** Counts a call that failed. */
    void failed(RustException e) {
        if (e instanceof CallException) {
            errors.increment();
        } else if (e instanceof PanicException) {
            panics.increment();
        } else if (e instanceof CallTimeoutException) {
            timeouts.increment();
        } else if (e instanceof TransportException) {
            lost.increment();
        }
    }
}
