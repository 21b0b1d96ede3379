// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * {@code 1:pool}: long-lived processes that answer frames, one for each processor or TIERUP_WORKERS of them. A caller
 * takes a worker, writes, reads and puts it back, so threads wait only if all workers are busy. The companion starts
 * the processes.
 */
public final class Pool implements Variant {
    /** How long callers may take to notice that {@code close} has given up their workers. In nanoseconds. */
    private static final long PATIENCE = 5_000_000_000L;

    private final Limits limits = Limits.read();
    private final int size = workers();
    private final Companion companion;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Workers without a call. The last one put back is taken first, as its memory is still in the CPU's caches. */
    private final ArrayDeque<Worker> idle = new ArrayDeque<>();
    /** Workers that a call uses, or that a call or {@code ready} is starting. */
    private final Set<Worker> busy = new HashSet<>();
    /** How many calls wait for a worker. */
    private int waiting;
    private volatile boolean isClosed;
    private boolean hasEnded;

    /** Calls start workers when they need them. */
    public Pool(String name, long abi) {
        if (!Program.IS_POSIX) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "it needs a system with Unix sockets: use 1:spawn");
        }
        companion = new Companion(Program.open(name), abi, limits);
    }

    /** TIERUP_WORKERS, or one for each processor that this process and its container's quota allow. */
    private static int workers() {
        int asked = Limits.wholeNumber("TIERUP_WORKERS");
        return asked == 0 ? Processors.available() : asked;
    }

    @Override
    public Answer call(int function, Writer arguments) {
        Threads.needStack();
        Deadline deadline = limits.deadline();
        while (true) {
            Worker worker = take(deadline);
            try {
                worker.ask(function, arguments, deadline);
                return worker;
            } catch (Throwable e) {
                // Errors too, such as no memory for an answer: nobody will read that answer.
                drop(worker);
                if (!worker.isUnheard) {
                    throw e;
                }
            }
        }
    }

    /** Takes a worker that can be called. Starts one if none is free. */
    private Worker take(Deadline deadline) {
        boolean mayStart = true;
        boolean mayRepeat = true;
        while (true) {
            Worker worker = next(deadline, mayStart);
            try {
                worker.greet(deadline);
                return worker;
            } catch (Throwable e) {
                boolean hasUsable = drop(worker);
                // An interruption closes a connection during its greeting. The call repeats and never sees it.
                boolean isInterrupted = e.getCause() instanceof ClosedByInterruptException;
                if (worker.isUnheard && (mayRepeat || isInterrupted)) {
                    mayRepeat = isInterrupted;
                } else if (hasUsable && e instanceof Failure failure && failure.kind() == Failure.Kind.TRANSPORT) {
                    // From now on the call waits for a worker that can be called.
                    mayStart = false;
                } else {
                    throw e;
                }
            }
        }
    }

    /** Waits for a worker. A new one must be greeted. */
    private Worker next(Deadline deadline, boolean mayStart) {
        lock.lock();
        boolean isWaiting = false;
        try {
            while (true) {
                if (isClosed && !(isWaiting && idle.size() + busy.size() > 0)) {
                    throw new Failure(Failure.Kind.TRANSPORT, "the pool is closed");
                }
                if (deadline.isOver()) {
                    throw limits.waitedTooLong();
                }
                if (!idle.isEmpty() || missing() > 0 && (mayStart || !hasUsable())) {
                    return busyOne();
                }
                if (!isWaiting && waiting >= limits.mostWaiting) {
                    throw limits.tooMany();
                }
                waiting += isWaiting ? 0 : 1;
                isWaiting = true;
                deadline.await(changed);
            }
        } catch (Throwable e) {
            // A signal that woke this call must wake another one that waits.
            changed.signal();
            throw e;
        } finally {
            waiting -= isWaiting ? 1 : 0;
            if (isClosed) {
                changed.signalAll();
            }
            lock.unlock();
        }
    }

    /** Takes an idle worker, or makes a new one. */
    private Worker busyOne() {
        Worker worker = idle.isEmpty() ? new Worker(this, companion) : idle.getLast();
        busy.add(worker);
        idle.pollLast();
        return worker;
    }

    /** How many more workers may be started. */
    private int missing() {
        return size - idle.size() - busy.size();
    }

    private boolean hasUsable() {
        return !idle.isEmpty() || busy.stream().anyMatch(worker -> worker.isGreeted);
    }

    void putBack(Worker worker) {
        lock.lock();
        try {
            busy.remove(worker);
            if (hasEnded) {
                // The call took longer than close waits.
                worker.close();
            } else {
                worker.hasRested = true;
                idle.addLast(worker);
            }
            tell();
        } finally {
            lock.unlock();
        }
    }

    /** Makes room for another worker. Returns whether some worker can be called. */
    private boolean drop(Worker worker) {
        try {
            worker.close();
        } finally {
            lock.lock();
            try {
                busy.remove(worker);
                tell();
                return hasUsable();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Wakes one waiting call. If the pool is being closed, wakes all and {@code close}. */
    private void tell() {
        if (isClosed) {
            changed.signalAll();
        } else {
            changed.signal();
        }
    }

    /** Starts the missing workers. Throws the first failure once all have started or failed. */
    @Override
    public void ready() {
        List<Worker> own = new ArrayList<>();
        lock.lock();
        try {
            for (int more = isClosed ? 0 : missing(); more > 0; more--) {
                own.add(new Worker(this, companion));
            }
            busy.addAll(own);
        } finally {
            lock.unlock();
        }
        Failure first = null;
        try {
            // The workers start concurrently.
            for (BiConsumer<Worker, Deadline> step : List.<BiConsumer<Worker, Deadline>>of(Worker::open, Worker::greet)) {
                for (Worker worker : List.copyOf(own)) {
                    try {
                        step.accept(worker, Deadline.NEVER);
                    } catch (Failure e) {
                        first = first == null ? e : first;
                        own.remove(worker);
                        drop(worker);
                    }
                }
            }
        } finally {
            own.forEach(worker -> {
                if (worker.isGreeted) {
                    putBack(worker);
                } else {
                    drop(worker);
                }
            });
        }
        if (first != null && !isClosed) {
            throw first;
        }
    }

    @Override
    public void close() {
        List<Worker> last;
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
            waitUntil(() -> busy.isEmpty() && waiting == 0, limits.grace());
            busy.forEach(Worker::giveUp);
            waitUntil(busy::isEmpty, Deadline.in(PATIENCE));
            hasEnded = true;
            last = List.copyOf(idle);
            idle.clear();
        } finally {
            lock.unlock();
        }
        Worker.endAll(last);
        companion.close();
    }

    private void waitUntil(BooleanSupplier isSo, Deadline deadline) {
        while (!isSo.getAsBoolean() && !deadline.isOver()) {
            deadline.await(changed);
        }
    }
}
