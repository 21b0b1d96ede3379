// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.util.concurrent.ThreadFactory;

/** Threads that do not keep the virtual machine from ending. */
final class Threads {
    private Threads() {}

    static ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
