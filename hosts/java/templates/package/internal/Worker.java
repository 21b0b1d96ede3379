// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channel;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * A connection to one process of the pool. The process ends with the connection, even during a call.
 *
 * <p>The first 8 bytes are the hash of the interface if the process can be called; otherwise 8 zeros, followed by the
 * reason why there is no process. The process then answers frames in order. Where pipes are faster, it makes them for
 * the frames.
 */
final class Worker implements Answer {
    /** How long a worker may take to end by itself before it is killed. In nanoseconds. */
    private static final long PATIENCE = 5_000_000_000L;
    /** The size of the largest buffer that is kept after a call. */
    private static final int KEPT = 1 << 20;
    /** The limit for a single read or write: Java keeps a buffer of that size outside the heap for each thread. */
    private static final int PIECE = 64 << 10;
    /** Large enough for a short answer. */
    private static final int SHORT = 4 << 10;
    /** A request for pipes: its length, and a reserved number in place of a function's. */
    private static final byte[] PIPES = {4, 0, 0, 0, -1, -1, -1, 127};

    private final Pool pool;
    private final Companion companion;
    volatile boolean isGreeted;
    /** Whether it has been idle since its start. */
    boolean hasRested;
    /** Whether the call can be repeated: the worker had ended before it, or the companion before it had a worker. */
    boolean isUnheard;
    /** Whether nothing would be lost if the worker ended now. */
    private boolean mayRepeat;
    /** Whether the pool has given up the worker and its call. */
    private volatile boolean isGivenUp;
    private volatile SocketChannel connection;
    private volatile OutputStream input;
    private volatile InputStream output;
    /** When the worker must have started. */
    private Deadline start;
    private byte[] answer = new byte[SHORT];
    private int length;

    /** The worker must be greeted before it is asked. */
    Worker(Pool pool, Companion companion) {
        this.pool = pool;
        this.companion = companion;
    }

    /** Connects, unless it is connected. */
    void open(Deadline deadline) {
        if (connection == null) {
            connection = companion.connect(deadline);
            start = companion.limits.connection();
        }
    }

    /** Waits until the worker can be called. The caller closes the worker if this throws. */
    void greet(Deadline deadline) {
        if (isGreeted) {
            return;
        }
        open(deadline);
        boolean isCallFirst = deadline.left() < start.left();
        Limits limits = companion.limits;
        Supplier<Failure> late = isCallFirst ? limits::waitedTooLong : () -> limits.startedTooLate(name());
        within(isCallFirst ? deadline : start, late, this::hello);
        isGreeted = true;
    }

    /** Sends a frame and reads the answer, valid until the next call. If this throws, the caller closes the worker. */
    void ask(int function, Writer arguments, Deadline deadline) {
        within(deadline, this::tookTooLong, () -> exchange(function, arguments));
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Reads and writes. The worker is closed at the deadline. */
    private void within(Deadline deadline, Supplier<Failure> late, Step step) {
        Deadline.Watch watch = deadline.watch(this::close);
        // Java closes a connection that an interrupted thread uses.
        boolean wasInterrupted = Thread.interrupted();
        Failure failure = null;
        try {
            step.run();
        } catch (Failure e) {
            failure = e;
        } catch (IOException | RuntimeException e) {
            isUnheard = mayRepeat;
            failure = new Failure(Failure.Kind.TRANSPORT, name() + " ended before it answered: standard error says why", e);
        } finally {
            // This runs whatever was thrown.
            watch.stop();
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (isGivenUp || watch.stop()) {
            // Even if the worker answered at the very moment when it was closed.
            isUnheard = false;
            throw isGivenUp ? Limits.closedBefore() : late.get();
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void hello() throws IOException {
        mayRepeat = true;
        output = Channels.newInputStream(connection);
        input = Channels.newOutputStream(connection);
        if (isGivenUp) {
            return;
        }
        long found = bytes(8).getLong();
        if (found != companion.abi) {
            throw new Failure(Failure.Kind.TRANSPORT, found != 0
                    ? name() + " was built for another interface: run `tierup build`"
                    : companion.program.named(new String(output.readAllBytes(), StandardCharsets.UTF_8)));
        }
        input.write(PIPES);
        byte[] name = bytes(bytes(4).getInt()).array();
        if (name.length > 0) {
            usePipes(new String(name, StandardCharsets.UTF_8));
        }
    }

    private ByteBuffer bytes(int count) throws IOException {
        byte[] found = output.readNBytes(count);
        if (found.length < count) {
            throw new IOException("the end");
        }
        return ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void usePipes(String name) throws IOException {
        Path socket = ((UnixDomainSocketAddress) connection.getRemoteAddress()).getPath();
        Path in = socket.resolveSibling(name + ".in");
        Path out = socket.resolveSibling(name + ".out");
        // Opening one direction of a dead worker's pipe would block, unless this process has both open.
        try (Channel heldIn = FileChannel.open(in, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Channel heldOut = FileChannel.open(out, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            // Unlike channels, these streams survive interruptions. Unlike java.io's, closing them ends a read.
            input = Files.newOutputStream(in, StandardOpenOption.WRITE);
            output = Files.newInputStream(out);
        } finally {
            Files.deleteIfExists(in);
            Files.deleteIfExists(out);
        }
    }

    private void exchange(int function, Writer arguments) throws IOException {
        byte[] frame = arguments.frame();
        ByteBuffer room = ByteBuffer.wrap(frame, 0, Writer.ROOM).order(ByteOrder.LITTLE_ENDIAN);
        room.putInt(arguments.length() - 4).putInt(function);
        // If the worker was killed while it was idle, only the first write detects it: nobody watches idle workers.
        mayRepeat = hasRested;
        for (int sent = 0; sent < arguments.length(); sent += PIECE) {
            input.write(frame, sent, Math.min(PIECE, arguments.length() - sent));
            mayRepeat = false;
        }
        int have = read(0, SHORT);
        while (have < 4) {
            have += read(have, SHORT - have);
        }
        length = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (length < 0 || length > Integer.MAX_VALUE - SHORT) {
            throw new Failure(Failure.Kind.TRANSPORT, "the answer is larger than 2 GiB");
        }
        int end = 4 + length;
        if (have > end) {
            throw new Failure(Failure.Kind.TRANSPORT, name() + " sent an answer without a request");
        }
        if (answer.length < end || answer.length > Math.max(end, KEPT)) {
            answer = Arrays.copyOf(answer, Math.max(end, SHORT));
        }
        while (have < end) {
            have += read(have, Math.min(PIECE, end - have));
        }
    }

    private int read(int at, int most) throws IOException {
        int count = output.read(answer, at, most);
        if (count <= 0) {
            throw new IOException("the end");
        }
        return count;
    }

    @Override
    public ByteBuffer bytes() {
        return ByteBuffer.wrap(answer, 4, length);
    }

    /** Puts the worker back for the next caller. */
    @Override
    public void release() {
        pool.putBack(this);
    }

    private Failure tookTooLong() {
        return companion.limits.tookTooLong(": its process was ended");
    }

    private String name() {
        return companion.program.name();
    }

    /** Ends a worker that another thread waits for. */
    void giveUp() {
        isGivenUp = true;
        close();
    }

    /** Asks idle workers to end, and closes those that do not. */
    static void endAll(List<Worker> workers) {
        workers.forEach(Worker::end);
        Deadline end = Deadline.in(PATIENCE);
        for (Worker worker : workers) {
            try {
                worker.within(end, worker::tookTooLong, () -> worker.output.read());
            } catch (Failure e) {
                // It has been closed.
            }
            worker.close();
        }
    }

    private void end() {
        try {
            connection.shutdownOutput();
            input.close();
        } catch (IOException e) {
            // It has already ended.
        }
    }

    /** Ends the process, and every read or write that waits for it. */
    void close() {
        try (SocketChannel last = connection; OutputStream in = input; InputStream out = output) {
            // A suspended process does not end with its connection, so a read waits until its pipe is closed, too.
            if (last != null) {
                // A forked process may have a copy of the connection, so it is shut down.
                last.shutdownInput().shutdownOutput();
            }
        } catch (IOException e) {
            // It has already ended.
        }
    }
}
