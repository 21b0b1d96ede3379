// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;

/**
 * One process of the pool: a connection that it ends with, in a call or not.
 *
 * <p>Its first 8 bytes are the hash of the interface, which say that it can be called; or 8 zeros, and then the reason why
 * there is no process. It then answers frames in their order.
 *
 * <p>The connection does not block, because an interruption of a thread closes a channel in which it blocks, and the call is lost.
 * A selector ignores it.
 */
final class Worker implements Answer {
    /** How long a worker may take to end by itself before it is ended. In nanoseconds. */
    private static final long PATIENCE = 5_000_000_000L;
    /** The size of the largest buffer that is kept after a call. */
    private static final int KEPT = 1 << 20;
    /** The size of the buffer outside the heap, which is all that a channel takes without a copy of its own. */
    private static final int PIECE = 64 << 10;

    /** The worker had ended before the call, or the companion before it had one: no call is lost. */
    static final class Unheard extends Failure {
        private static final long serialVersionUID = 1;

        Unheard(String program) {
            super(Kind.TRANSPORT, program + " ended before the call");
        }
    }

    private final Pool pool;
    private final Companion companion;
    private final long abi;
    private final Limits limits;
    private final Supplier<Failure> tookTooLong;
    private SocketChannel connection;
    private volatile Selector selector;
    private SelectionKey key;
    private ByteBuffer buffer;
    /** When it must have started. */
    private Deadline start;
    private volatile boolean isGreeted;
    /** Whether it was without a call. */
    private boolean hasRested;
    /** Whether the pool gave it up, with its call. */
    private volatile boolean isGivenUp;
    private byte[] answer = new byte[512];
    private int length;

    /** It can be asked once it was greeted. */
    Worker(Pool pool, Companion companion, long abi, Limits limits) {
        this.pool = pool;
        this.companion = companion;
        this.abi = abi;
        this.limits = limits;
        tookTooLong = () -> limits.tookTooLong(": its process was ended");
    }

    /** Connects, unless that was done. */
    void open(Deadline deadline) {
        if (connection != null) {
            return;
        }
        connection = companion.connect(deadline);
        start = limits.connection();
        buffer = ByteBuffer.allocateDirect(PIECE).order(ByteOrder.LITTLE_ENDIAN);
        try {
            selector = Selector.open();
            key = connection.register(selector, SelectionKey.OP_READ);
        } catch (IOException e) {
            throw new Failure(Failure.Kind.TRANSPORT, "cannot wait for " + name() + ": " + Failure.words(e), e);
        }
    }

    /** Waits until it can be called. After anything thrown it is to be closed. */
    void greet(Deadline deadline) {
        if (isGreeted) {
            return;
        }
        open(deadline);
        boolean isCallFirst = deadline.left() < start.left();
        Supplier<Failure> late = isCallFirst ? limits::waitedTooLong : () -> limits.startedTooLate(name());
        buffer.clear().limit(8);
        while (buffer.hasRemaining()) {
            if (!receive(isCallFirst ? deadline : start, late)) {
                throw new Unheard(name());
            }
        }
        long found = buffer.flip().getLong();
        if (found == 0) {
            throw new Failure(Failure.Kind.TRANSPORT, reason());
        }
        if (found != abi) {
            throw new Failure(Failure.Kind.TRANSPORT, name() + " was built for another interface: run `tierup build`");
        }
        isGreeted = true;
    }

    boolean isGreeted() {
        return isGreeted;
    }

    /** Why the companion has no worker for this connection. */
    private String reason() {
        buffer.clear();
        while (buffer.hasRemaining() && receive(start, () -> limits.startedTooLate(name()))) {
            // Until its end.
        }
        return companion.program().named(StandardCharsets.UTF_8.decode(buffer.flip()).toString());
    }

    private String name() {
        return companion.program().name();
    }

    /** Sends a frame and reads its answer, which is valid until the next call. After anything thrown it is to be closed. */
    void ask(int function, Writer arguments, Deadline deadline) {
        byte[] frame = arguments.frame();
        ByteBuffer room = ByteBuffer.wrap(frame, 0, Writer.ROOM).order(ByteOrder.LITTLE_ENDIAN);
        room.putInt(arguments.length() - 4).putInt(function);
        send(frame, arguments.length(), deadline);
        buffer.clear();
        while (buffer.position() < 4) {
            receiveMore(deadline);
        }
        length = buffer.flip().getInt();
        if (length < 0) {
            throw new Failure(Failure.Kind.TRANSPORT, "the answer is larger than 2 GiB");
        }
        if (length < buffer.remaining()) {
            throw new Failure(Failure.Kind.TRANSPORT, name() + " sent an answer without a request");
        }
        if (answer.length < length || answer.length > Math.max(length, KEPT)) {
            answer = new byte[Math.max(length, 512)];
        }
        int count = taken(0);
        while (count < length) {
            buffer.clear().limit(Math.min(PIECE, length - count));
            receiveMore(deadline);
            buffer.flip();
            count = taken(count);
        }
    }

    /** Adds what is in the buffer to the answer, and returns how much there is then. */
    private int taken(int before) {
        int more = buffer.remaining();
        buffer.get(answer, before, more);
        return before + more;
    }

    private void send(byte[] frame, int count, Deadline deadline) {
        int taken = 0;
        try {
            for (int next = 0; next < count; next += buffer.limit()) {
                buffer.clear().put(frame, next, Math.min(PIECE, count - next)).flip();
                while (buffer.hasRemaining()) {
                    int more = connection.write(buffer);
                    if (more == 0) {
                        await(SelectionKey.OP_WRITE, deadline, tookTooLong);
                    }
                    taken += more;
                }
            }
        } catch (IOException e) {
            // A worker that was killed while it rested is found by this: nobody waits for it.
            throw taken == 0 && hasRested ? new Unheard(name()) : ended();
        }
    }

    private void receiveMore(Deadline deadline) {
        if (!receive(deadline, tookTooLong)) {
            throw ended();
        }
    }

    /** Reads what comes next; false at the end. */
    private boolean receive(Deadline deadline, Supplier<Failure> late) {
        try {
            int count;
            do {
                await(SelectionKey.OP_READ, deadline, late);
                count = connection.read(buffer);
            } while (count == 0);
            return count > 0;
        } catch (IOException e) {
            // It has ended before it had read everything.
            return false;
        }
    }

    /** Waits until it can read or write. An interruption does not stop this, and is visible afterwards. */
    private void await(int what, Deadline deadline, Supplier<Failure> late) throws IOException {
        key.interestOps(what);
        boolean wasInterrupted = false;
        try {
            do {
                // With it, the selector would return at once.
                wasInterrupted |= Thread.interrupted();
                if (isGivenUp) {
                    throw Limits.closedBefore();
                }
                if (selector.select(ready -> {}, deadline.millis()) > 0) {
                    return;
                }
            } while (!deadline.isOver());
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
        throw late.get();
    }

    private Failure ended() {
        return new Failure(Failure.Kind.TRANSPORT, name() + " ended before it answered: standard error says why");
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

    void rest() {
        hasRested = true;
    }

    /** Ends a worker that another thread waits for, which closes it. */
    void giveUp() {
        isGivenUp = true;
        Selector waiting = selector;
        if (waiting != null) {
            waiting.wakeup();
        }
    }

    /** Lets idle workers end, and ends those that do not. */
    static void endAll(List<Worker> workers) {
        workers.forEach(Worker::end);
        Deadline end = Deadline.in(PATIENCE);
        for (Worker worker : workers) {
            try {
                worker.receive(end, worker.tookTooLong);
            } catch (Failure e) {
                // It took too long.
            }
            worker.close();
        }
    }

    private void end() {
        buffer.clear();
        try {
            connection.shutdownOutput();
        } catch (IOException e) {
            // It has ended.
        }
    }

    /** Ends its process. Nobody may wait for it any more. */
    void close() {
        try (SocketChannel ended = connection; Selector last = selector) {
            // A channel is closed once its selector is.
        } catch (IOException e) {
            // It has ended.
        }
    }
}
