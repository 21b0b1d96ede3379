// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * {@code 1:pool}: long-lived processes that answer frames, one for each processor or TIERUP_WORKERS of them. Whoever
 * calls takes a worker, writes, reads and puts it back: threads wait for each other only if all are busy.
 */
public final class Pool implements Variant {
    /** After a failed start the next one waits: this long at first, then twice as long each time. In nanoseconds. */
    private static final long FIRST_WAIT = 50_000_000;
    private static final long LONGEST_WAIT = 5_000_000_000L;

    /** How long callers whose workers {@code close} has killed may take to notice. */
    private static final long PATIENCE = 5_000_000_000L;

    private final Program program;
    private final Limits limits;
    private final long abi;
    private final int size;
    /** Linux kills a worker when the thread that created it ends: this one stays. */
    private final ExecutorService starter = Executors.newSingleThreadExecutor(Threads.named("tierup-starter"));

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** The one that was put back last is the first to be taken: its memory is in the caches. */
    private final ArrayDeque<Worker> idle = new ArrayDeque<>();
    /** How many exist or are about to be started. */
    private int count;
    /** Those that have a process. */
    private final List<Worker> workers = new ArrayList<>();
    /** How many calls wait for one. */
    private int waiting;
    private boolean isClosed;
    private boolean isGivenUp;
    private boolean hasEnded;
    private int failedStarts;
    private long nextStart = System.nanoTime();

    /** Workers are started when they are needed. */
    public Pool(String name, long abi) {
        this(Limits.read(), workers(), abi, Program.open(name));
    }

    Pool(Limits limits, int size, long abi, Program program) {
        this.limits = limits;
        this.size = size;
        this.abi = abi;
        this.program = program;
    }

    /** TIERUP_WORKERS, otherwise one for each processor that this process may use, by its container's quota too. */
    private static int workers() {
        int asked = Limits.wholeNumber("TIERUP_WORKERS");
        return asked == 0 ? Processors.available() : asked;
    }

    @Override
    public Answer call(int function, Writer arguments) {
        Threads.needStack();
        Deadline deadline = limits.deadline();
        Worker worker = take(deadline);
        try {
            worker.ask(function, arguments, deadline, limits);
            return worker;
        } catch (Throwable e) {
            // Errors too, such as an answer for which there is no memory: the process is alive, and only this call knows it.
            try {
                worker.kill();
            } finally {
                forget(worker);
            }
            throw e;
        }
    }

    private Worker take(Deadline deadline) {
        while (true) {
            lock.lock();
            try {
                Worker worker = idleOne(deadline);
                if (worker != null) {
                    return worker;
                }
                count++;
            } finally {
                lock.unlock();
            }
            start(deadline);
        }
    }

    /** Waits for a worker that is free; {@code null} if another one may be started. */
    private Worker idleOne(Deadline deadline) {
        boolean isWaiting = false;
        try {
            while (true) {
                if (isClosed) {
                    throw new Failure(Failure.Kind.TRANSPORT, "the pool is closed");
                }
                if (deadline.isOver()) {
                    // A signal that this call got must reach another one that waits.
                    changed.signal();
                    throw limits.waitedTooLong();
                }
                Worker worker = idle.pollLast();
                if (worker != null && worker.isUsable()) {
                    return worker;
                }
                if (worker != null) {
                    // It died while it was idle, so no call is lost with it.
                    worker.kill();
                    workers.remove(worker);
                    count--;
                    continue;
                }
                if (count < size) {
                    return null;
                }
                if (!isWaiting && waiting >= limits.mostWaiting) {
                    throw limits.tooMany();
                }
                waiting += isWaiting ? 0 : 1;
                isWaiting = true;
                deadline.await(changed);
            }
        } finally {
            waiting -= isWaiting ? 1 : 0;
        }
    }

    /** Starts a worker that is counted already. Any call may take it; it starts even if this call's time is over. */
    private void start(Deadline deadline) {
        Future<Void> start;
        try {
            pause(deadline);
            start = begin();
        } catch (RejectedExecutionException e) {
            forget(null);
            // Nothing is started after close.
            throw Limits.closedBefore();
        } catch (Throwable e) {
            forget(null);
            throw e;
        }
        if (!Threads.isDone(start, deadline)) {
            throw limits.waitedTooLong();
        }
        Threads.joined(start);
    }

    /** Waits until another worker may be started. */
    private void pause(Deadline deadline) {
        lock.lock();
        long due = nextStart;
        lock.unlock();
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            if (deadline.isOver()) {
                throw limits.waitedTooLong();
            }
            LockSupport.parkNanos(Math.min(left, deadline.left()));
            if (Thread.currentThread().isInterrupted()) {
                break;
            }
        }
    }

    /** Creates a process in the thread that stays, and waits in another one until it has started. */
    private Future<Void> begin() {
        CompletableFuture<Void> start = new CompletableFuture<>();
        starter.execute(() -> {
            Worker worker = null;
            try {
                worker = spawned();
                Worker spawned = worker;
                Threads.named("tierup-start").newThread(() -> greet(spawned, start)).start();
            } catch (Throwable e) {
                fail(worker, start, e);
            }
        });
        return start;
    }

    /** A worker whose process was just created. From here on, close can end it. */
    private Worker spawned() {
        Worker worker = Worker.spawn(this, program, abi);
        lock.lock();
        try {
            workers.add(worker);
            if (isGivenUp) {
                worker.giveUp();
            }
        } finally {
            lock.unlock();
        }
        return worker;
    }

    private void greet(Worker worker, CompletableFuture<Void> start) {
        try {
            worker.greet(abi, limits);
            lock.lock();
            failedStarts = 0;
            lock.unlock();
            putBack(worker);
            start.complete(null);
        } catch (Throwable e) {
            fail(worker, start, e);
        }
    }

    /** After a failed start, which delays the next one. {@code worker} is null if there is no process. */
    private void fail(Worker worker, CompletableFuture<Void> start, Throwable reason) {
        try {
            if (worker != null) {
                worker.kill();
            }
        } finally {
            lock.lock();
            count--;
            workers.remove(worker);
            nextStart = System.nanoTime() + Math.min(FIRST_WAIT << failedStarts, LONGEST_WAIT);
            failedStarts = Math.min(failedStarts + 1, 10);
            changed.signalAll();
            lock.unlock();
            start.completeExceptionally(reason);
        }
    }

    void putBack(Worker worker) {
        lock.lock();
        try {
            if (hasEnded) {
                // Its caller took longer than close waits.
                worker.kill();
                return;
            }
            idle.addLast(worker);
            tell();
        } finally {
            lock.unlock();
        }
    }

    /** Makes room for another worker; {@code null} is one that has no process. */
    private void forget(Worker worker) {
        lock.lock();
        try {
            count--;
            workers.remove(worker);
            tell();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes one call that waits, or all and {@code close} if the pool is being closed. */
    private void tell() {
        if (isClosed) {
            changed.signalAll();
        } else {
            changed.signal();
        }
    }

    @Override
    public void ready() {
        while (true) {
            lock.lock();
            try {
                if (isClosed || count >= size) {
                    return;
                }
                count++;
            } finally {
                lock.unlock();
            }
            start(Deadline.NEVER);
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
            if (!areAllIdle(limits.grace())) {
                isGivenUp = true;
                workers.stream().filter(worker -> !idle.contains(worker)).forEach(Worker::giveUp);
                areAllIdle(Deadline.in(PATIENCE));
            }
            hasEnded = true;
        } finally {
            lock.unlock();
        }
        idle.forEach(Worker::close);
        idle.clear();
        starter.shutdown();
        program.close();
    }

    /** Waits until all workers are idle; false if the deadline comes first. */
    private boolean areAllIdle(Deadline deadline) {
        while (idle.size() < count && !deadline.isOver()) {
            deadline.await(changed);
        }
        return idle.size() >= count;
    }
}
