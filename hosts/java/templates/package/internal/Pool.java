// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * {@code 1:pool}: long-lived processes that answer frames, one for each processor or TIERUP_WORKERS of them. A caller takes
 * a worker, writes, reads and puts it back: threads wait for each other only if all workers are busy.
 */
public final class Pool implements Variant {
    /** How long callers and starts whose workers {@code close} has killed may take to notice. */
    private static final long PATIENCE = 5_000_000_000L;

    private final Program program;
    private final Limits limits;
    private final long abi;
    private final int size;
    /** Linux kills a worker when the thread that created it ends: this one stays. */
    private final ExecutorService starter = Executors.newSingleThreadExecutor(Threads.named("tierup-starter"));

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** For {@code ready}. It must not take a signal of {@code changed}, which may be meant for one call. */
    private final Condition startEnded = lock.newCondition();
    /** The one that was put back last is the first to be taken: its memory is in the caches. */
    private final ArrayDeque<Worker> idle = new ArrayDeque<>();
    /** Workers that can be called, and workers with a call. */
    private final List<Worker> workers = new ArrayList<>();
    private final Starts starts = new Starts();
    /** How many calls have no worker yet. */
    private int inLine;
    private boolean isClosed;
    private boolean hasEnded;

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

    /** Waits for a worker that can be called. Without a free worker it starts one, which any call may take. */
    private Worker take(Deadline deadline) {
        lock.lock();
        boolean isWaiting = false;
        boolean hasStartedOne = false;
        try {
            int begun = starts.begun();
            while (true) {
                if (isClosed && !(isWaiting && mayBeServed())) {
                    throw new Failure(Failure.Kind.TRANSPORT, "the pool is closed");
                }
                if (deadline.isOver()) {
                    throw limits.waitedTooLong();
                }
                Worker worker = idleOne();
                if (worker != null) {
                    return worker;
                }
                starts.check(begun);
                Deadline next = deadline;
                if (mayStart(hasStartedOne)) {
                    long pause = starts.pause();
                    if (pause == 0) {
                        hasStartedOne = true;
                        start();
                        continue;
                    }
                    next = deadline.left() < pause ? deadline : Deadline.in(pause);
                }
                // Calls that a missing worker will take do not count.
                if (!isWaiting && inLine - missing() >= limits.mostWaiting) {
                    throw limits.tooMany();
                }
                inLine += isWaiting ? 0 : 1;
                isWaiting = true;
                next.await(changed);
            }
        } catch (Throwable e) {
            // A signal that this call got must reach another one that waits.
            changed.signal();
            throw e;
        } finally {
            inLine -= isWaiting ? 1 : 0;
            if (isClosed) {
                changed.signalAll();
            }
            lock.unlock();
        }
    }

    /** Whether a call that waits may still get a worker once the pool is closed. */
    private boolean mayBeServed() {
        return !idle.isEmpty() || !starts.underWay().isEmpty();
    }

    /** Takes an idle worker, or returns {@code null}. */
    private Worker idleOne() {
        while (true) {
            Worker worker = idle.pollLast();
            if (worker == null || worker.isUsable()) {
                return worker;
            }
            // It died while it was idle, so no call is lost with it.
            workers.remove(worker);
            worker.kill();
        }
    }

    /** How many workers cannot be called: they are starting, or will be started. */
    private int missing() {
        return size - workers.size();
    }

    /** Whether a call without a worker may start one: its first, or one that the starts under way leave wanting. */
    private boolean mayStart(boolean hasStartedOne) {
        int underWay = starts.underWay().size();
        return !isClosed && underWay < missing() && (!hasStartedOne || underWay < inLine);
    }

    /** Creates a process in the thread that stays, and waits in another one until it has started. */
    private Start start() {
        Start start = starts.begin();
        try {
            starter.execute(() -> create(start));
        } catch (Throwable e) {
            fail(start, null, e);
        }
        return start;
    }

    private void create(Start start) {
        Worker worker = null;
        try {
            worker = Worker.spawn(this, program, abi);
            Worker created = worker;
            lock.lock();
            try {
                // From here on, close can end it.
                start.created(created);
            } finally {
                lock.unlock();
            }
            Threads.named("tierup-start").newThread(() -> greet(start, created)).start();
        } catch (Throwable e) {
            fail(start, worker, e);
        }
    }

    private void greet(Start start, Worker worker) {
        try {
            worker.greet(abi, limits);
            lock.lock();
            try {
                workers.add(worker);
                starts.succeed(start);
                startEnded.signalAll();
                putBack(worker);
            } finally {
                lock.unlock();
            }
        } catch (Throwable e) {
            fail(start, worker, e);
        }
    }

    /** After a failed start. {@code worker} is null if there is no process. */
    private void fail(Start start, Worker worker, Throwable reason) {
        try {
            if (worker != null) {
                worker.kill();
            }
        } finally {
            lock.lock();
            try {
                workers.remove(worker);
                starts.fail(start, reason instanceof Failure failure ? failure
                        : new Failure(Failure.Kind.TRANSPORT, Failure.words(reason), reason), !workers.isEmpty());
            } finally {
                changed.signalAll();
                startEnded.signalAll();
                lock.unlock();
            }
        }
    }

    void putBack(Worker worker) {
        lock.lock();
        try {
            if (hasEnded) {
                // Its caller took longer than close waits.
                workers.remove(worker);
                worker.kill();
                return;
            }
            idle.addLast(worker);
            tell();
        } finally {
            lock.unlock();
        }
    }

    /** Makes room for another worker. */
    private void forget(Worker worker) {
        lock.lock();
        try {
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

    /** Returns when all workers can be called; throws the first failure once all starts under way are over. */
    @Override
    public void ready() {
        lock.lock();
        try {
            while (!isClosed && starts.underWay().size() < missing() && starts.pause() > 0) {
                Deadline.in(starts.pause()).await(startEnded);
            }
            List<Start> all = new ArrayList<>(starts.underWay());
            for (int more = isClosed ? 0 : missing() - all.size(); more > 0; more--) {
                all.add(start());
            }
            Start first = null;
            for (Start start : all) {
                while (!start.isOver()) {
                    startEnded.awaitUninterruptibly();
                }
                first = start.failedBefore(first) ? start : first;
            }
            if (first != null && !isClosed) {
                throw first.failure();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        List<Worker> last;
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
            waitUntil(() -> idle.size() == workers.size() && inLine == 0, limits.grace());
            workers.stream().filter(worker -> !idle.contains(worker)).forEach(Worker::giveUp);
            starts.underWay().forEach(Start::giveUp);
            waitUntil(() -> idle.size() == workers.size() && starts.underWay().isEmpty(), Deadline.in(PATIENCE));
            hasEnded = true;
            last = List.copyOf(idle);
            idle.clear();
        } finally {
            lock.unlock();
        }
        Worker.endAll(last);
        starter.shutdown();
        program.close();
    }

    private void waitUntil(BooleanSupplier isSo, Deadline deadline) {
        while (!isSo.getAsBoolean() && !deadline.isOver()) {
            deadline.await(changed);
        }
    }
}
