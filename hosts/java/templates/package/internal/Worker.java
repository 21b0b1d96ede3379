// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One process of the pool. It writes 8 bytes when it has started, the hash of its interface, and then answers frames in
 * their order. It ends when its standard input does, so it never outlives this process.
 */
final class Worker implements Answer {
    /** How long a worker may take to end by itself before it is killed. In nanoseconds. */
    private static final long PATIENCE = 5_000_000_000L;
    /** The size of the largest buffer that is kept after a call. */
    private static final int KEPT = 1 << 20;

    private final Pool pool;
    private final Program program;
    private final Process process;
    private final OutputStream input;
    private final InputStream output;
    private final byte[] head = new byte[4];
    private byte[] answer = new byte[512];
    private int length;
    /** Whether the pool gave it up, with its call. */
    private volatile boolean isGivenUp;

    private Worker(Pool pool, Program program, Process process) {
        this.pool = pool;
        this.program = program;
        this.process = process;
        input = process.getOutputStream();
        output = process.getInputStream();
    }

    /** Creates its process, which cannot be asked before {@link #greet}. */
    static Worker spawn(Pool pool, Program program, long abi) {
        Process process = program.start("--tierup-worker", String.format("%016x", abi));
        boolean isKept = false;
        try {
            Worker worker = new Worker(pool, program, process);
            isKept = true;
            return worker;
        } finally {
            if (!isKept) {
                process.destroyForcibly();
            }
        }
    }

    /** Waits until it has started. After anything thrown it is to be killed. */
    void greet(long abi, Limits limits) {
        byte[] found = new byte[8];
        boolean isRead = false;
        Deadline.Watch watch = limits.start().watch(process::destroyForcibly);
        try {
            read(found, found.length);
            isRead = true;
        } catch (IOException e) {
            // Why it ended is clear only when the watch is stopped.
        } finally {
            watch.stop();
        }
        if (isGivenUp) {
            throw Limits.closedBefore();
        }
        if (watch.stop()) {
            // Even if it started in the moment in which it was killed.
            throw limits.startedTooLate(program.name());
        }
        if (!isRead) {
            throw lost();
        }
        if (ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN).getLong() != abi) {
            throw new Failure(Failure.Kind.TRANSPORT, program.name() + " was built for another interface: run `tierup build`");
        }
    }

    /** Sends a frame and reads its answer, which is valid until the next call. After anything thrown it is to be killed. */
    void ask(int function, Writer arguments, Deadline deadline, Limits limits) {
        Deadline.Watch watch = deadline.watch(process::destroyForcibly);
        Failure failure = null;
        try {
            exchange(function, arguments);
        } catch (Failure e) {
            failure = e;
        } finally {
            // Whatever was thrown.
            watch.stop();
        }
        if (isGivenUp) {
            throw Limits.closedBefore();
        }
        if (watch.stop()) {
            // Even if it answered in the moment in which it was killed.
            throw limits.tookTooLong(": its process was ended");
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void exchange(int function, Writer arguments) {
        byte[] frame = arguments.frame();
        ByteBuffer room = ByteBuffer.wrap(frame, 0, Writer.ROOM).order(ByteOrder.LITTLE_ENDIAN);
        room.putInt(arguments.length() - 4).putInt(function);
        try {
            input.write(frame, 0, arguments.length());
            input.flush();
            read(head, head.length);
            length = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt();
            if (length < 0) {
                throw new Failure(Failure.Kind.TRANSPORT, "the answer is larger than 2 GiB");
            }
            if (answer.length < length || answer.length > Math.max(length, KEPT)) {
                answer = new byte[Math.max(length, 512)];
            }
            read(answer, length);
        } catch (IOException e) {
            throw lost();
        }
    }

    private void read(byte[] to, int count) throws IOException {
        if (output.readNBytes(to, 0, count) < count) {
            throw new IOException("the pipe was closed");
        }
    }

    @Override
    public ByteBuffer bytes() {
        return ByteBuffer.wrap(answer, 0, length);
    }

    /** Lets the next caller have the worker. */
    @Override
    public void release() {
        pool.putBack(this);
    }

    /** Whether an idle worker can be asked. */
    boolean isUsable() {
        return process.isAlive();
    }

    /** The failure of a worker whose pipes are closed. It may still be alive. */
    private Failure lost() {
        await(Deadline.in(PATIENCE));
        return program.ending(process);
    }

    /** Kills a worker that another thread waits for. */
    void giveUp() {
        isGivenUp = true;
        process.destroyForcibly();
    }

    /** Lets idle workers end, and kills those that do not. */
    static void endAll(List<Worker> workers) {
        workers.forEach(Worker::closePipes);
        Deadline end = Deadline.in(PATIENCE);
        workers.forEach(worker -> worker.await(end));
        workers.forEach(Worker::kill);
    }

    private void await(Deadline end) {
        try {
            process.waitFor(Math.max(0, end.left()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Kills a worker that cannot be used again. */
    void kill() {
        process.destroyForcibly();
        closePipes();
    }

    private void closePipes() {
        try {
            input.close();
        } catch (IOException e) {
            // The worker has closed it before.
        }
        if (!process.isAlive()) {
            try {
                output.close();
            } catch (IOException e) {
                // The same.
            }
        }
    }
}
