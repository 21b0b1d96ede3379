// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * {@code 1:pool}: long-lived processes that answer frames, one for each processor or TIERUP_WORKERS of them. Whoever
 * calls takes a worker, writes, reads and puts it back: threads wait for each other only where all are busy.
 */
public final class Pool implements Variant {
    /** Where workers die at their start, the next one waits: this long at first, then twice as long each time. */
    private static final long FIRST_WAIT = 50_000_000;
    private static final long LONGEST_WAIT = 5_000_000_000L;

    /** How long those whose workers {@code close} has ended may take to notice. */
    private static final long PATIENCE = 5_000_000_000L;

    private final Program program;
    private final Limits limits = Limits.read();
    private final long abi;
    private final int size;
    /** Linux kills a worker when the thread that started it ends: this one stays. */
    private final ExecutorService starter = Executors.newSingleThreadExecutor(Threads.named("tierup-starter"));

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** The one that was put back last is the first to be taken: its memory is in the caches. */
    private final ArrayDeque<Worker> idle = new ArrayDeque<>();
    /** All that exist or are being started. */
    private int count;
    /** Those that have started. */
    private final List<Worker> workers = new ArrayList<>();
    /** How many calls wait for one. */
    private int waiting;
    private boolean isClosed;
    private boolean hasEnded;
    private int failedStarts;
    private long nextStart = System.nanoTime();

    /** Workers are started when they are needed. */
    public Pool(String name, long abi) {
        int asked = Limits.wholeNumber("TIERUP_WORKERS");
        // Or the processors that this process may use, by its container's quota too.
        this.size = asked == 0 ? Processors.available() : asked;
        this.abi = abi;
        this.program = Program.open(name);
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
            // Errors too, e.g. an answer for which there is no memory: the process lives, and nobody else knows of it.
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

    /** A worker that is free, for which this waits; {@code null} where another one may be started. */
    private Worker idleOne(Deadline deadline) {
        boolean isWaiting = false;
        try {
            while (true) {
                if (isClosed) {
                    throw new Failure(Failure.Kind.TRANSPORT, "the pool is closed");
                }
                if (deadline.isOver()) {
                    // Whoever told this one that something is free shall not have told it in vain.
                    changed.signal();
                    throw limits.waitedTooLong();
                }
                Worker worker = idle.pollLast();
                if (worker != null && worker.isUsable()) {
                    return worker;
                }
                if (worker != null) {
                    // It had nothing to do when it died, so that no call is lost with it.
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

    /** Starts a worker that is counted already. It is put where any call finds it, so that it is lost with none. */
    private void start(Deadline deadline) {
        Future<Void> start;
        try {
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
            start = starter.submit(this::started);
        } catch (RejectedExecutionException e) {
            forget(null);
            // Nothing is started after close.
            throw Limits.closedBefore();
        } catch (Throwable e) {
            forget(null);
            throw e;
        }
        Threads.joined(start);
    }

    /** Runs in the thread that stays. */
    private Void started() {
        Worker worker;
        try {
            worker = Worker.start(this, program, abi);
        } catch (Throwable e) {
            lock.lock();
            count--;
            nextStart = System.nanoTime() + Math.min(FIRST_WAIT << failedStarts, LONGEST_WAIT);
            failedStarts = Math.min(failedStarts + 1, 10);
            changed.signalAll();
            lock.unlock();
            throw e;
        }
        lock.lock();
        failedStarts = 0;
        lock.unlock();
        boolean isKept = false;
        try {
            putBack(worker);
            isKept = true;
        } finally {
            if (!isKept) {
                worker.kill();
                forget(worker);
            }
        }
        return null;
    }

    void putBack(Worker worker) {
        lock.lock();
        try {
            if (hasEnded) {
                // An answer was read for longer than close waits.
                worker.kill();
                return;
            }
            if (!workers.contains(worker)) {
                workers.add(worker);
            }
            idle.addLast(worker);
            tell();
        } finally {
            lock.unlock();
        }
    }

    /** Makes room for another worker; {@code null} is one that was not started. */
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

    /** One that waits can have what there is; where the pool is closed, whoever closes it looks too. */
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

    /** Whether all workers that there are have nothing to do, in time. */
    private boolean areAllIdle(Deadline deadline) {
        while (idle.size() < count && !deadline.isOver()) {
            deadline.await(changed);
        }
        return idle.size() >= count;
    }
}
