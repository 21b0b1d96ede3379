// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * One process of the pool. It writes 8 bytes when it starts, the hash of its interface, and then answers frames in
 * their order. It ends when its standard input does, so it never outlives this process.
 */
final class Worker implements Answer {
    /** How long a worker that was asked to end may take until it is killed, in seconds. */
    private static final long PATIENCE = 5;
    /** The size from which on a buffer is given back after the call. */
    private static final int KEPT = 1 << 20;

    private final Pool pool;
    private final Program program;
    private final Process process;
    private final OutputStream input;
    private final InputStream output;
    private final byte[] head = new byte[4];
    private byte[] answer = new byte[512];
    private int length;
    /** Whether the pool gave its call up. */
    private volatile boolean isGivenUp;

    private Worker(Pool pool, Program program, Process process) {
        this.pool = pool;
        this.program = program;
        this.process = process;
        input = process.getOutputStream();
        output = process.getInputStream();
    }

    static Worker start(Pool pool, Program program, long abi) {
        Process process = program.start("--tierup-worker", String.format("%016x", abi));
        boolean isReady = false;
        try {
            Worker worker = new Worker(pool, program, process);
            worker.greet(abi);
            isReady = true;
            return worker;
        } finally {
            if (!isReady) {
                process.destroyForcibly();
            }
        }
    }

    private void greet(long abi) {
        byte[] found = new byte[8];
        try {
            read(found, found.length);
        } catch (IOException e) {
            throw lost();
        }
        if (ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN).getLong() != abi) {
            throw new Failure(Failure.Kind.TRANSPORT, program.name() + " was built for another interface: run `tierup build`");
        }
    }

    /** Sends a frame and reads its answer, which stays until the next. After anything thrown the worker is to be killed. */
    void ask(int function, Writer arguments, Deadline deadline, Limits limits) {
        Deadline.Watch watch = deadline.watch(process::destroyForcibly);
        Failure failure = null;
        try {
            exchange(function, arguments);
        } catch (Failure e) {
            failure = e;
        } finally {
            // Also where something else was thrown.
            watch.stop();
        }
        if (isGivenUp) {
            throw Limits.closedBefore();
        }
        if (watch.stop()) {
            // Also where it has answered in the very moment in which it was ended.
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

    /** Lets the next one have the worker. */
    @Override
    public void release() {
        pool.putBack(this);
    }

    /** Whether an idle worker can be asked. */
    boolean isUsable() {
        return process.isAlive();
    }

    /** How a worker whose pipes are closed ended. It may have closed them and live on. */
    private Failure lost() {
        await();
        return program.ending(process);
    }

    /** Ends a worker that somebody else still waits for. */
    void giveUp() {
        isGivenUp = true;
        process.destroyForcibly();
    }

    /** Lets an idle worker end. */
    void close() {
        closePipes();
        await();
        kill();
    }

    private void await() {
        try {
            process.waitFor(PATIENCE, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends a worker that is of no more use. */
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
