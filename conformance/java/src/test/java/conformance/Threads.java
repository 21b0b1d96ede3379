package conformance;

import java.lang.reflect.Method;

/** Virtual threads, on a Java that has them (21 and newer). */
final class Threads {
    private static final Method START_VIRTUAL = startVirtual();

    private Threads() {}

    private static Method startVirtual() {
        try {
            return Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    /** Starts a virtual thread, or one with a small stack on an older Java, because the tests start many. */
    static Thread start(Runnable task) {
        if (START_VIRTUAL == null) {
            Thread thread = new Thread(null, task, "test", 64 << 10);
            thread.start();
            return thread;
        }
        try {
            return (Thread) START_VIRTUAL.invoke(null, task);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
