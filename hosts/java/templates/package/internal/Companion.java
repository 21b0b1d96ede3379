// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The companion: a program that starts a worker for each connection to its socket, and ends with this process.
 *
 * <p>It is started by the first call, and anew by the next one if it has ended. Workers live on without it.
 * TIERUP_POOL_SOCKET names the socket of one that somebody else has started.
 */
final class Companion {
    /** How long it may take to end by itself before it is killed. In nanoseconds. */
    private static final long PATIENCE = 5_000_000_000L;
    /** How long nobody tries to start it again when it could not be started. In nanoseconds. */
    private static final long PAUSE = 500_000_000L;

    final Program program;
    final long abi;
    final Limits limits;
    private final boolean isNamed;
    private final ReentrantLock lock = new ReentrantLock();
    /** Null as long as there is none. */
    private Path socket;
    /** Its process if this one has started it, otherwise null. */
    private volatile Process process;
    /** Why it could not be started, and until when that is what calls learn. */
    private Failure failure;
    private long next;
    private volatile boolean isClosed;

    Companion(Program program, long abi, Limits limits) {
        this.program = program;
        this.abi = abi;
        this.limits = limits;
        String named = System.getenv("TIERUP_POOL_SOCKET");
        isNamed = named != null && !named.isEmpty();
        socket = isNamed ? Path.of(named) : null;
    }

    /** A connection. Starts the companion if there is none. */
    SocketChannel connect(Deadline deadline) {
        if (!deadline.lock(lock)) {
            throw limits.waitedTooLong();
        }
        try {
            SocketChannel found = socket == null ? null : connected();
            if (found == null) {
                start();
                found = connected();
            }
            if (found == null) {
                throw failure(program.name() + " ended as soon as it had started: standard error says why", null);
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** A connection to the socket; null if nobody listens there. */
    private SocketChannel connected() {
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            // An interruption would end a connect that blocks.
            channel.configureBlocking(false);
            if (channel.connect(UnixDomainSocketAddress.of(socket))) {
                channel.configureBlocking(true);
                return channel;
            }
            channel.close();
            throw failure(socket + " takes no more connections", null);
        } catch (IOException e) {
            // Java closes a channel that it could not connect.
            if (channel == null || channel.isOpen()) {
                throw failure(socket + ": " + Failure.words(e), e);
            }
            if (isNamed) {
                throw failure("nobody listens on " + socket + " (TIERUP_POOL_SOCKET): does its program run?", e);
            }
        }
        // One that was killed leaves it behind.
        socket.toFile().delete();
        return null;
    }

    private void start() {
        if (failure != null && System.nanoTime() - next < 0) {
            throw failure;
        }
        end();
        try {
            process = program.start("--tierup-companion", String.format("%016x", abi));
            if (isClosed) {
                end();
                throw Limits.closedBefore();
            }
            socket = Path.of(said(process));
            failure = null;
        } catch (Failure e) {
            failure = e;
            next = System.nanoTime() + PAUSE;
            throw e;
        }
    }

    /** The path that it says when it listens. */
    private String said(Process started) {
        Deadline.Watch watch = limits.start().watch(started::destroyForcibly);
        try {
            String line = started.inputReader(StandardCharsets.UTF_8).readLine();
            if (line != null && !watch.stop()) {
                return line;
            }
        } catch (IOException e) {
            // It has ended.
        } finally {
            watch.stop();
        }
        end();
        throw watch.stop() ? limits.startedTooLate(program.name()) : program.ending(started);
    }

    private static Failure failure(String words, Throwable cause) {
        return new Failure(Failure.Kind.TRANSPORT, words, cause);
    }

    /** Ends it, if this process has started it, and then its program. */
    void close() {
        isClosed = true;
        end();
        program.close();
    }

    /** Its standard input ends, so that it removes its socket. */
    private void end() {
        Process ended = process;
        if (ended == null) {
            return;
        }
        Deadline.Watch watch = Deadline.in(PATIENCE).watch(ended::destroyForcibly);
        try {
            ended.getOutputStream().close();
        } catch (IOException e) {
            // It has ended before.
        } finally {
            Threads.joined(ended.onExit());
            watch.stop();
        }
    }
}
