// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The time by which something must be over. */
public final class Deadline {
    static final Deadline NEVER = new Deadline(0);

    private final long time;

    private Deadline(long time) {
        this.time = time;
    }

    static Deadline in(long nanos) {
        return new Deadline(System.nanoTime() + nanos);
    }

    public boolean isNever() {
        return this == NEVER;
    }

    /** The nanoseconds left. */
    long left() {
        return isNever() ? Long.MAX_VALUE : time - System.nanoTime();
    }

    boolean isOver() {
        return left() <= 0;
    }

    /** Locks; false if that takes too long. An interruption does not stop it, but is restored afterwards. */
    boolean lock(ReentrantLock lock) {
        boolean wasInterrupted = false;
        try {
            while (true) {
                try {
                    return lock.tryLock(left(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    wasInterrupted = true;
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for a signal until the deadline. An interruption does not stop it, but is restored afterwards. */
    void await(Condition condition) {
        if (isNever()) {
            condition.awaitUninterruptibly();
            return;
        }
        boolean wasInterrupted = Thread.interrupted();
        try {
            condition.awaitNanos(left());
        } catch (InterruptedException e) {
            // The caller checks its condition again.
            wasInterrupted = true;
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Runs {@code end} at the deadline, in another thread, unless the watch is stopped before. */
    public Watch watch(Runnable end) {
        if (isNever()) {
            return Watch.NONE;
        }
        Watch watch = new Watch(end);
        watch.task = Clock.CLOCK.schedule(watch::end, left(), TimeUnit.NANOSECONDS);
        return watch;
    }

    /** A watch. Its owner must stop it. */
    public static final class Watch {
        private static final Watch NONE = new Watch(null);

        private final Runnable end;
        private Future<?> task;
        private boolean isStopped;
        private boolean hasEnded;

        private Watch(Runnable end) {
            this.end = end;
        }

        private synchronized void end() {
            if (!isStopped) {
                hasEnded = true;
                end.run();
            }
        }

        /** Stops the watch; true if {@code end} has already run. */
        public boolean stop() {
            if (this == NONE) {
                return false;
            }
            task.cancel(false);
            synchronized (this) {
                isStopped = true;
                return hasEnded;
            }
        }
    }

    /** One thread for all watches. It ends when there are none. */
    private static final class Clock {
        static final ScheduledThreadPoolExecutor CLOCK = clock();

        private static ScheduledThreadPoolExecutor clock() {
            ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, Threads.named("tierup-clock"));
            // Otherwise answered calls would stay in memory until their time-out.
            clock.setRemoveOnCancelPolicy(true);
            clock.setKeepAliveTime(10, TimeUnit.SECONDS);
            clock.allowCoreThreadTimeOut(true);
            return clock;
        }
    }
}
