// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Threads that do not keep the virtual machine from ending, and the results of their tasks. */
final class Threads {
    /** More than a call has, including the methods of Java's library that it calls. */
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
     * Fails if the stack is so near to its end that it could overflow later, between locking and unlocking or before a process
     * is given back, where nothing could be put right. Called before anything is taken.
     */
    static void needStack() {
        deeper(FRAMES, 1, 2, 3, 4, 5, 6, 7);
    }

    /** Its arguments give it a frame of a hundred bytes, even when it is compiled. */
    private static long deeper(int frames, long a, long b, long c, long d, long e, long f, long g) {
        return frames == 0 ? a : deeper(frames - 1, b, c, d, e, f, g, a) + a + b + c + d + e + f + g;
    }

    /** A thread that is to end (`ThreadDeath`, which newer Javas do not have) must end. */
    static void endIfStopped(Throwable e) {
        if (e instanceof Error error && e.getClass().getName().equals("java.lang.ThreadDeath")) {
            throw error;
        }
    }

    /** Of a thread of ours: nobody interrupts it for a reason that it knows of, and it must not spin then. In nanoseconds. */
    static void pause(long nanos) {
        Thread.interrupted();
        LockSupport.parkNanos(nanos);
    }

    /** Waits for a thread's end; false if that takes longer. An interruption does not stop it, and is visible afterwards. */
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

    /** The result of a task, for which this waits. An interruption does not stop it, and is visible afterwards. */
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
