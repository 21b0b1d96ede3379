// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;

/** Threads that do not keep the virtual machine from ending, and what they return. */
final class Threads {
    private Threads() {}

    static ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** What a task returns. It cannot be stopped half way: who waits learns of an interruption afterwards. */
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
