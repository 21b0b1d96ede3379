// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Threads that do not keep the virtual machine alive, and the results of their tasks. */
final class Threads {
    /** More frames than a call has, including methods of Java's library. */
    private static final int FRAMES = 64;

    private Threads() {}

    static ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /**
     * Fails if the stack is so nearly full that it could overflow later, between locking and unlocking or before a
     * process is given back, where nothing could be repaired. It is called before anything is taken.
     */
    static void needStack() {
        deeper(FRAMES, 1, 2, 3, 4, 5, 6, 7);
    }

    /** The arguments make each frame a hundred bytes large, even in compiled code. */
    private static long deeper(int frames, long a, long b, long c, long d, long e, long f, long g) {
        return frames == 0 ? a : deeper(frames - 1, b, c, d, e, f, g, a) + a + b + c + d + e + f + g;
    }

    /** Rethrows `ThreadDeath`, which newer Javas lack, so that the thread ends. */
    static void endIfStopped(Throwable e) {
        if (e instanceof Error error && e.getClass().getName().equals("java.lang.ThreadDeath")) {
            throw error;
        }
    }

    /** Pauses a thread of tierup's, in nanoseconds. Clears interruptions, which would make it spin. */
    static void pause(long nanos) {
        Thread.interrupted();
        LockSupport.parkNanos(nanos);
    }

    /** Waits for a thread's end; false if that takes too long. Interruptions do not stop it, but are restored. */
    static boolean join(Thread thread, Deadline deadline) {
        boolean wasInterrupted = false;
        while (thread.isAlive() && !deadline.isOver()) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, deadline.left());
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    /** Waits for the result of a task. Interruptions do not stop it, but are restored afterwards. */
    static <T> T joined(Future<T> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Failure failure) {
                throw failure;
            }
            throw new Failure(Failure.Kind.TRANSPORT, Failure.words(e.getCause()), e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
