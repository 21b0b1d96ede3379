// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.util.ArrayDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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

    private final Program program;
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
    private boolean isClosed;
    private int failedStarts;
    private long nextStart = System.nanoTime();

    /** Workers are started when they are needed. */
    public Pool(String name, long abi) {
        this.size = size();
        this.abi = abi;
        this.program = Program.open(name);
    }

    /** TIERUP_WORKERS, or the processors that this process may use, by its container's quota too. */
    private static int size() {
        String asked = System.getenv("TIERUP_WORKERS");
        if (asked == null || asked.isEmpty()) {
            return Processors.available();
        }
        try {
            int size = Integer.parseInt(asked);
            if (size >= 1) {
                return size;
            }
        } catch (NumberFormatException e) {
            // The same words as for a number below 1.
        }
        throw new Failure(Failure.Kind.UNAVAILABLE, "TIERUP_WORKERS is a number from 1 on, not " + asked);
    }

    @Override
    public Answer call(int function, Writer arguments) {
        Threads.needStack();
        Worker worker = take();
        try {
            worker.ask(function, arguments);
            return worker;
        } catch (Throwable e) {
            // Errors too, e.g. an answer for which there is no memory: the process lives, and nobody else knows of it.
            try {
                worker.kill();
            } finally {
                forget();
            }
            throw e;
        }
    }

    private Worker take() {
        while (true) {
            lock.lock();
            try {
                if (isClosed) {
                    throw new Failure(Failure.Kind.TRANSPORT, "the pool is closed");
                }
                Worker worker = idle.pollLast();
                if (worker != null && worker.isUsable()) {
                    return worker;
                }
                if (worker != null) {
                    // It had nothing to do when it died, so that no call is lost with it.
                    worker.kill();
                    count--;
                    continue;
                }
                if (count >= size) {
                    changed.awaitUninterruptibly();
                    continue;
                }
                count++;
            } finally {
                lock.unlock();
            }
            start();
        }
    }

    /** Starts a worker that is counted already. It is put where any call finds it, so that it is lost with none. */
    private void start() {
        Future<Void> start;
        try {
            lock.lock();
            long due = nextStart;
            lock.unlock();
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
                if (Thread.currentThread().isInterrupted()) {
                    break;
                }
            }
            start = starter.submit(this::started);
        } catch (Throwable e) {
            forget();
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
        putBack(worker);
        return null;
    }

    void putBack(Worker worker) {
        lock.lock();
        try {
            idle.addLast(worker);
            tell();
        } finally {
            lock.unlock();
        }
    }

    /** Makes room for another worker. */
    private void forget() {
        lock.lock();
        try {
            count--;
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
            start();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
            while (idle.size() < count) {
                changed.awaitUninterruptibly();
            }
            count = 0;
        } finally {
            lock.unlock();
        }
        idle.forEach(Worker::close);
        idle.clear();
        starter.shutdown();
        program.close();
    }
}
