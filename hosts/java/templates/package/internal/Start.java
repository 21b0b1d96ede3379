// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

/** The start of one worker. It is the pool's, not that of the call that caused it. Everything is guarded by the pool's lock. */
final class Start {
    final int number;
    /** Whether it began after a failed start, before any had succeeded. */
    final boolean isRetry;
    /** Null as long as there is no process. */
    private Worker worker;
    private boolean isGivenUp;
    private boolean isOver;
    /** Null unless it has failed. */
    private Failure failure;
    private long end;

    Start(int number, boolean isRetry) {
        this.number = number;
        this.isRetry = isRetry;
    }

    void created(Worker worker) {
        this.worker = worker;
        if (isGivenUp) {
            worker.giveUp();
        }
    }

    void giveUp() {
        isGivenUp = true;
        if (worker != null) {
            worker.giveUp();
        }
    }

    void finish(Failure failure) {
        this.failure = failure;
        end = System.nanoTime();
        isOver = true;
    }

    boolean isOver() {
        return isOver;
    }

    Failure failure() {
        return failure;
    }

    /** Whether it has failed, and before another one if that has failed too. */
    boolean failedBefore(Start other) {
        return failure != null && (other == null || end - other.end < 0);
    }
}
